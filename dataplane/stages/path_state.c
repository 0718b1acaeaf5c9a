// SPDX-License-Identifier: BSD-3-Clause
#include "path_state.h"

#include "utilisation.h"

#include <string.h>

static void
add_flowlets(struct node *n)
{
	struct paths *p = &n->paths;

	if (p->flowlets != NULL)
		return;
	p->flowlets = spare_take(&n->spares, FLOWLETS * sizeof(*p->flowlets));
	for (unsigned int i = 0; i < FLOWLETS; i++)
		p->flowlets[i].port = FLOWLET_NONE;
}

// Ports that are in groups of several.
static void
find_peers(struct node *n)
{
	const struct tables *t = n->current;

	memset(n->paths.has_peers, 0, n->port_count * sizeof(*n->paths.has_peers));
	for (uint32_t g = 0; g < t->group_count; g++)
		for (uint32_t i = 0; t->groups[g].count > 1 && i < t->groups[g].count; i++)
			n->paths.has_peers[t->next_hops[t->groups[g].first + i].port] = true;
}

static void
add_utilisation(struct node *n)
{
	if (n->paths.has_peers == NULL)
		n->paths.has_peers =
			spare_take(&n->spares, n->port_count * sizeof(*n->paths.has_peers));
	find_peers(n);
	if (n->paths.utilisation != NULL)
		return;
	n->paths.utilisation =
		spare_take(&n->spares, n->port_count * sizeof(*n->paths.utilisation));
	for (unsigned int i = 0; i < n->port_count; i++)
		n->paths.utilisation[i] = (struct utilisation){
			.since = n->start, .bytes = utilisation_bytes(&n->ports[i])};
}

static size_t
noticed_count(uint32_t next_hops)
{
	return next_hops / NOTICED_TOGETHER + 1;
}

// New tables number next hops anew: notices about the old ones are forgotten.
static void
add_notices(struct node *n, const struct tables *t)
{
	struct paths *p = &n->paths;

	if (p->notices == NULL || t->next_hop_count > p->notice_room) {
		spare_return(&n->spares, p->notices);
		spare_return(&n->spares, p->noticed);
		p->notices = spare_take(&n->spares, (t->next_hop_count + 1u) * sizeof(*p->notices));
		p->noticed = spare_take(&n->spares,
					noticed_count(t->next_hop_count) * sizeof(*p->noticed));
		p->notice_room = t->next_hop_count;
	}
	memset(p->notices, 0, t->next_hop_count * sizeof(*p->notices));
	memset(p->noticed, 0, noticed_count(t->next_hop_count) * sizeof(*p->noticed));
	if (p->notice_due == NULL)
		p->notice_due = spare_take(&n->spares, (size_t)n->port_count * n->port_count *
							       sizeof(*p->notice_due));
}

// In the order in which paths_adopt() takes them.
void
paths_leave_spares(struct node *n, const struct tables *t)
{
	struct spares *had = &n->spares;

	if (t->flowlets && !had->flowlets) {
		spare_leave(&n->spares, FLOWLETS * sizeof(*n->paths.flowlets));
		had->flowlets = true;
	}
	if (t->utilisation && !had->utilisation) {
		spare_leave(&n->spares, n->port_count * sizeof(*n->paths.has_peers));
		spare_leave(&n->spares, n->port_count * sizeof(*n->paths.utilisation));
		had->utilisation = true;
	}
	if (!t->notices.on)
		return;
	if (!had->notice_due || t->next_hop_count > had->notices) {
		spare_leave(&n->spares, (t->next_hop_count + 1u) * sizeof(*n->paths.notices));
		spare_leave(&n->spares,
			    noticed_count(t->next_hop_count) * sizeof(*n->paths.noticed));
		had->notices = t->next_hop_count;
	}
	if (!had->notice_due) {
		spare_leave(&n->spares,
			    (size_t)n->port_count * n->port_count * sizeof(*n->paths.notice_due));
		had->notice_due = true;
	}
}

static void
set_path_inputs(struct node *n)
{
	const struct tables *t = n->current;

	n->path_inputs = 0;
	for (unsigned int i = 0; i < n->port_count; i++)
		if (n->port_penalty[i] & PATH_DEGRADED)
			n->path_inputs = PATH_INPUT_DEGRADED;
	if (t != NULL && t->utilisation)
		n->path_inputs |= PATH_INPUT_UTILISATION;
	if (t != NULL && t->notices.on)
		n->path_inputs |= PATH_INPUT_NOTICES;
}

void
paths_adopt(struct node *n)
{
	const struct tables *t = n->current;

	if (t->flowlets)
		add_flowlets(n);
	if (t->utilisation)
		add_utilisation(n);
	if (t->notices.on)
		add_notices(n, t);
	n->paths.utilisation_due = t->utilisation ? 0 : PS_NEVER;
	for (unsigned int i = 0; i < n->port_count; i++)
		n->port_penalty[i] &= t->utilisation ? PATH_WORSE : PATH_DEGRADED;
	set_path_inputs(n);
}

void
paths_destroy(struct node *n)
{
	spare_free(n->paths.flowlets);
	spare_free(n->paths.has_peers);
	spare_free(n->paths.utilisation);
	spare_free(n->paths.notices);
	spare_free(n->paths.noticed);
	spare_free(n->paths.notice_due);
}

void
paths_set_degraded(struct node *n, const struct port *p, bool degraded)
{
	if (degraded)
		n->port_penalty[p->index] |= PATH_DEGRADED;
	else
		n->port_penalty[p->index] &= (uint8_t)~PATH_DEGRADED;
	set_path_inputs(n);
}

uint32_t
paths_flowlets_open(const struct node *n, ps_t now)
{
	uint32_t open = 0;

	for (unsigned int i = 0; n->paths.flowlets != NULL && i < FLOWLETS; i++) {
		const struct flowlet *f = &n->paths.flowlets[i];

		open += f->port != FLOWLET_NONE &&
			(f->last > now || now - f->last <= n->current->flowlet_gap);
	}
	return open;
}

uint64_t
paths_utilisation(const struct node *n, const struct port *p, ps_t now)
{
	if (n->paths.utilisation == NULL)
		return 0;
	return utilisation_level(&n->paths.utilisation[p->index], utilisation_bytes(p), now);
}
