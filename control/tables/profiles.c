// SPDX-License-Identifier: BSD-3-Clause
// What a port does: its thresholds, its PFC, its scheduler and its classification. Ports of one
// rate, length and MTU do the same, so they share a profile.
#include "headroom.h"
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QUANTUM_SMALLEST 4608 // bytes a DWRR round: a packet of path MTU 4096 fits each turn
#define QUANTUM_BYTES 64      // of a pause: 512 bit times
#define SLOPE_ONE (UINT64_C(1) << 56)
// What stands for the rate of a port that is as fast as its device takes, where a time is needed.
#define DEVICE_RATE_BPS UINT64_C(100000000000)

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

static struct threshold
threshold(const struct tables *t, const struct config_limit *limit, enum config_pool pool,
	  uint64_t reserved_bytes)
{
	static const enum pool_id pools[CONFIG_POOLS] = {
		[CONFIG_POOL_INGRESS_LOSSLESS] = POOL_INGRESS_LOSSLESS,
		[CONFIG_POOL_INGRESS_LOSSY] = POOL_INGRESS_LOSSY,
		[CONFIG_POOL_EGRESS_LOSSLESS] = POOL_EGRESS_LOSSLESS,
		[CONFIG_POOL_EGRESS_LOSSY] = POOL_EGRESS_LOSSY,
	};
	uint32_t reserved = tables_cells_up(t, reserved_bytes);
	struct threshold result = tables_unlimited(pools[pool], reserved);

	if (limit->kind == CONFIG_LIMIT_ALPHA)
		return tables_alpha(pools[pool], reserved, limit->shift);
	if (limit->kind == CONFIG_LIMIT_STATIC)
		result.fixed = limit->static_bytes / t->cell;
	else if (limit->kind == CONFIG_LIMIT_ZERO)
		result.fixed = 0;
	return result;
}

static uint64_t
headroom_bytes(const struct tables_draft *draft, const struct config_group *group,
	       const struct topo_port *port)
{
	const struct config_framing *framing = &draft->topology->config->fabric.framing;
	const struct headroom_input in = {
		.rate_bps = port->rate_bps != 0 ? port->rate_bps : DEVICE_RATE_BPS,
		.cable_mm = port->cable_mm,
		.mtu = port->mtu,
		.lossless_mtu = HEADROOM_LOSSLESS_MTU,
		.small_packets_ppm = HEADROOM_SMALL_PACKETS_PPM,
		.cell = draft->t->cell,
	};
	uint64_t formula, needed;

	if (group->headroom.kind == CONFIG_AMOUNT_BYTES)
		return group->headroom.value;
	formula = headroom_formula(&in);
	needed = headroom_needed(&in, port->delay_ps, draft->settings->latency_ps,
				 framing->preamble_bytes + framing->fcs_bytes + framing->gap_bytes);
	return formula > needed ? formula : needed;
}

