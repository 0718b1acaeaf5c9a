// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "control/base/clock.h"
#include "control/show/show_view.h"
#include "lldp_agent_internal.h"

#include <arpa/inet.h>

static json_t *
capabilities_json(uint16_t enabled)
{
	json_t *out = json_array();

	for (unsigned bit = 0; bit < 16; bit++)
		if (enabled >> bit & 1 && lldp_capability_name(bit) != NULL)
			json_array_append_new(out, json_string(lldp_capability_name(bit)));
	return out;
}

static json_t *
management_json(const struct lldp_pdu *pdu)
{
	char text[INET6_ADDRSTRLEN];
	json_t *out = json_array();

	if (pdu->has_ip4)
		json_array_append_new(
			out, json_string(inet_ntop(AF_INET, pdu->ip4, text, sizeof(text))));
	if (pdu->has_ip6)
		json_array_append_new(
			out, json_string(inet_ntop(AF_INET6, pdu->ip6, text, sizeof(text))));
	return out;
}

static json_t *
numbers_json(const uint8_t *numbers)
{
	json_t *out = json_array();

	for (unsigned i = 0; i < LLDP_CLASSES; i++)
		json_array_append_new(out, json_integer(numbers[i]));
	return out;
}

static const char *
algorithm_name(uint8_t algorithm)
{
	switch (algorithm) {
	case LLDP_STRICT:
		return "strict";
	case LLDP_CREDIT_SHAPER:
		return "credit-shaper";
	case LLDP_ETS:
		return "ets";
	case LLDP_VENDOR:
		return "vendor";
	default:
		return "reserved";
	}
}

static json_t *
ets_json(const struct lldp_ets *ets)
{
	json_t *algorithms = json_array();

	for (unsigned tc = 0; tc < LLDP_CLASSES; tc++)
		json_array_append_new(algorithms, json_string(algorithm_name(ets->algorithm[tc])));
	return json_pack("{s:b, s:i, s:o, s:o, s:o}", "willing", ets->willing, "classes",
			 ets->classes, "priority_to_class", numbers_json(ets->priority_to_class),
			 "bandwidth", numbers_json(ets->bandwidth), "algorithm", algorithms);
}

static json_t *
applications_json(const struct lldp_pdu *pdu)
{
	json_t *out = json_array();

	for (unsigned i = 0; i < pdu->application_count; i++) {
		const struct lldp_application *a = &pdu->applications[i];
		const char *selector = lldp_selector_name(a->selector);

		json_array_append_new(out,
				      json_pack("{s:s, s:i, s:i}", "selector",
						selector != NULL ? selector : "reserved",
						"protocol", a->protocol, "priority", a->priority));
	}
	return out;
}

// Without the parts of DCBX that it has not sent.
static json_t *
neighbour_json(const struct lldp_neighbour *n, int64_t now_ms)
{
	const struct lldp_pdu *pdu = &n->pdu;
	char chassis[LLDP_TEXT_MAX], port[LLDP_TEXT_MAX];
	json_t *out = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "chassis",
		lldp_chassis_text(&pdu->chassis, chassis), "port", lldp_port_text(&pdu->port, port),
		"port_description", pdu->port_description, "system", pdu->system_name,
		"system_description", pdu->system_description, "ttl", pdu->ttl, "expires_ms",
		(json_int_t)(n->expires_ms > now_ms ? n->expires_ms - now_ms : 0), "capabilities",
		capabilities_json(pdu->enabled), "management", management_json(pdu));

	if (pdu->ets.present)
		json_object_set_new(out, "ets", ets_json(&pdu->ets));
	if (pdu->pfc.present)
		json_object_set_new(out, "pfc",
				    json_pack("{s:b, s:i, s:o}", "willing", pdu->pfc.willing,
					      "classes", pdu->pfc.classes, "priorities",
					      show_bit_list(pdu->pfc.enabled)));
	if (pdu->application_count != 0)
		json_object_set_new(out, "applications", applications_json(pdu));
	return out;
}

static json_t *
port_json(const struct lldp_port *p)
{
	const int64_t now_ms = clock_ms();
	json_t *neighbours = json_array();

	for (unsigned i = 0; i < p->count; i++)
		json_array_append_new(neighbours, neighbour_json(p->neighbours[i], now_ms));
	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "sent", (json_int_t)p->sent, "received",
			 (json_int_t)p->received, "malformed", (json_int_t)p->malformed, "left_out",
			 (json_int_t)p->left_out, "neighbours", neighbours);
}

json_t *
collect_lldp(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	json_t *out = json_object();

	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint16_t p = 0; live->lldp->ports[n] != NULL && p < t->nodes[n].port_count;
		     p++)
			if (live->lldp->ports[n][p].active)
				json_object_set_new(show_child(out, t->nodes[n].name),
						    t->nodes[n].ports[p].name,
						    port_json(&live->lldp->ports[n][p]));
	return out;
}
