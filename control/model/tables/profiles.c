// SPDX-License-Identifier: BSD-3-Clause
// What a port does: its groups' thresholds and headroom, and its flow control (its queues are in
// classes.c, its classification in port_qos.c). Ports of one rate, length and MTU do the same,
// unless `qos.ports` sets one apart, so they share a profile. (pauses.c has the pauses' times.)
#include "pfc_headroom.h"
#include "build_internal.h"

#include "dataplane/base/paths.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct threshold
tables_unlimited(enum pool_id pool, uint32_t reserved)
{
	return (struct threshold){
		.fixed = THRESHOLD_UNLIMITED,
		.reserved = reserved,
		.down = 63,
		.pool = (uint8_t)pool,
	};
}

struct threshold
tables_alpha(enum pool_id pool, uint32_t reserved, int shift)
{
	return (struct threshold){
		.reserved = reserved,
		.up = (uint8_t)(shift > 0 ? shift : 0),
		.down = (uint8_t)(shift < 0 ? -shift : 0),
		.pool = (uint8_t)pool,
	};
}

struct threshold
tables_threshold(const struct tables *t, const struct config_limit *limit, enum config_pool pool,
		 uint64_t reserved_bytes)
{
	uint32_t reserved = tables_cells_up(t, reserved_bytes);
	struct threshold result = tables_unlimited((enum pool_id)pool, reserved);

	if (limit->kind == CONFIG_LIMIT_ALPHA)
		return tables_alpha((enum pool_id)pool, reserved, limit->shift);
	if (limit->kind == CONFIG_LIMIT_STATIC)
		result.fixed = limit->static_bytes / t->cell;
	else if (limit->kind == CONFIG_LIMIT_ZERO)
		result.fixed = 0;
	return result;
}

static struct headroom_input
headroom_input(const struct switch_config *settings, const struct topo_port *port)
{
	return (struct headroom_input){
		.rate_bps = tables_port_rate(port),
		.cable_mm = port->cable_mm,
		.mtu = port->mtu,
		.lossless_mtu = HEADROOM_LOSSLESS_MTU,
		.small_packets_ppm = HEADROOM_SMALL_PACKETS_PPM,
		.cell = settings->cell_bytes,
	};
}

uint64_t
tables_headroom_needed(const struct topology *topology, const struct switch_config *settings,
		       const struct topo_port *port)
{
	const struct config_framing *framing = &topology->config->fabric.framing;
	const struct headroom_input in = headroom_input(settings, port);

	return headroom_needed(&in, port->delay_ps, settings->latency_ps,
			       framing->preamble_bytes + framing->fcs_bytes + framing->gap_bytes)
		.needed;
}

static uint64_t
headroom_bytes(const struct tables_draft *draft, const struct config_group *group,
	       const struct topo_port *port)
{
	const struct headroom_input in = headroom_input(draft->settings, port);
	uint64_t formula, needed;

	if (group->headroom.kind == CONFIG_AMOUNT_BYTES)
		return group->headroom.value;
	formula = headroom_formula(&in).xoff;
	needed = tables_headroom_needed(draft->topology, draft->settings, port);
	return formula > needed ? formula : needed;
}

// The priorities that flow control serves: those listed, or, where a pause stops the entire link,
// all.
static uint8_t
paused_priorities(const struct switch_config *settings)
{
	if (settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE)
		return 0xff;
	return settings->flow_control == CONFIG_FLOW_CONTROL_PFC ||
			       settings->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC
		       ? settings->pfc_priorities
		       : 0;
}

static uint8_t
obeyed_priorities(const struct switch_config *settings)
{
	if (settings->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC)
		return 0xff;
	return settings->flow_control == CONFIG_FLOW_CONTROL_PFC ? settings->pfc_priorities : 0;
}

static void
set_group(const struct tables_draft *draft, struct pg_profile *pg, unsigned index,
	  const struct topo_port *port)
{
	const struct config_group *group = &draft->settings->groups[index];
	const struct tables *t = draft->t;

	if (draft->host) {
		pg->threshold = tables_unlimited(POOL_INGRESS_LOSSY, 0);
		return;
	}
	if (t->credits != NULL) {
		tables_set_lane_group(draft, pg, index, port);
		return;
	}
	pg->threshold = tables_threshold(t, &group->limit, group->pool, group->reserved_bytes);
	pg->lossless = group->lossless;
	if (!group->lossless)
		return;
	pg->headroom = tables_cells_up(t, headroom_bytes(draft, group, port));
	pg->xon = tables_cells_down(t, group->xon_bytes);
	pg->xon_by_offset = group->xon_offset.kind == CONFIG_AMOUNT_BYTES;
	pg->xon_offset = pg->xon_by_offset ? tables_cells_down(t, group->xon_offset.value) : 0;
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (t->priority_to_pg[p] == index)
			pg->pfc_priorities |= paused_priorities(draft->settings) &
					      (uint8_t)(1u << p);
}

static void
set_watchdog(const struct config_watchdog *watchdog, struct port_profile *profile)
{
	_Static_assert((int)CONFIG_WATCHDOG_FORWARD == (int)WATCHDOG_FORWARD &&
			       (int)CONFIG_WATCHDOG_ALERT == (int)WATCHDOG_ALERT,
		       "actions are numbered alike");
	if (watchdog->on)
		profile->watchdog = (struct watchdog_profile){
			.on = true,
			.detect = watchdog->detect_ps,
			.restore = watchdog->restore_ps,
			.action = (uint8_t)watchdog->action,
			.flush = watchdog->flush,
			.ingress = watchdog->ingress,
		};
}

