// SPDX-License-Identifier: BSD-3-Clause
// Words about ports: their counters, their pauses, their queues, what they dropped, and what the
// PFC watchdog makes of their queues.
#include "control/fabric/counters_part.h"
#include "show_part.h"

#include "dataplane/base/drop.h"

#include <errno.h>
#include <string.h>

// What a port is.
static int
add_description(json_t *to, const struct report_node *n, unsigned int port)
{
	const struct tables *t = report_tables(n);
	const struct port_profile *profile = report_profile(n, port);
	const struct report_port *names = &n->ports[port];
	int status = show_set_text(to, "state", n->node->ports[port].up ? "up" : "down");

	status |= json_object_set_new(to, "rate_bps", json_integer((json_int_t)names->rate_bps));
	status |= show_set_text(to, "peer", names->peer);
	if (profile == NULL)
		return status;
	status |= json_object_set_new(to, "mtu", json_integer(profile->mtu));
	status |= show_set_mac(to, t->ports[port].mac);
	status |= show_set_text(
		to, "vrf", t->ports[port].vrf < t->vrf_count ? n->vrfs[t->ports[port].vrf] : NULL);
	return status | show_set_text(to, "tenant",
				      t->ports[port].tenant < t->tenant_count
					      ? n->tenants[t->ports[port].tenant]
					      : NULL);
}

// ---- interface -------------------------------------------------------------------------------

static json_t *
described_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	json_t *out = json_object();
	int status = add_description(out, n, port);

	status |= counters_merge(out, counters_port(n, port, COUNTERS_PORTS, s->now));
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *
roce_status(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct show_switch *w = show_find_switch(s, n);

	return w != NULL ? show_qos_settings(n, w, (int)port) : json_object();
}

static json_t *
roce_counters(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct show_switch *w = show_find_switch(s, n);

	return w != NULL ? show_roce_counters(n, w, port, s->now) : json_object();
}

int
show_interface(const struct show_state *s, const struct show_question *q, json_t *to)
{
	if (q->view == NULL)
		return show_each_port(s, q, false, described_port, to);
	return show_each_port(
		s, q, true, strcmp(q->view, "roce-status") == 0 ? roce_status : roce_counters, to);
}

// ---- pauses ----------------------------------------------------------------------------------

static json_t *
eight_paused(const struct port *p,
	     struct counters_pause (*pause)(const struct port *, unsigned int, ps_t), ps_t now)
{
	json_t *out = json_array();
	int status = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		status |= json_array_append_new(out, json_boolean(pause(p, i, now).paused));
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

// What counters.json does not have: whether a pause is in force, and the history of 802.3x.
static json_t *
pauses_now(const struct port *p, ps_t now)
{
	struct counters_pause rx = counters_rx_pause(p, PAUSE_LINK, now);
	struct counters_pause tx = counters_tx_pause(p, PAUSE_LINK, now);

	return json_pack("{s:o,s:o,s:b,s:b,s:I,s:I,s:I,s:I,s:I,s:I}", "pfc_rx_paused",
			 eight_paused(p, counters_rx_pause, now), "pfc_tx_paused",
			 eight_paused(p, counters_tx_pause, now), "pause_rx_paused", rx.paused,
			 "pause_tx_paused", tx.paused, "pause_rx_transitions",
			 (json_int_t)rx.transitions, "pause_tx_transitions",
			 (json_int_t)tx.transitions, "pause_rx_last_start_ns",
			 counters_instant(rx.last_start), "pause_rx_last_end_ns",
			 counters_instant(rx.last_end), "pause_tx_last_start_ns",
			 counters_instant(tx.last_start), "pause_tx_last_end_ns",
			 counters_instant(tx.last_end));
}

static json_t *
pfc_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	json_t *out = counters_port(n, port, COUNTERS_PFC, s->now);

	if (out == NULL || counters_merge(out, pauses_now(&n->node->ports[port], s->now)) == 0)
		return out;
	json_decref(out);
	return NULL;
}

int
show_pfc(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_port(s, q, false, pfc_port, to);
}

// ---- queues and drops ------------------------------------------------------------------------

static json_t *
queue_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	return counters_port(n, port, COUNTERS_QUEUES, s->now);
}

int
show_queue(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_port(s, q, false, queue_port, to);
}

static json_t *
drops_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	return counters_port(n, port, COUNTERS_DROPS, s->now);
}

int
show_drops(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *advice = show_child(to, "advice");
	int status = show_each_port(s, q, false, drops_port, to);

	for (unsigned int i = 0; i < s->node_count && status == 0; i++)
		for (unsigned int k = 0; k < s->nodes[i].node->port_count; k++)
			for (unsigned int r = 0; r < DROP_COUNT; r++)
				if (s->nodes[i].node->ports[k].drops[r] != 0 &&
				    show_port_meant(&s->nodes[i], k, q->port) &&
				    show_set_text(advice, drop_name(r), drop_advice(r)) != 0)
					status = -ENOMEM;
	return status;
}
