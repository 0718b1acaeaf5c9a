// SPDX-License-Identifier: BSD-3-Clause
// A CNP that waits behind paused data arrives when the congestion that it reports has already
// spread. So at every switch on its way its class must be one that no priority with PFC maps to.
#include "advice_internal.h"

// The priorities for which some switch sends PFC.
static uint8_t
sent_anywhere(const struct fabric *f)
{
	uint8_t sent = 0;

	for (uint32_t n = 0; n < f->topology->first_host; n++)
		if (f->switches[n].flow_control != CONFIG_FLOW_CONTROL_PAUSE &&
		    f->tables[n]->credits == NULL)
			sent |= advice_lossless_somewhere(f->tables[n]);
	return sent;
}

// Packets that share a class with packets that PFC pauses.
struct held {
	uint16_t port; // by which they arrive
	unsigned priority;
	unsigned paused; // the other priority
};

// Whether the switch holds packets with this DSCP from one of its ports.
static bool
is_held(const struct tables *t, uint8_t dscp, uint8_t sent, struct held *held)
{
	for (uint16_t p = 0; p < t->port_count; p++) {
		const struct port_profile *profile = t->ports[p].profile;
		unsigned priority = advice_priority(profile, dscp);
		uint8_t paused = t->tc_priorities[t->priority_to_tc[priority]] & profile->obeyed &
				 sent;

		if (paused == 0)
			continue;
		*held = (struct held){p, priority, (unsigned)__builtin_ctz(paused)};
		return true;
	}
	return false;
}

// The position of the setting that causes it: of the host, or of the switch.
static struct diag_pos
find_pos(const struct fabric *f, uint32_t host, uint32_t node, const struct held *held)
{
	struct diag_pos pos = advice_host_pos(f, host, "cnp.dscp");

	if (pos.line != 0)
		return pos;
	return advice_later(advice_pos(f, node, ADVICE_LAST_IN_FILE,
				       "qos.priority-to-tc.%u qos.priority-to-tc.%u "
				       "qos.pfc.priorities qos.flow-control",
				       held->priority, held->paused),
			    advice_map_pos(f, node, held->port, f->hosts[host].cnp_dscp));
}

static void
check_dscp(const struct fabric *f, uint32_t host, uint8_t sent, struct diag *diag)
{
	uint8_t dscp = f->hosts[host].cnp_dscp;
	struct held held = {0};
	uint32_t first = 0, count = 0;
	char others[ADVICE_OTHERS];

	for (uint32_t n = f->topology->first_host; n-- > 0;) {
		if (!is_held(f->tables[n], dscp, sent, &held))
			continue;
		first = n;
		count++;
	}
	if (count == 0)
		return;
	diag_warning(diag, f->config->file, find_pos(f, host, first, &held), "hosts.cnp.dscp",
		     "CNPs (DSCP %u of %s) are priority %u on %s%s, in class %u, which PFC of "
		     "priority %u pauses",
		     dscp, topology_host(f->topology, host)->name, held.priority,
		     f->topology->nodes[first].name,
		     advice_others(count - 1, "switch", "switches", others),
		     f->tables[first]->priority_to_tc[held.priority], held.paused);
}

void
advice_paused_cnp(const struct fabric *f, struct diag *diag)
{
	uint8_t sent = sent_anywhere(f);
	uint64_t seen = 0;

	for (uint32_t h = 0; h < f->topology->host_count; h++) {
		uint64_t bit = UINT64_C(1) << (f->hosts[h].cnp_dscp & 63);

		if (f->hosts[h].transport != NIC_TRANSPORT_ROCE)
			continue; // it sends none
		if (!(seen & bit))
			check_dscp(f, h, sent, diag);
		seen |= bit;
	}
}
