// SPDX-License-Identifier: BSD-3-Clause
// DCBX announces how this port treats packets of the host. A switch is never willing: the operator
// sets its configuration.
#include "lldp_pdu.h"

#include "control/base/program.h"
#include "control/base/text.h"
#include "dataplane/base/priority.h"
#include "dataplane/base/roce_headers.h"

#include <string.h>

static void
set_id(struct lldp_id *id, uint8_t subtype, const void *bytes, size_t length)
{
	*id = (struct lldp_id){.subtype = subtype, .length = (uint8_t)length};
	memcpy(id->bytes, bytes, length);
}

// The bandwidth of a DWRR class is the share of its quantum among the classes that have a priority.
// Shares are whole percents and add up to 100: classes that lost most by rounding get one more.
static void
set_bandwidths(struct lldp_ets *ets, const struct port_profile *profile)
{
	uint64_t total = 0, rest[LLDP_CLASSES];
	unsigned left = 100;

	for (unsigned tc = 0; tc < LLDP_CLASSES; tc++)
		if (ets->algorithm[tc] == LLDP_ETS)
			total += profile->tc[tc].quantum;
	if (total == 0)
		return;
	for (unsigned tc = 0; tc < LLDP_CLASSES; tc++) {
		uint64_t hundredfold = ets->algorithm[tc] == LLDP_ETS
					       ? profile->tc[tc].quantum * UINT64_C(100)
					       : 0;

		ets->bandwidth[tc] = (uint8_t)(hundredfold / total);
		rest[tc] = hundredfold % total;
		left -= ets->bandwidth[tc];
	}
	for (; left != 0; left--) {
		unsigned most = 0;

		for (unsigned tc = 1; tc < LLDP_CLASSES; tc++)
			most = rest[tc] > rest[most] ? tc : most;
		ets->bandwidth[most]++;
		rest[most] = 0;
	}
}

static void
set_ets(struct lldp_ets *ets, const struct tables *t, const struct port_profile *profile)
{
	ets->present = true;
	ets->classes = LLDP_CLASSES;
	memcpy(ets->priority_to_class, t->priority_to_tc, sizeof(ets->priority_to_class));
	for (unsigned tc = 0; tc < LLDP_CLASSES; tc++)
		ets->algorithm[tc] = t->tc_priorities[tc] != 0 && !(profile->strict >> tc & 1)
					     ? LLDP_ETS
					     : LLDP_STRICT;
	set_bandwidths(ets, profile);
}

// The priorities that the port pauses, or obeys pauses of.
static uint8_t
pfc_priorities(const struct port_profile *profile)
{
	uint8_t priorities = profile->obeyed;

	if (profile->link_pause)
		return 0;
	for (unsigned pg = 0; pg < PRIORITIES; pg++)
		priorities |= profile->pg[pg].pfc_priorities;
	return priorities;
}

// The priority of RoCEv2 at the port: that of the DSCP that the settings of its host say or,
// without a host, the priority that PFC protects. Returns -1 if there is none.
static int
roce_priority(const struct fabric *f, uint32_t node, const struct topo_port *port,
	      const struct port_profile *profile)
{
	uint8_t lossless = pfc_priorities(profile);

	if (port->peer_node != TOPOLOGY_NONE && port->peer_node >= f->topology->first_host) {
		const struct host_config *host =
			&f->hosts[topology_host_of(f->topology, port->peer_node)];
		int dscp = host->dscp >= 0
				   ? host->dscp
				   : config_priority_dscp(&f->switches[node], host->priority);
		struct packet_meta meta = {.dscp = (uint8_t)(dscp >= 0 ? dscp : 0)};

		if (dscp >= 0)
			return priority_of_packet(profile, &meta);
	}
	return lossless != 0 ? __builtin_ctz(lossless) : -1;
}

static void
set_dcbx(struct lldp_pdu *out, const struct fabric *f, uint32_t node, uint16_t port)
{
	const struct tables *t = f->tables[node];
	const struct port_profile *profile = t->ports[port].profile;
	int roce = roce_priority(f, node, &f->topology->nodes[node].ports[port], profile);

	set_ets(&out->ets, t, profile);
	out->pfc = (struct lldp_pfc){
		.present = true, .classes = LLDP_CLASSES, .enabled = pfc_priorities(profile)};
	if (roce >= 0)
		out->applications[out->application_count++] = (struct lldp_application){
			.priority = (uint8_t)roce, .selector = LLDP_UDP, .protocol = ROCE_UDP_PORT};
}

static void
set_names(struct lldp_pdu *out, const struct fabric *f, const struct topo_node *place,
	  const struct topo_port *port)
{
	const char *fabric = f->config->fabric.name.text;
	char peer[TOPOLOGY_NAME_MAX];

	snprintf(out->system_name, sizeof(out->system_name), "%s", place->name);
	snprintf(out->system_description, sizeof(out->system_description),
		 "Roost %s, %s of the fabric %s", roost_version, config_role_name(place->role),
		 fabric != NULL ? fabric : place->name);
	if (port->peer_node != TOPOLOGY_NONE)
		snprintf(out->port_description, sizeof(out->port_description), "to %s",
			 topology_port_name(f->topology, port->peer_node, port->peer_port, peer));
}

void
fabric_lldp_pdu(const struct fabric *f, uint32_t node, uint16_t port, struct lldp_pdu *out)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct topo_port *p = &place->ports[port];

	*out = (struct lldp_pdu){
		.ttl = FABRIC_LLDP_TTL,
		.capabilities = LLDP_CAPABLE_ROUTER,
		.enabled = LLDP_CAPABLE_ROUTER,
		.has_ip4 = true,
		.has_ip6 = true,
	};
	set_id(&out->chassis, LLDP_CHASSIS_MAC, place->router_mac, sizeof(place->router_mac));
	set_id(&out->port, LLDP_PORT_INTERFACE, p->name, strlen(p->name));
	memcpy(out->ip4, place->loopback4, sizeof(out->ip4));
	memcpy(out->ip6, place->loopback6, sizeof(out->ip6));
	set_names(out, f, place, p);
	set_dcbx(out, f, node, port);
}
