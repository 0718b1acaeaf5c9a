// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_internal.h"

#include "control/model/tables/build.h"
#include "dataplane/roce/drain.h"
#include "dataplane/roce/storm.h"

#include <errno.h>
#include <string.h>

// The settings of a host's leaf.
static const struct switch_config *
leaf_settings(const struct fabric *f, uint32_t host)
{
	return &f->switches[topology_host(f->topology, host)->ports[0].peer_node];
}

static struct fabric_marking
mark(const struct fabric *f, uint32_t host, uint8_t dscp)
{
	uint32_t node = f->topology->first_host + host;
	const struct tables *t = f->nodes[node] != NULL ? f->nodes[node]->current : f->tables[node];
	uint8_t priority = leaf_settings(f, host)->dscp_to_priority[dscp];

	return (struct fabric_marking){
		.dscp = dscp,
		.priority = priority,
		.tc = t->priority_to_tc[priority],
	};
}

int
fabric_data_marking(const struct fabric *f, uint32_t host, uint8_t priority,
		    struct fabric_marking *out)
{
	const struct host_config *settings = &f->hosts[host];
	int dscp = settings->dscp;

	if (dscp < 0 || priority != settings->priority)
		dscp = config_priority_dscp(leaf_settings(f, host), priority);
	if (dscp < 0)
		return -EINVAL;
	*out = mark(f, host, (uint8_t)dscp);
	return 0;
}

int
fabric_ack_marking(const struct fabric *f, uint32_t host, uint8_t data_priority,
		   struct fabric_marking *out)
{
	const struct host_config *settings = &f->hosts[host];

	if (settings->ack_dscp < 0)
		return fabric_data_marking(f, host, data_priority, out);
	*out = mark(f, host, (uint8_t)settings->ack_dscp);
	return 0;
}

static void
set_congestion(struct nic_config *nic, const struct host_config *settings, uint64_t rate_bps,
	       struct congestion_parameters *room)
{
	const struct congestion_algorithm *algorithm = config_congestions[settings->congestion];

	if (algorithm == NULL)
		return;
	memcpy(room, config_congestion_parameters(settings), algorithm->parameters_bytes);
	if (algorithm->fit != NULL)
		algorithm->fit(room, rate_bps);
	nic->congestion = algorithm;
	nic->congestion_parameters = room;
}

// A priority may fill half of the receive buffer, so that two can do so at once without loss. XOFF
// is sent when the rest of this half is what may still arrive (the headroom that the leaf would
// need on this link), XON at half of that threshold.
static struct drain_config
drain_of(const struct fabric *f, uint32_t host, const struct topo_port *port)
{
	const struct host_config *settings = &f->hosts[host];
	uint64_t half = settings->drain_buffer_bytes / 2;
	uint64_t headroom = tables_headroom_needed(f->topology, leaf_settings(f, host), port);
	uint64_t xoff = half > headroom ? half - headroom : 0;

	return (struct drain_config){
		.byte_time = settings->drain_rate_bps != 0
				     ? time_byte_time(settings->drain_rate_bps)
				     : 0,
		.buffer_bytes = settings->drain_buffer_bytes,
		.xoff_bytes = xoff,
		.xon_bytes = xoff / 2,
		.stall_every = settings->stall.every_ps,
		.stall_for = settings->stall.for_ps,
	};
}

static int
misbehave(const struct fabric *f, uint32_t host, struct nic *nic)
{
	const struct host_config *settings = &f->hosts[host];
	const struct config_storm *storm = &settings->pause_storm;
	bool drains = settings->drain_rate_bps != 0 || settings->stall.every_ps != 0;
	struct storm_config storm_config = {storm->from_ps, storm->to_ps, storm->priorities};
	struct drain_config drain;

	if (!drains && storm->priorities == 0)
		return 0;
	drain = drain_of(f, host, &topology_host(f->topology, host)->ports[0]);
	return nic_misbehave(nic, drains ? &drain : NULL,
			     storm->priorities != 0 ? &storm_config : NULL);
}

static const enum nic_recovery recoveries[] = {
	[CONFIG_RECOVERY_SELECTIVE] = NIC_RECOVERY_SELECTIVE,
	[CONFIG_RECOVERY_GO_BACK_0] = NIC_RECOVERY_GO_BACK_0,
	[CONFIG_RECOVERY_GO_BACK_N] = NIC_RECOVERY_GO_BACK_N,
};

static void
set_ports(struct nic_config *nic, const struct fabric *f, const struct topo_node *place)
{
	nic->port_count = place->port_count;
	for (uint16_t i = 0; i < place->port_count && i < NIC_PORTS_MAX; i++) {
		const struct topo_port *port = &place->ports[i];
		const struct topo_port *gateway =
			&f->topology->nodes[port->peer_node].ports[port->peer_port];
		struct nic_port_config *to = &nic->ports[i];

		if (topology_is_infiniband(f->topology)) {
			to->lid = port->lid;
			to->pkey = TOPOLOGY_PKEY_MEMBER | topology_pkey(port);
			continue;
		}
		memcpy(to->mac, port->mac, sizeof(to->mac));
		memcpy(to->gateway_mac, gateway->mac, sizeof(to->gateway_mac));
		memcpy(to->ip4, port->ip4, sizeof(to->ip4));
		memcpy(to->ip6, port->ip6, sizeof(to->ip6));
	}
}

