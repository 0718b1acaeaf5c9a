// SPDX-License-Identifier: BSD-3-Clause
#include "result.h"

#include "dataplane/base/credit.h"

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

ps_t
report_credit_wait(const struct report_node *n, unsigned int port, ps_t now)
{
	const struct credits *c = n->node->ports[port].credits;
	ps_t sum = 0;

	for (unsigned int i = 0; c != NULL && i < PRIORITIES; i++)
		sum += pause_clock_total(&c->lanes[i].wait, now);
	return sum;
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
find_tier(struct report_tiers *t, const char *name)
{
	for (unsigned int i = 0; i < t->count; i++)
		if (strcmp(t->tiers[i].name, name) == 0)
			return &t->tiers[i];
	if (t->count == REPORT_TIERS_MAX)
		return NULL;
	t->tiers[t->count] = (struct report_tier_loads){.links = 0};
	snprintf(t->tiers[t->count].name, REPORT_TIER_MAX, "%s", name);
	return &t->tiers[t->count++];
}

void
report_tiers_add(struct report_tiers *t, const struct report_node *n, unsigned int port,
		 double load)
{
	struct report_tier_loads *tier;
	char name[REPORT_TIER_MAX];

	if (!report_tier(n, port, name))
		return;
	tier = find_tier(t, name);
	if (tier == NULL)
		return;
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
