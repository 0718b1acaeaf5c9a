// SPDX-License-Identifier: BSD-3-Clause
// A CNP that waits behind paused data comes when the congestion it tells of has spread already. Its
// class must be one that no priority with PFC maps to, at every switch that it passes.
#include "part.h"

#include <stdio.h>

// The priorities for which some switch sends PFC.
static uint8_t
sent_anywhere(const struct fabric *f)
{
	uint8_t sent = 0;

	for (uint32_t n = 0; n < f->topology->first_host; n++)
		if (f->switches[n].flow_control != CONFIG_FLOW_CONTROL_PAUSE)
			sent |= advice_lossless(&f->switches[n]);
	return sent;
}

// A priority whose pause holds packets with this DSCP at one of the switch's ports, or -1;
// *priority: theirs.
static int
held_by(const struct tables *t, uint8_t dscp, uint8_t sent, unsigned *priority)
{
	for (uint32_t i = 0; i < t->profile_count; i++) {
		const struct port_profile *profile = &t->profiles[i];
		uint8_t held;

		*priority = profile->trust_dscp ? profile->dscp_to_priority[dscp]
						: profile->port_priority;
		held = t->tc_priorities[t->priority_to_tc[*priority]] & profile->obeyed & sent;
		if (held != 0)
			return __builtin_ctz(held);
	}
	return -1;
}

static void
look_at_dscp(const struct fabric *f, uint32_t host, uint8_t sent, struct config_diag *diag)
{
	uint8_t dscp = f->hosts[host].cnp_dscp;
	unsigned priority = 0;
	uint32_t first = 0, count = 0;
	char others[ADVICE_OTHERS];

	for (uint32_t n = f->topology->first_host; n-- > 0;) {
		if (held_by(f->tables[n], dscp, sent, &priority) < 0)
			continue;
		first = n;
		count++;
	}
	if (count == 0)
		return;
	config_warning(diag, f->config->file, (struct config_pos){0}, "hosts.cnp.dscp",
		       "CNPs (DSCP %u of %s) are priority %u on %s%s, in class %u, which PFC of "
		       "priority %d pauses",
		       dscp, topology_host(f->topology, host)->name, priority,
		       f->topology->nodes[first].name,
		       advice_others(count - 1, "switch", "switches", others),
		       f->tables[first]->priority_to_tc[priority],
		       held_by(f->tables[first], dscp, sent, &priority));
}

int
advice_cnp(const struct fabric *f, struct config_diag *diag)
{
	uint8_t sent = sent_anywhere(f);
	uint64_t seen = 0;

	for (uint32_t h = 0; h < f->topology->host_count; h++) {
		uint64_t bit = UINT64_C(1) << (f->hosts[h].cnp_dscp & 63);

		if (!(seen & bit))
			look_at_dscp(f, h, sent, diag);
		seen |= bit;
	}
	return 0;
}
