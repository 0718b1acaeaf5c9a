// SPDX-License-Identifier: BSD-3-Clause
// A pause holds for so many quanta of 512 bit times at the port's rate and is sent again while it
// is still wanted. One that has run out by then, or that lasts no time at all, lets the other end
// go on sending into headroom that was meant for what is on the way only.
#include "advice_internal.h"

#include <stdio.h>
#include <stdlib.h>

// Of a finding: quanta, how long they last and after how long they are sent again, in ps.
enum { QUANTA, LASTS, REFRESH };

static bool
sends_pauses(const struct port_profile *profile)
{
	for (unsigned g = 0; g < PRIORITIES; g++)
		if (profile->pg[g].pfc_priorities != 0)
			return true;
	return false;
}

static int
check_switch(const struct fabric *f, uint32_t node, struct advice_findings *all)
{
	const struct tables *t = f->tables[node];
	int rc = 0;

	for (uint16_t p = 0; rc == 0 && p < f->topology->nodes[node].port_count; p++) {
		const struct port_profile *profile = t->ports[p].profile;
		struct advice_finding one = {
			.figures = {profile->quanta,
				    time_of_bytes(profile->quantum_time, profile->quanta),
				    profile->refresh},
			.first = {.node = node, .port = p},
		};

		if (!sends_pauses(profile) || one.figures[REFRESH] < one.figures[LASTS])
			continue;
		one.pos = advice_last(f, node, "qos.pfc.quanta qos.pfc.refresh");
		rc = advice_add_finding(all, &one);
	}
	return rc;
}

static void
report(const struct fabric *f, const struct advice_finding *one, struct diag *diag)
{
	char name[TOPOLOGY_NAME_MAX], others[ADVICE_OTHERS], refresh[CONFIG_TEXT];

	topology_port_name(f->topology, one->first.node, one->first.port, name);
	advice_others(one->others, "port", "ports", others);
	if (one->figures[QUANTA] == 0)
		diag_warning(diag, f->config->file, one->pos, "qos.pfc.quanta",
			     "a pause of 0 quanta ends a pause: senders to %s%s are never paused",
			     name, others);
	else
		diag_warning(
			diag, f->config->file, one->pos, "qos.pfc.refresh",
			"a pause of %u quanta sent by %s%s lasts %.3f us but is sent again only "
			"after %s: senders resume in between",
			(unsigned)one->figures[QUANTA], name, others,
			(double)one->figures[LASTS] / 1e6,
			config_duration_text(one->figures[REFRESH], refresh));
}

int
advice_short_pauses(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {0};
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < f->topology->first_host; n++)
		rc = check_switch(f, n, &all);
	for (uint32_t i = 0; rc == 0 && i < all.count; i++)
		report(f, &all.items[i], diag);
	free(all.items);
	return rc;
}
