// SPDX-License-Identifier: BSD-3-Clause
// A pause lasts for so many quanta of 512 bit times at the port's rate, and is refreshed while it
// is still needed. The refresh may wait behind the longest frame. If the pause expires before that,
// or lasts no time at all, the other end goes on sending into headroom that is meant only for
// packets already on the way.
#include "advice_internal.h"

#include "control/model/tables/build.h"

static bool
sends_pauses(const struct port_profile *profile)
{
	for (unsigned g = 0; g < PRIORITIES; g++)
		if (profile->pg[g].pfc_priorities != 0)
			return true;
	return false;
}

static void
check_port(const struct fabric *f, uint32_t node, uint16_t port, struct advice_findings *all)
{
	const struct port_profile *profile = f->tables[node]->ports[port].profile;
	ps_t lasts = time_of_bytes(profile->quantum_time, profile->quanta);
	ps_t wait = tables_pause_wait(profile);
	char name[TOPOLOGY_NAME_MAX], refresh[CONFIG_TEXT];
	struct diag_pos pos;

	if (!sends_pauses(profile) ||
	    (profile->refresh < lasts && wait <= lasts - profile->refresh))
		return;
	pos = advice_pos(f, node, ADVICE_LAST_IN_FILE, "qos.pfc.quanta qos.pfc.refresh");
	topology_port_name(f->topology, node, port, name);
	if (profile->quanta == 0)
		advice_note(all, pos, "qos.pfc.quanta", name,
			    "a pause of 0 quanta ends a pause: senders to @ are never paused");
	else
		advice_note(all, pos, "qos.pfc.refresh", name,
			    "a pause of %u quanta sent by @ lasts %.3f us but is sent again only "
			    "after %s, up to %.3f us later behind a frame of MTU %u: senders "
			    "resume in between",
			    (unsigned)profile->quanta, (double)lasts / PS_PER_US,
			    config_duration_text(profile->refresh, refresh),
			    (double)wait / PS_PER_US, profile->mtu);
}

void
advice_short_pauses(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {.one = "port", .many = "ports"};

	for (uint32_t n = 0; n < f->topology->first_host; n++)
		for (uint16_t p = 0; p < f->topology->nodes[n].port_count; p++)
			check_port(f, n, p, &all);
	advice_report(&all, f, diag);
}