// draft->settings are those of the port.
static int
set_profile(struct tables_draft *draft, struct port_profile *profile, const struct topo_port *port)
{
	const struct config_framing *framing = &draft->topology->config->fabric.framing;
	const struct switch_config *settings = draft->settings;

	for (unsigned i = 0; i < PRIORITIES; i++)
		set_group(draft, &profile->pg[i], i, port);
	profile->byte_time = port->rate_bps != 0 ? time_byte_time(port->rate_bps) : 0;
	if (draft->t->utilisation)
		profile->busy_bytes =
			tables_busy_bytes(port->rate_bps, settings->routing.utilisation_ppm);
	profile->preamble = framing->preamble_bytes;
	profile->fcs = framing->fcs_bytes;
	profile->gap = framing->gap_bytes;
	profile->mtu = port->mtu;
	profile->obeyed = obeyed_priorities(settings);
	profile->link_pause = settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE;
	profile->credits = draft->t->credits != NULL;
	tables_set_classification(settings, profile);
	if (!draft->host) {
		tables_set_remark(settings, profile);
		set_watchdog(&settings->watchdog, profile);
	}
	if (tables_set_classes(draft, profile, port) != 0)
		return -EINVAL;
	return tables_set_pauses(draft, profile, port);
}

// Adds the profile of a port, by its own settings.
static int
add_profile(struct tables_draft *draft, const struct topo_port *port)
{
	const struct switch_config *all = draft->settings;
	struct port_profile *profile = &draft->t->profiles[draft->t->profile_count++];
	struct switch_config own;
	int error;

	draft->settings = config_port_settings(all, tables_find_override(draft, port), &own);
	error = set_profile(draft, profile, port);
	draft->settings = all;
	return error;
}

static bool
same_profile(const struct tables_draft *draft, const struct topo_port *a, const struct topo_port *b)
{
	return a->rate_bps == b->rate_bps && a->cable_mm == b->cable_mm &&
	       a->delay_ps == b->delay_ps && a->mtu == b->mtu &&
	       (draft->settings->port_count == 0 ||
		config_same_port(tables_find_override(draft, a), tables_find_override(draft, b)));
}

static bool
knows_tenants(const struct topo_node *node)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (node->ports[p].tenant != TENANT_NONE)
			return true;
	return false;
}

// What is behind the ports of a lone switch is not in the file: a tenant's port is a host's, any
// other may be a switch's.
static bool
is_inner(const struct topology *t, const struct topo_port *port)
{
	if (topology_is_single(t))
		return port->tenant == TENANT_NONE;
	return port->peer_node != TOPOLOGY_NONE && port->peer_node < t->first_host;
}

// Between switches the underlay, or the VRF that replaces it while tenants change.
static uint16_t
vrf_of(const struct topology *t, const struct topo_port *port)
{
	if (!is_inner(t, port) || port->vrf != TOPOLOGY_VRF_DEFAULT)
		return port->vrf;
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (t->vrfs[v].leaving && t->vrfs[v].encap == CONFIG_ENCAP_PLAIN)
			return v;
	return port->vrf;
}

uint32_t
tables_busy_bytes(uint64_t rate_bps, uint32_t utilisation_ppm)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint32_t)((wide)rate_bps * UTILISATION_WINDOW * utilisation_ppm /
			  ((wide)8 * PS_PER_S * CONFIG_PPM));
}

// Gives back the room for profiles that ports share.
static void
trim_profiles(struct tables *t)
{
	const struct port_profile *had = t->profiles;

	t->profiles = memory_copy(had, t->profile_count, sizeof(*t->profiles), "port profiles");
	for (uint16_t p = 0; p < t->port_count; p++)
		t->ports[p].profile = &t->profiles[t->ports[p].profile - had];
	free((void *)had);
}

int
tables_add_profiles(struct tables_draft *draft)
{
	const struct topo_node *node = draft->node;
	struct tables *t = draft->t;
	int error = 0;

	// As many profiles as ports at most: they must not move while ports refer to them.
	t->profiles = memory_array(node->port_count, sizeof(*t->profiles), "port profiles");
	t->ports = memory_array(node->port_count, sizeof(*t->ports), "ports");
	t->port_count = node->port_count;
	draft->tenants = !draft->host &&
			 (knows_tenants(node) || tables_tenants_cross(draft, TENANT_NONE));
	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *port = &node->ports[p];
		uint16_t like = 0;

		while (!same_profile(draft, port, &node->ports[like]))
			like++;
		if (like == p && add_profile(draft, port) != 0)
			error = -EINVAL;
		t->ports[p].profile = like == p ? &t->profiles[t->profile_count - 1]
						: t->ports[like].profile;
		memcpy(t->ports[p].mac, port->mac, 6);
		t->ports[p].vrf = draft->host ? 0 : vrf_of(draft->topology, port);
		t->ports[p].tenant = draft->host ? TENANT_NONE : port->tenant;
		t->ports[p].inner = !draft->host && is_inner(draft->topology, port);
		t->ports[p].edge = !draft->host &&
				   !routes_leads_on(draft->topology, draft->node_index, p);
		// Where tunnels and tenants' VLANs end.
		t->ports[p].underlay = !draft->host && port->vrf == TOPOLOGY_VRF_DEFAULT &&
				       routes_leads_on(draft->topology, draft->node_index, p);
	}
	trim_profiles(t);
	return error;
}
