// SPDX-License-Identifier: BSD-3-Clause
#include "result.h"

#include <stdio.h>
#include <string.h>

bool
report_tier(const struct report_node *n, unsigned int port, char text[static REPORT_TIER_MAX])
{
	const struct report_port *p = &n->ports[port];

	if (n->kind == NULL || p->peer == NULL || p->peer_kind == NULL)
		return false;
	snprintf(text, REPORT_TIER_MAX, "%s-%s", n->kind, p->peer_kind);
	return true;
}

uint64_t
report_wire_bytes(const struct report_node *n, unsigned int port)
{
	const struct port *p = &n->node->ports[port];
	const struct port_profile *profile = report_profile(n, port);

	return profile == NULL ? p->tx_bytes : report_framed_bytes(p, profile);
}

double
report_load(const struct report_node *n, unsigned int port, ps_t time)
{
	const struct port_profile *profile = report_profile(n, port);

	if (profile == NULL || time == 0)
		return 0;
	return (double)report_wire_bytes(n, port) * (double)profile->byte_time /
	       (double)(1u << BYTE_TIME_FRACTION_BITS) / (double)time;
}

static struct report_tier_loads *
find_tier(struct report_tier_loads *tiers, unsigned int *count, unsigned int room, const char *name)
{
	for (unsigned int i = 0; i < *count; i++)
		if (strcmp(tiers[i].name, name) == 0)
			return &tiers[i];
	if (*count == room)
		return NULL;
	tiers[*count] = (struct report_tier_loads){.links = 0};
	snprintf(tiers[*count].name, REPORT_TIER_MAX, "%s", name);
	return &tiers[(*count)++];
}

static void
add_load(struct report_tier_loads *tier, const struct report_node *n, unsigned int port,
	 double load)
{
	if (tier->links == 0 || load < tier->min) {
		tier->min = load;
		tier->min_node = n;
		tier->min_port = port;
	}
	if (tier->links == 0 || load > tier->max) {
		tier->max = load;
		tier->max_node = n;
		tier->max_port = port;
	}
	tier->sum += load;
	tier->links++;
}

unsigned int
report_tiers(const struct report_node *nodes, unsigned int count, ps_t time,
	     struct report_tier_loads *out, unsigned int room)
{
	unsigned int tiers = 0;

	for (unsigned int i = 0; i < count; i++)
		for (unsigned int k = 0; k < nodes[i].node->port_count; k++) {
			struct report_tier_loads *tier;
			char name[REPORT_TIER_MAX];

			if (!report_tier(&nodes[i], k, name))
				continue;
			tier = find_tier(out, &tiers, room, name);
			if (tier != NULL)
				add_load(tier, &nodes[i], k, report_load(&nodes[i], k, time));
		}
	return tiers;
}
