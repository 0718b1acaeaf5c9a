// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables of a file (lft_file.h), whose LIDs are those of the subnet manager that wrote
// it: whose they are is known by names.
#include "subnet.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY "subnet.lfts"

struct reading {
	struct subnet *subnet;
	const struct topology *topology;
	const struct config_lfts *lfts;
	struct diag *diag;
	uint16_t *lids; // ours, by the file's
};

// what: behind the file's name, with %s for a name that it has.
#define FAIL(r, what, ...)                                                                       \
	diag_error((r)->diag, (r)->topology->config->file, (r)->lfts->path.pos, KEY, "%s " what, \
		   (r)->lfts->path.text, __VA_ARGS__)

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
		return FAIL(r,
			    "has a LID for %.80s, but the fabric has no such switch or host port",
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

// A host without a LID would be reached by nobody.
static int
check_hosts(const struct reading *r)
{
	const struct topology *t = r->topology;
	bool *has = memory_array(r->subnet->lid_count, sizeof(*has), "LIDs");
	int rc = 0;

	for (uint32_t lid = 0; lid < r->lfts->lid_count; lid++)
		has[r->lids[lid]] = true;
	for (uint32_t n = t->first_host; rc == 0 && n < t->node_count; n++)
		for (uint16_t p = 0; rc == 0 && p < t->nodes[n].port_count; p++)
			if (!has[topology_lid(t, n, p)])
				rc = FAIL(r, "has no LID for %s.%s", t->nodes[n].name,
					  t->nodes[n].ports[p].name);
	free(has);
	return rc;
}

static int
take_table(const struct reading *r, const struct config_lft *table, bool *taken)
{
	const struct topology *t = r->topology;
	const uint32_t node = topology_find_node(t, table->name);

	if (node >= t->first_host)
		return FAIL(r, "has a table for %.80s, but the fabric has no such switch",
			    table->name);
	if (taken[node])
		return FAIL(r, "has two tables for %.80s", table->name);
	taken[node] = true;
	memset(subnet_entry(r->subnet, node, 0), SUBNET_PORT_NONE, r->subnet->lid_count);
	*subnet_entry(r->subnet, node, topology_lid(t, node, 0)) = SUBNET_PORT_SELF;
	for (uint32_t lid = 1; lid < r->lfts->lid_count; lid++) {
		const uint8_t number = table->ports[lid];

		if (r->lids[lid] == 0 || number == SUBNET_PORT_SELF)
			continue;
		if (number != SUBNET_PORT_NONE && topology_port_index(&t->nodes[node], number) < 0)
			return FAIL(r, "routes %.80s through port %u of %s, which has no such port",
				    r->lfts->owners[lid].name, number, table->name);
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

	s->from_outside = true;
	r.lids = memory_array(r.lfts->lid_count, sizeof(*r.lids), "LIDs");
	rc = find_lids(&r);
	if (rc == 0)
		rc = check_hosts(&r);
	for (uint32_t i = 0; rc == 0 && i < r.lfts->table_count; i++)
		rc = take_table(&r, &r.lfts->tables[i], taken);
	for (uint32_t n = 0; rc == 0 && n < s->switch_count; n++)
		if (!taken[n])
			rc = FAIL(&r, "has no table for %s", t->nodes[n].name);
	free(r.lids);
	free(taken);
	return rc;
}
