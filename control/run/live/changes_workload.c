// SPDX-License-Identifier: BSD-3-Clause
// Items of the workload say who sends to whom, and were made lists of flows when the fabric came
// up. Those that the tenants of now would refuse are left out when it comes up again; a user who
// changes the tenants sees each, once.
#include "changes_internal.h"

#include "control/model/workload/workload.h"

#include <string.h>

static void
find_misfits(const struct changes *c, struct diag *out)
{
	const struct fabric *f = c->live->fabric;
	struct workload *workload = NULL;

	if (f->config->work_count != 0)
		(void)workload_create(&workload, f->topology, f->routes, f->hosts, out);
	workload_destroy(workload);
}

void
changes_know_workload(struct changes *c)
{
	if (c->live->config->restored) // else it came up because all fit
		find_misfits(c, &c->misfits);
}

static bool
touches_tenants(const struct edit_list *edits)
{
	bool found = false;

	for (unsigned i = 0; i < edits->count; i++)
		found |= strncmp(edits->edits[i].key, "tenants", strlen("tenants")) == 0;
	return found;
}

void
changes_warn_of_workload(struct changes *c, const struct edit_list *edits, struct diag *diag)
{
	struct diag now = {0};

	if (!touches_tenants(edits))
		return;
	find_misfits(c, &now);
	diag_soften(&now, &c->misfits, diag);
	diag_free(&c->misfits);
	c->misfits = now;
}
