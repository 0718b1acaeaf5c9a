// SPDX-License-Identifier: BSD-3-Clause
#include "known.h"

#include "control/model/routes/routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// One for all switches that know the same.
struct links_known {
	uint32_t users;
	bool down[]; // by link
};

int
known_keep(struct fabric *f)
{
	const uint32_t links = f->topology->link_count;
	struct links_known *now = NULL;

	if (f->known == NULL)
		f->known = calloc(f->topology->first_host + 1u, sizeof(struct links_known *));
	if (f->known == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		if (f->known[n] != NULL || f->switches[n].routing.convergence_ps == 0)
			continue;
		if (now == NULL)
			now = calloc(1, sizeof(*now) + links * sizeof(now->down[0]));
		if (now == NULL)
			return -ENOMEM;
		if (now->users++ == 0)
			memcpy(now->down, f->link_down, links * sizeof(now->down[0]));
		f->known[n] = now;
	}
	return 0;
}

void
known_drop(struct fabric *f, uint32_t node)
{
	struct links_known *known = f->known != NULL ? f->known[node] : NULL;

	if (known == NULL)
		return;
	f->known[node] = NULL;
	if (--known->users == 0)
		free(known);
}

void
known_free(struct fabric *f)
{
	for (uint32_t n = 0; f->known != NULL && n < f->topology->first_host; n++)
		known_drop(f, n);
	free(f->known);
	f->known = NULL;
}

// The routes of all switches that know the same as this one, the first of them.
static int
apply_one(const struct fabric *f, uint32_t first, struct routes *routes, struct config_diag *diag)
{
	const struct links_known *known = f->known[first];
	struct routes *theirs;
	int rc = routes_create(&theirs, f->topology, known->down, diag);

	if (rc != 0)
		return rc;
	for (uint32_t n = first; n < f->topology->first_host; n++) {
		struct route_list now = routes->nodes[n];

		if (f->known[n] != known)
			continue;
		routes->nodes[n] = theirs->nodes[n];
		theirs->nodes[n] = now;
	}
	routes_destroy(theirs);
	return 0;
}

int
known_apply(const struct fabric *f, struct routes *routes, struct config_diag *diag)
{
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && f->known != NULL && n < f->topology->first_host; n++) {
		uint32_t first = 0;

		while (f->known[first] != f->known[n])
			first++;
		if (f->known[n] != NULL && first == n)
			rc = apply_one(f, n, routes, diag);
	}
	return rc;
}