static uint8_t
paused_priorities(const struct switch_config *settings)
{
	return settings->flow_control == CONFIG_FLOW_CONTROL_PFC ||
			       settings->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC
		       ? settings->pfc_priorities
		       : 0;
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
	pg->threshold = threshold(t, &group->limit, group->pool, group->reserved_bytes);
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

static struct ecn_profile
ecn_profile(const struct tables *t, const struct config_ecn *ecn)
{
	__extension__ typedef unsigned __int128 wide;
	struct ecn_profile e = {
		.enabled = ecn->on,
		.min = tables_cells_down(t, ecn->min_bytes),
		.max = tables_cells_down(t, ecn->max_bytes),
		.cell = t->cell,
		.min_bytes = ecn->min_bytes,
	};

	if (ecn->max_bytes > ecn->min_bytes)
		e.slope = (uint64_t)((wide)SLOPE_ONE * ecn->probability_ppm / CONFIG_PPM /
				     (ecn->max_bytes - ecn->min_bytes));
	return e;
}

// The class whose scheduler a queue has: a NIC's queue is a priority.
static const struct config_class *
class_of(const struct tables_draft *draft, unsigned tc)
{
	return &draft->settings->classes[draft->host ? draft->settings->priority_to_class[tc] : tc];
}

static uint32_t
weight_of(const struct config_class *class)
{
	return class->weight != 0 ? class->weight : 1;
}

static uint32_t
common_divisor(uint32_t a, uint32_t b)
{
	return b == 0 ? a : common_divisor(b, a % b);
}

// Quanta stand to each other exactly as the weights do, the smallest at QUANTUM_SMALLEST or little
// above.
static void
set_quanta(const struct tables_draft *draft, struct port_profile *profile)
{
	uint32_t divisor = 0, least = UINT32_MAX, unit;

	for (unsigned tc = 0; tc < PRIORITIES; tc++) {
		const struct config_class *class = class_of(draft, tc);

		if (class->scheduler == CONFIG_SCHEDULER_STRICT) {
			profile->strict |= (uint8_t)(1u << tc);
			continue;
		}
		divisor = common_divisor(weight_of(class), divisor);
		least = weight_of(class) < least ? weight_of(class) : least;
	}
	if (divisor == 0)
		return;
	least /= divisor;
	unit = (QUANTUM_SMALLEST + least - 1) / least;
	for (unsigned tc = 0; tc < PRIORITIES; tc++)
		if (!(profile->strict & 1u << tc))
			profile->tc[tc].quantum = weight_of(class_of(draft, tc)) / divisor * unit;
}

static void
set_classes(const struct tables_draft *draft, struct port_profile *profile)
{
	for (unsigned tc = 0; tc < PRIORITIES; tc++) {
		const struct config_class *class = &draft->settings->classes[tc];

		if (draft->host) {
			profile->tc[tc].threshold = tables_unlimited(POOL_EGRESS_LOSSY, 0);
			continue;
		}
		profile->tc[tc].threshold =
			threshold(draft->t, &class->limit, class->pool, class->reserved_bytes);
		profile->tc[tc].ecn = ecn_profile(draft->t, &class->ecn);
	}
	set_quanta(draft, profile);
}

static void
set_pause(const struct switch_config *settings, struct port_profile *profile)
{
	uint64_t byte_time = profile->byte_time != 0 ? profile->byte_time
						     : time_byte_time(DEVICE_RATE_BPS);

	profile->obeyed = settings->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC
				  ? 0xff
				  : paused_priorities(settings);
	profile->quanta = settings->pfc_quanta;
	profile->quantum_time = byte_time * QUANTUM_BYTES;
	profile->refresh = settings->pfc_refresh_ps;
	if (settings->pfc_refresh_auto)
		profile->refresh =
			time_of_bytes(byte_time, (uint64_t)settings->pfc_quanta * QUANTUM_BYTES) /
			2;
	// A pause of no length has no expiry to come before.
	if (profile->refresh == 0)
		profile->refresh = PS_NEVER / 2;
}

static void
set_classification(const struct switch_config *settings, struct port_profile *profile)
{
	memcpy(profile->dscp_to_priority, settings->dscp_to_priority,
	       sizeof(profile->dscp_to_priority));
	memcpy(profile->pcp_to_priority, settings->pcp_to_priority,
	       sizeof(profile->pcp_to_priority));
	profile->port_priority = settings->port_priority;
	for (unsigned i = 0; i < settings->trust_count; i++) {
		profile->trust_dscp |= settings->trust[i] == CONFIG_TRUST_DSCP;
		profile->trust_pcp |= settings->trust[i] == CONFIG_TRUST_PCP;
	}
	profile->pcp_first = settings->trust_count > 0 && settings->trust[0] == CONFIG_TRUST_PCP;
}

static void
set_profile(const struct tables_draft *draft, struct port_profile *profile,
	    const struct topo_port *port)
{
	const struct config_framing *framing = &draft->topology->config->fabric.framing;

	for (unsigned i = 0; i < PRIORITIES; i++)
		set_group(draft, &profile->pg[i], i, port);
	set_classes(draft, profile);
	profile->byte_time = port->rate_bps != 0 ? time_byte_time(port->rate_bps) : 0;
	profile->preamble = framing->preamble_bytes;
	profile->fcs = framing->fcs_bytes;
	profile->gap = framing->gap_bytes;
	profile->mtu = port->mtu;
	set_pause(draft->settings, profile);
	set_classification(draft->settings, profile);
}

static bool
same_profile(const struct topo_port *a, const struct topo_port *b)
{
	return a->rate_bps == b->rate_bps && a->cable_mm == b->cable_mm &&
	       a->delay_ps == b->delay_ps && a->mtu == b->mtu;
}

int
tables_add_profiles(struct tables_draft *draft)
{
	const struct topo_node *node = draft->node;
	struct tables *t = draft->t;

	// As many profiles as ports at the most: they must not move once ports refer to them.
	t->profiles = calloc(node->port_count, sizeof(*t->profiles));
	t->ports = calloc(node->port_count, sizeof(*t->ports));
	if (t->profiles == NULL || t->ports == NULL)
		return -ENOMEM;
	t->port_count = node->port_count;
	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *port = &node->ports[p];
		uint16_t like = 0;

		while (!same_profile(port, &node->ports[like]))
			like++;
		if (like == p)
			set_profile(draft, &t->profiles[t->profile_count++], port);
		t->ports[p].profile = like == p ? &t->profiles[t->profile_count - 1]
						: t->ports[like].profile;
		memcpy(t->ports[p].mac, port->mac, 6);
		t->ports[p].vrf = draft->host ? 0 : port->vrf;
		t->ports[p].tenant = draft->host ? TENANT_NONE : port->tenant;
	}
	return 0;
}
