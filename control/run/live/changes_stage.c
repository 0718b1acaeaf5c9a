// SPDX-License-Identifier: BSD-3-Clause
// Edits that wait for `roost apply`. Each is tried, with those before it, on a copy of what runs;
// only whether all nodes can hold it shows when it is applied.
#include "changes_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
changes_copy_staged(const struct changes *c, struct config **out, struct diag *diag)
{
	int rc = changes_copy_running(c, out);

	if (rc == 0 && c->staged.count != 0)
		rc = config_edit(*out, c->staged.edits, c->staged.count, diag);
	if (rc != 0) {
		config_free(*out);
		*out = NULL;
	}
	return rc;
}

// Lines of a copy are nobody's.
static void
tell_without_lines(const struct diag *from, const char *file, struct diag *to)
{
	for (unsigned i = 0; i < from->count; i++)
		(from->messages[i].warning ? diag_warning : diag_error)(
			to, file, (struct diag_pos){0}, NULL, "%s", from->messages[i].words);
}

// Whether the hosts, tenants and addresses of a configuration are there and fit each other.
static int
check_topology(const struct config *config, struct diag *diag)
{
	struct topology *topology = NULL;
	int rc = topology_create(&topology, config, diag);

	topology_destroy(topology);
	return rc;
}

int
changes_stage(struct changes *c, const struct edit_list *edits, struct diag *diag)
{
	struct diag said = {0};
	struct edit_list all = {0};
	struct config *copy = NULL;
	int rc = changes_copy_staged(c, &copy, &said);

	if (rc == 0) {
		edit_list_append(&all, edits);
		edit_list_assign_encap(&all, copy);
		rc = config_edit(copy, all.edits, all.count, &said);
	}
	if (rc == 0)
		rc = check_topology(copy, &said);
	if (rc == 0)
		edit_list_append(&c->staged, &all);
	tell_without_lines(&said, c->live->config->file, diag);
	diag_free(&said);
	config_free(copy);
	edit_list_free(&all);
	return rc;
}

const struct edit_list *
changes_staged(const struct changes *c)
{
	return &c->staged;
}

void
changes_detach(struct changes *c)
{
	edit_list_free(&c->staged);
}
