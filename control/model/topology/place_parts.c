// SPDX-License-Identifier: BSD-3-Clause
// `fabric.parts`: which process runs which node. The file names the switches of each part; a host
// goes with its leaves, because the link between them is not carried by datagrams.
//
// The links between parts are numbered in the order of the topology's links, so that all processes
// agree: each end of the n-th one has the n-th UDP port from the first one of its part.
#include "topology_internal.h"

#include "control/base/memory.h"
#include "control/config/scalar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX (CONFIG_NAME_MAX + sizeof("fabric.parts..switches"))
#define PART_NONE UINT16_MAX

static const char *
part_key(const struct config_part *part, const char *member, char text[static KEY_MAX])
{
	snprintf(text, KEY_MAX, "fabric.parts.%s%s", part->name.text, member);
	return text;
}

// ---- where nodes are ----------------------------------------------------------------------------

static void
place_switch(struct topology *t, uint16_t number, const struct config_name *name, struct diag *diag)
{
	const struct config_part *parts = t->config->fabric.parts;
	const char *file = t->config->file;
	char key[KEY_MAX];
	uint32_t node;

	part_key(&parts[number], ".switches", key);
	if (topology_resolve_node(t, name, key, &node, diag) != 0)
		return;
	if (node >= t->first_host)
		diag_error(diag, file, name->pos, key,
			   "%s is a host: it is in the part of its leaf, leave it out", name->text);
	else if (t->parts[node] != PART_NONE)
		diag_error(diag, file, name->pos, key, "%s is in part %s already", name->text,
			   parts[t->parts[node]].name.text);
	else
		t->parts[node] = number;
}

static void
check_all_placed(const struct topology *t, struct diag *diag)
{
	uint32_t missing = 0, first = 0;
	char others[48] = "";

	for (uint32_t i = t->first_host; i-- > 0;)
		if (t->parts[i] == PART_NONE) {
			first = i;
			missing++;
		}
	if (missing == 0)
		return;
	if (missing > 1)
		snprintf(others, sizeof(others), " and %u other%s", missing - 1,
			 missing == 2 ? "" : "s");
	diag_error(diag, t->config->file, t->config->fabric.parts[0].name.pos, "fabric.parts",
		   "%s%s %s in no part: name each switch under `switches` of a part",
		   t->nodes[first].name, others, missing > 1 ? "are" : "is");
}

// A host without a switch behind it, which no fabric can run, is in the first part.
static void
place_host(struct topology *t, uint32_t node)
{
	const struct topo_node *host = &t->nodes[node];

	t->parts[node] = 0;
	for (uint16_t p = 0; p < host->port_count; p++)
		if (host->ports[p].peer_node < t->first_host) {
			t->parts[node] = t->parts[host->ports[p].peer_node];
			return;
		}
}

static void
check_host(const struct topology *t, uint32_t node, struct diag *diag)
{
	const struct config_part *part = topology_part_of(t, node);
	const struct topo_node *host = &t->nodes[node];

	for (uint16_t p = 0; p < host->port_count; p++) {
		const uint32_t peer = host->ports[p].peer_node;
		const struct config_part *other = topology_part_of(t, peer);

		if (other == part)
			continue;
		diag_error(diag, t->config->file, other->name.pos, "fabric.parts",
			   "%s has links to part %s and, at %s, to part %s: all leaves of a host "
			   "must be in one part",
			   host->name, part->name.text, t->nodes[peer].name, other->name.text);
		return;
	}
}

// ---- addresses and ports ------------------------------------------------------------------------

static uint32_t
count_crossings(const struct topology *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->link_count; i++)
		count += topology_crosses(t, &t->links[i]);
	return count;
}

static void
check_ports(const struct topology *t, const struct config_part *part, uint32_t crossings,
	    struct diag *diag)
{
	char key[KEY_MAX];

	if (crossings == 0 || part->port + crossings - 1 <= UINT16_MAX)
		return;
	diag_error(diag, t->config->file, part->name.pos, part_key(part, ".port", key),
		   "%u links join parts, and each needs a UDP port from %u on: %u is the largest "
		   "first port",
		   crossings, part->port, UINT16_MAX - crossings + 1);
}

