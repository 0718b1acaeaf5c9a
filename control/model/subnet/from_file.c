// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables of a file (lft_file.h), whose LIDs are those of the subnet manager that wrote
// it: whose they are is known by names.
#include "subnet.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

#define KEY "subnet.lfts"

struct reading {
	struct subnet *subnet;
	const struct topology *topology;
	const struct config_lfts *lfts;
	struct diag *diag;
	uint16_t *lids; // ours, by the file's
};

static int
fail(const struct reading *r, const char *what, const char *name)
{
	return diag_error(r->diag, r->topology->config->file, r->lfts->path.pos, KEY, "%.80s: %s",
			  name, what);
}

// Our LID of a host's port or of a switch.
static int
find_lid(const struct reading *r, const struct config_lft_owner *owner, uint16_t *out)
{
	const struct topology *t = r->topology;
	const uint32_t node = topology_find_node(t, owner->name);
	const int port = node == TOPOLOGY_NONE ? -1
			 : owner->port == 0    ? 0
					       : topology_port_index(&t->nodes[node], owner->port);

	if (port < 0 || (node < t->first_host) != (owner->port == 0))
		return fail(r,
			    "the file has a LID of it, and the fabric has no such switch or "
			    "port of a host",
			    owner->name);
	*out = topology_lid(t, node, (uint16_t)port);
	return 0;
}

static int
find_lids(struct reading *r)
{
	int rc = 0;

	for (uint32_t lid = 0; rc == 0 && lid < r->lfts->lid_count; lid++)
		if (r->lfts->owners[lid].name != NULL)
			rc = find_lid(r, &r->lfts->owners[lid], &r->lids[lid]);
	return rc;
}

static int
take_table(const struct reading *r, const struct config_lft *table, bool *taken)
{
	const struct topology *t = r->topology;
	const uint32_t node = topology_find_node(t, table->name);

	if (node >= t->first_host)
		return fail(r, "the file has a table of it, and the fabric has no such switch",
			    table->name);
	taken[node] = true;
	for (uint32_t lid = 1; lid < r->lfts->lid_count; lid++) {
		const uint8_t number = table->ports[lid];

		if (r->lids[lid] == 0 || number == SUBNET_PORT_SELF)
			continue;
		if (number != SUBNET_PORT_NONE && topology_port_index(&t->nodes[node], number) < 0)
			return diag_error(r->diag, t->config->file, r->lfts->path.pos, KEY,
					  "%s has no port %u, by which the file sends to %.80s",
					  table->name, number, r->lfts->owners[lid].name);
		*subnet_entry(r->subnet, node, r->lids[lid]) = number;
	}
	return 0;
}

int
subnet_take_file(struct subnet *s, const struct topology *t, struct diag *diag)
{
	struct reading r = {
		.subnet = s, .topology = t, .lfts = &t->config->subnet.lfts, .diag = diag};
	bool *taken = memory_array(s->switch_count, sizeof(*taken), "switches");
	int rc;

	r.lids = memory_array(r.lfts->lid_count, sizeof(*r.lids), "LIDs");
	rc = find_lids(&r);
	for (uint32_t i = 0; rc == 0 && i < r.lfts->table_count; i++)
		rc = take_table(&r, &r.lfts->tables[i], taken);
	for (uint32_t n = 0; rc == 0 && n < s->switch_count; n++)
		if (!taken[n])
			rc = fail(&r, "the file has no table of this switch", t->nodes[n].name);
	free(r.lids);
	free(taken);
	return rc;
}