// Where the file sets a key of a host.
static struct diag_pos
host_pos(const struct fabric *f, uint32_t host, const char *key)
{
	struct diag_pos pos =
		config_written_at(f->config, topology_host(f->topology, host)->name, key);

	return pos.line != 0 ? pos : config_written_at(f->config, "hosts", key);
}

#define WORD(id, name, word) [CONGESTION_##id] = (word),

int
fabric_check_nic(const struct fabric *f, uint32_t host, struct diag *diag)
{
	static const char *const words[] = {CONGESTION_ALGORITHMS(WORD)};
	const struct host_config *h = &f->hosts[host];
	const struct congestion_algorithm *congestion = config_congestions[h->congestion];
	const char *algorithm = words[h->congestion];
	const char *word = nic_transport_word(h->transport);
	unsigned planes = (1u << topology_host(f->topology, host)->port_count) - 1;
	bool single = h->transport != NIC_TRANSPORT_ROCE; // packets are acknowledged singly

	if (single && h->ip_version == 0) {
		diag_error(diag, f->config->file, host_pos(f, host, "transport"), "hosts.transport",
			   "%s needs Ethernet, and this fabric has link-layer: infiniband", word);
		return -EINVAL;
	}
	if (single && congestion != NULL && congestion->notified != NULL) {
		diag_error(
			diag, f->config->file, host_pos(f, host, "congestion"), "hosts.congestion",
			"%s needs CNPs, which transport %s does not send; use nscc, window or none",
			algorithm, word);
		return -EINVAL;
	}
	if (single && congestion != NULL && congestion->sampled != NULL) {
		diag_error(diag, f->config->file, host_pos(f, host, "congestion"),
			   "hosts.congestion",
			   "%s is only supported with transport roce; with %s use nscc, window or "
			   "none",
			   algorithm, word);
		return -EINVAL;
	}
	if (!single && congestion != NULL && congestion->fed_back != NULL) {
		diag_error(diag, f->config->file, host_pos(f, host, "congestion"),
			   "hosts.congestion", "nscc needs transport: uet or mrc");
		return -EINVAL;
	}
	if (h->transport == NIC_TRANSPORT_MRC && (h->mrc.denied & planes) == planes) {
		diag_error(diag, f->config->file, host_pos(f, host, "mrc"), "hosts.mrc.deny-planes",
			   "%s: deny-planes leaves no plane",
			   topology_host(f->topology, host)->name);
		return -EINVAL;
	}
	if (single && h->rto_ps > SPRAYED_RTO_MAX) {
		diag_error(diag, f->config->file, host_pos(f, host, "rto"), "hosts.rto",
			   "at most %us with transport: %s",
			   (unsigned int)(SPRAYED_RTO_MAX / PS_PER_S), word);
		return -EINVAL;
	}
	if (single && h->reorder_window > SPRAYED_WINDOW_MAX) {
		diag_error(diag, f->config->file, host_pos(f, host, "reorder-window"),
			   "hosts.reorder-window", "at most %u with transport: %s",
			   SPRAYED_WINDOW_MAX, word);
		return -EINVAL;
	}
	return 0;
}

int
fabric_create_nic(struct fabric *f, uint32_t host, struct nic **out)
{
	const struct topo_node *place = topology_host(f->topology, host);
	const struct host_config *settings = &f->hosts[host];
	struct fabric_marking cnp = mark(f, host, settings->cnp_dscp);
	struct congestion_parameters parameters;
	struct nic_config nic;
	int error;

	nic = (struct nic_config){
		.transport = settings->transport,
		.sprayed = settings->sprayed[settings->transport],
		.uet = settings->uet,
		.mrc = settings->mrc,
		.recovery = recoveries[settings->recovery],
		.placement = settings->placement == CONFIG_PLACEMENT_OUT_OF_ORDER
				     ? NIC_PLACEMENT_OUT_OF_ORDER
				     : NIC_PLACEMENT_IN_ORDER,
		.ack_every = settings->ack_every,
		.rto = settings->rto_ps,
		.reorder_window = settings->reorder_window,
		.reorder_timeout = settings->reorder_timeout_ps,
		.cnp_interval = settings->cnp_interval_ps,
		.cnp_dscp = cnp.dscp,
		.cnp_priority = cnp.priority,
		.cnp_tc = cnp.tc,
		.header_bytes = settings->header_bytes,
		.ack_bytes = settings->ack_bytes,
	};
	set_ports(&nic, f, place);
	set_congestion(&nic, settings, place->ports[0].rate_bps, &parameters);
	error = nic_create(out, f->nodes[f->topology->first_host + host], &nic);
	return error != 0 ? error : misbehave(f, host, *out);
}

uint64_t
fabric_window_bytes(const struct fabric *f, uint32_t host, const struct nic_flow *flow)
{
	uint64_t rate_bps = topology_host(f->topology, host)->ports[0].rate_bps;
	const struct congestion_path path = {
		.byte_time = time_byte_time(rate_bps),
		.path_mtu = flow->path_mtu,
		.base_rtt = flow->base_rtt,
		.bdp_bytes = flow->bdp_bytes,
	};
	struct congestion_parameters parameters;
	struct nic_config nic = {.congestion = NULL};
	struct congestion c;

	set_congestion(&nic, &f->hosts[host], rate_bps, &parameters);
	if (nic.congestion == NULL || nic.congestion->sampled != NULL)
		return UINT64_MAX;
	congestion_start(&c, nic.congestion, &path, nic.congestion_parameters);
	return c.window_bytes;
}
