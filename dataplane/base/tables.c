// SPDX-License-Identifier: BSD-3-Clause
#include "tables.h"

#include <stdlib.h>

void
tunnel_tables_destroy(struct tunnel_tables *t)
{
	if (t == NULL)
		return;
	free(t->vnis);
	free(t->vids);
	free(t->encaps);
	free(t);
}

void
stale_hosts_destroy(struct stale_hosts *stale)
{
	if (stale == NULL)
		return;
	free(stale->hosts);
	free(stale);
}

void
tables_destroy(struct tables *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; i < t->vrf_count; i++) {
		lpm_destroy(t->vrfs[i].ip4);
		lpm_destroy(t->vrfs[i].ip6);
		lpm_destroy(t->vrfs[i].loopbacks4.trie);
		lpm_destroy(t->vrfs[i].loopbacks6.trie);
		free(t->vrfs[i].loopbacks4.groups);
		free(t->vrfs[i].loopbacks6.groups);
	}
	pins_destroy(t->pins);
	tunnel_tables_destroy(t->tunnels);
	free(t->ipip);
	free(t->credits);
	free(t->llr);
	stale_hosts_destroy(t->stale_hosts);
	free(t->answers.link_local);
	free(t->vrfs);
	free(t->lids);
	free(t->groups);
	free(t->next_hops);
	free(t->tenants);
	free(t->histograms);
	free(t->profiles);
	free(t->ports);
	free(t);
}
