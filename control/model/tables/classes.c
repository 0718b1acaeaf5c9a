// SPDX-License-Identifier: BSD-3-Clause
// A port's queues: thresholds, marking, the scheduler's weights, and the rates that queues and the
// port are held to or promised. A NIC's queues have the scheduler of their class and nothing else:
// its buffer is unlimited and it marks nothing.
#include "build_internal.h"

#define QUANTUM_SMALLEST 4608 // bytes a DWRR round: a packet of path MTU 4096 fits each turn
#define SLOPE_ONE (UINT64_C(1) << 56)
#define ETHERNET_BYTES 14

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

// Quanta are in exactly the ratio of the weights; the smallest is QUANTUM_SMALLEST or little above.
static void
set_quanta(const struct tables_draft *draft, struct port_profile *profile)
{
	uint64_t divisor = 0, least = UINT32_MAX, unit;

	for (unsigned tc = 0; tc < PRIORITIES; tc++) {
		const struct config_class *class = class_of(draft, tc);

		if (class->scheduler == CONFIG_SCHEDULER_STRICT) {
			profile->strict |= (uint8_t)(1u << tc);
			continue;
		}
		divisor = tables_common_divisor(weight_of(class), divisor);
		least = weight_of(class) < least ? weight_of(class) : least;
	}
	if (divisor == 0)
		return;
	least /= divisor;
	unit = (QUANTUM_SMALLEST + least - 1) / least;
	for (unsigned tc = 0; tc < PRIORITIES; tc++)
		if (!(profile->strict & 1u << tc))
			profile->tc[tc].quantum =
				(uint32_t)(weight_of(class_of(draft, tc)) / divisor * unit);
}

struct rate_profile
tables_rate(uint64_t rate_bps, uint32_t mtu)
{
	struct rate_profile rate = {0};

	if (rate_bps == 0)
		return rate;
	rate.byte_time = time_byte_time(rate_bps);
	rate.burst = time_of_bytes(rate.byte_time, mtu + ETHERNET_BYTES);
	return rate;
}

static void
set_rates(const struct config_class *class, struct port_profile *profile, unsigned tc)
{
	struct tc_profile *p = &profile->tc[tc];

	p->min_rate = tables_rate(class->min_rate_bps, profile->mtu);
	p->max_rate = tables_rate(class->max_rate_bps, profile->mtu);
	if (class->min_rate_bps != 0)
		profile->min_rated |= (uint8_t)(1u << tc);
	if (class->max_rate_bps != 0)
		profile->max_rated |= (uint8_t)(1u << tc);
}

// What is promised must be there to give.
static int
check_promises(struct tables_draft *draft, const struct topo_port *port)
{
	uint64_t port_max_rate_bps = draft->settings->port_max_rate_bps;
	uint64_t rate = port->rate_bps, promised = 0;
	char asked[CONFIG_TEXT], there[CONFIG_TEXT];
	struct config_error_origin cause = {0};
	unsigned promises = 0;

	if (port_max_rate_bps != 0 && (rate == 0 || port_max_rate_bps < rate))
		rate = port_max_rate_bps;
	for (unsigned tc = 0; tc < PRIORITIES; tc++) {
		promised += draft->settings->classes[tc].min_rate_bps;
		promises += draft->settings->classes[tc].min_rate_bps != 0;
	}
	if (rate == 0 || promised <= rate)
		return 0;
	for (unsigned tc = 0; tc < PRIORITIES; tc++)
		if (draft->settings->classes[tc].min_rate_bps != 0)
			tables_blame(draft, &cause, "qos.tc.%u.min-rate", tc);
	return tables_report(draft, false, cause.mark.pos, cause.key,
			     "%s promised to %u %s are more than the %s of %s%s",
			     config_rate_text(promised, asked), promises,
			     promises == 1 ? "class" : "classes", config_rate_text(rate, there),
			     port->name, rate != port->rate_bps ? " (its max-rate)" : "");
}

int
tables_set_classes(struct tables_draft *draft, struct port_profile *profile,
		   const struct topo_port *port)
{
	const struct switch_config *settings = draft->settings;

	set_quanta(draft, profile);
	for (unsigned tc = 0; tc < PRIORITIES; tc++) {
		const struct config_class *class = &settings->classes[tc];
		struct tc_profile *p = &profile->tc[tc];

		if (draft->host) {
			p->threshold = tables_unlimited(POOL_EGRESS_LOSSY, 0);
			continue;
		}
		p->threshold = tables_threshold(draft->t, &class->limit, class->pool,
						class->reserved_bytes);
		if (draft->t->credits != NULL) // lanes have receive buffers instead
			p->threshold = tables_unlimited(POOL_EGRESS_LOSSLESS, 0);
		p->ecn = ecn_profile(draft->t, &class->ecn);
		p->red = class->red;
		// Where no tenant is known all packets would wait in one line anyway.
		p->fair = class->tenant_fairness && draft->tenants;
		if (p->fair)
			profile->fair |= (uint8_t)(1u << tc);
		set_rates(class, profile, tc);
	}
	if (draft->host)
		return 0;
	profile->max_rate = tables_rate(settings->port_max_rate_bps, profile->mtu);
	return check_promises(draft, port);
}