// Two processes on one machine cannot have the same ports.
static void
check_pair(const struct topology *t, const struct config_part *one, const struct config_part *other,
	   uint32_t crossings, struct diag *diag)
{
	const struct config_address *a = &one->address, *b = &other->address;
	const uint32_t apart = one->port > other->port ? one->port - other->port
						       : other->port - one->port;
	char key[KEY_MAX];

	part_key(other, ".address", key);
	if (a->version != b->version)
		diag_error(diag, t->config->file, b->pos, key,
			   "this is an IPv%u address and that of part %s an IPv%u address: use one "
			   "IP version for all parts",
			   b->version, one->name.text, a->version);
	else if (memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0 && apart < crossings)
		diag_error(diag, t->config->file, b->pos, key,
			   "part %s has this address and the same UDP ports: write another "
			   "address, or a first `port` that is %u or more away from %u",
			   one->name.text, crossings, one->port);
}

static void
check_run_name(const struct topology *t, const struct config_part *part, struct diag *diag)
{
	char name[CONFIG_RUN_NAME_MAX], key[KEY_MAX], why[SCALAR_WHY];

	if (scalar_name(config_run_name(&t->config->fabric, part->name.text, name), why) != 0)
		diag_error(diag, t->config->file, part->name.pos, part_key(part, "", key),
			   "its process is called FABRIC-PART: %s", why);
}

int
builder_place_parts(struct topology *t, struct diag *diag)
{
	const struct config_fabric *f = &t->config->fabric;
	const unsigned before = diag->errors;
	uint32_t crossings;

	if (f->part_count == 0)
		return 0;
	t->parts = memory_array(t->node_count, sizeof(*t->parts), "parts of nodes");
	memset(t->parts, 0xff, t->node_count * sizeof(*t->parts));
	for (unsigned i = 0; i < f->part_count; i++)
		for (unsigned s = 0; s < f->parts[i].switches.count; s++)
			place_switch(t, (uint16_t)i, &f->parts[i].switches.items[s], diag);
	if (diag->errors == before)
		check_all_placed(t, diag);
	for (uint32_t i = t->first_host; i < t->node_count; i++)
		place_host(t, i);
	for (uint32_t i = t->first_host; diag->errors == before && i < t->node_count; i++)
		check_host(t, i, diag);
	if (diag->errors != before)
		return -EINVAL;
	crossings = count_crossings(t);
	for (unsigned i = 0; i < f->part_count; i++) {
		check_ports(t, &f->parts[i], crossings, diag);
		check_run_name(t, &f->parts[i], diag);
		for (unsigned j = 0; j < i; j++)
			check_pair(t, &f->parts[j], &f->parts[i], crossings, diag);
	}
	return diag->errors == before ? 0 : -EINVAL;
}

// ---- names --------------------------------------------------------------------------------------

const struct config_part *
topology_resolve_part(const struct topology *t, const char *name, struct diag *diag)
{
	const struct config_fabric *f = &t->config->fabric;
	const char **names = memory_array(f->part_count + 1, sizeof(*names), "parts"), *near;
	const struct config_part *found = NULL;

	for (unsigned i = 0; i < f->part_count; i++) {
		names[i] = f->parts[i].name.text;
		if (strcmp(names[i], name) == 0)
			found = &f->parts[i];
	}
	near = config_suggest(name, names, f->part_count);
	if (found == NULL && f->part_count == 0)
		diag_error(diag, t->config->file, (struct diag_pos){0}, "fabric.parts",
			   "this fabric has no parts: leave out --part %.64s", name);
	else if (found == NULL)
		diag_error(diag, t->config->file, f->parts[0].name.pos, "fabric.parts",
			   "there is no part %.64s; %s %s", name,
			   near != NULL ? "did you mean" : "the first one is",
			   near != NULL ? near : names[0]);
	free(names);
	return found;
}
