// SPDX-License-Identifier: BSD-3-Clause
// What has become of links since the fabric was built, and what each switch knows of it.
#include "fabric.h"

#include "control/base/memory.h"
#include "fabric_internal.h"

#include "control/model/routes/routes.h"

#include <stdlib.h>
#include <string.h>

// Shared by all switches that have the same view.
struct link_view {
	uint32_t users;
	bool down[]; // by link
};

void
link_view_keep(struct fabric *f)
{
	const uint32_t links = f->topology->link_count;
	struct link_view *now = NULL;

	if (f->link_views == NULL)
		f->link_views = memory_array(f->topology->first_host, sizeof(struct link_view *),
					     "link views");
	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		if (f->link_views[n] != NULL || f->switches[n].routing.convergence_ps == 0)
			continue;
		if (now == NULL)
			now = memory_new(sizeof(*now) + links * sizeof(now->down[0]), "link view");
		if (now->users++ == 0)
			memcpy(now->down, f->link_down, links * sizeof(now->down[0]));
		f->link_views[n] = now;
	}
}

void
link_view_drop(struct fabric *f, uint32_t node)
{
	struct link_view *view = f->link_views != NULL ? f->link_views[node] : NULL;

	if (view == NULL)
		return;
	f->link_views[node] = NULL;
	if (--view->users == 0)
		free(view);
}

void
fabric_free_link_views(struct fabric *f)
{
	for (uint32_t n = 0; f->link_views != NULL && n < f->topology->first_host; n++)
		link_view_drop(f, n);
	free(f->link_views);
	f->link_views = NULL;
}

// Sets the routes of all switches with the same view as `first`.
static int
apply_one(const struct fabric *f, uint32_t first, struct routes *routes, struct diag *diag)
{
	const struct link_view *view = f->link_views[first];
	struct routes *theirs;
	int rc = routes_create(&theirs, f->topology, view->down, diag);

	if (rc != 0)
		return rc;
	for (uint32_t n = first; n < f->topology->first_host; n++) {
		struct route_list now = routes->nodes[n];

		if (f->link_views[n] != view)
			continue;
		routes->nodes[n] = theirs->nodes[n];
		theirs->nodes[n] = now;
	}
	routes_destroy(theirs);
	return 0;
}

int
link_view_apply(const struct fabric *f, struct routes *routes, struct diag *diag)
{
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && f->link_views != NULL && n < f->topology->first_host; n++) {
		uint32_t first = 0;

		while (f->link_views[first] != f->link_views[n])
			first++;
		if (f->link_views[n] != NULL && first == n)
			rc = apply_one(f, n, routes, diag);
	}
	return rc;
}

// ---- what is not as in the file ----------------------------------------------------------------

struct link_values
fabric_link_values(const struct fabric *f, uint32_t link)
{
	return f->link_changes != NULL ? f->link_changes[link] : (struct link_values){0};
}

// Those of the changes whose values are not the file's.
static uint32_t
in_force(const struct topo_link *l, const struct config_event *e)
{
	const struct {
		enum config_link_change bit;
		bool differs;
	} values[] = {
		{CONFIG_LINK_STATE, !e->up},
		{CONFIG_LINK_RATE, e->rate_bps != l->rate_bps},
		{CONFIG_LINK_DELAY, e->delay_ps != l->delay_ps},
		{CONFIG_LINK_LOSS, e->loss_ppm != l->loss_ppm},
		{CONFIG_LINK_CORRUPT, e->corrupt_ppm != 0},
		{CONFIG_LINK_CORRUPT_PAYLOAD, e->corrupt_payload_ppm != 0},
		{CONFIG_LINK_BIT_ERRORS, e->bit_error_rate != 0},
		{CONFIG_LINK_DROP, true},
	};
	uint32_t found = 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (e->changes & values[i].bit && values[i].differs)
			found |= values[i].bit;
	return found;
}

void
fabric_note_link_change(struct fabric *f, uint32_t link, const struct config_event *event,
			bool undo)
{
	uint32_t changes = event->changes;
	struct link_values *c;

	if (f->link_changes == NULL)
		f->link_changes = memory_array(f->topology->link_count, sizeof(*f->link_changes),
					       "changes of links");
	c = &f->link_changes[link];
	c->changes &= ~changes;
	// The undo of an event that took a link up leaves it down.
	if (undo) {
		c->changes |= event->up ? changes & CONFIG_LINK_STATE : 0;
		return;
	}
	c->changes |= in_force(&f->topology->links[link], event);
	if (changes & CONFIG_LINK_RATE)
		c->rate_bps = event->rate_bps;
	if (changes & CONFIG_LINK_DELAY)
		c->delay_ps = event->delay_ps;
	if (changes & CONFIG_LINK_LOSS)
		c->loss_ppm = event->loss_ppm;
	if (changes & CONFIG_LINK_CORRUPT)
		c->corrupt_ppm = event->corrupt_ppm;
	if (changes & CONFIG_LINK_CORRUPT_PAYLOAD)
		c->corrupt_payload_ppm = event->corrupt_payload_ppm;
	if (changes & CONFIG_LINK_BIT_ERRORS)
		c->bit_error_rate = event->bit_error_rate;
	if (changes & CONFIG_LINK_DROP)
		c->ip_id_low_byte = event->ip_id_low_byte;
}
