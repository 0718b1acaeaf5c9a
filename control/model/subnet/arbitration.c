// SPDX-License-Identifier: BSD-3-Clause
#include "arbitration.h"

#define WEIGHT_MAX 255

static void
add(struct config_lane_table *table, unsigned lane, uint32_t weight)
{
	table->lanes[table->count] = (uint8_t)lane;
	table->weights[table->count++] = (uint8_t)weight;
}

static bool
is_strict(const struct switch_config *settings, unsigned lane)
{
	return settings->classes[lane].scheduler == CONFIG_SCHEDULER_STRICT;
}

static uint32_t
largest_weight(const struct switch_config *settings, unsigned used)
{
	uint32_t most = 1;

	for (unsigned lane = 0; lane < CONFIG_PRIORITIES; lane++)
		if (used >> lane & 1 && !is_strict(settings, lane) &&
		    settings->classes[lane].weight > most)
			most = settings->classes[lane].weight;
	return most;
}

static uint32_t
scale(uint32_t weight, uint32_t most)
{
	const uint32_t scaled = (weight * WEIGHT_MAX + most / 2) / most;

	return scaled != 0 ? scaled : 1;
}

static void
describe_schedulers(struct subnet_arbitration *out, const struct switch_config *settings, bool nic)
{
	const unsigned used = config_used_classes(settings);
	const uint32_t most = largest_weight(settings, used);

	*out = (struct subnet_arbitration){0};
	for (unsigned i = 0; i < CONFIG_PRIORITIES; i++) {
		const unsigned last = CONFIG_PRIORITIES - 1 - i;

		if (used >> last & 1 && is_strict(settings, last))
			add(&out->high, last, WEIGHT_MAX);
		if (used >> i & 1 && !is_strict(settings, i))
			add(&out->low, i, nic ? 1 : scale(settings->classes[i].weight, most));
	}
	out->limit = out->high.count != 0 ? LANE_LIMIT_UNLIMITED : 0;
}

void
subnet_arbitration_of_switch(struct subnet_arbitration *out, const struct switch_config *settings)
{
	const struct config_credit *credit = &settings->credit;

	if (!config_has_credits(settings->flow_control) ||
	    (credit->high.count == 0 && credit->low.count == 0)) {
		describe_schedulers(out, settings, false);
		return;
	}
	out->high = credit->high;
	out->low = credit->low;
	out->limit = credit->limit_unlimited ? LANE_LIMIT_UNLIMITED : (uint8_t)credit->limit;
}

void
subnet_arbitration_of_nic(struct subnet_arbitration *out, const struct switch_config *settings)
{
	describe_schedulers(out, settings, true);
}
