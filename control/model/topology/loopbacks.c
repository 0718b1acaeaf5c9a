// SPDX-License-Identifier: BSD-3-Clause
// The loopbacks of all switches in order, with a trie to find them, which the tables of all
// switches share: a large fabric has more of them than of all other routes of a switch.
#include "topology_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/lpm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct place_of {
	uint8_t address[16];
	uint32_t node;
};

static int
compare(const void *a, const void *b)
{
	const struct place_of *x = a, *y = b;

	return memcmp(x->address, y->address, sizeof(x->address));
}

// The address plan gives each switch its own; tables rely on that.
static int
check_places(const struct topology *t, const struct place_of *places, struct diag *diag)
{
	for (uint32_t i = 1; i < t->first_host; i++)
		if (compare(&places[i - 1], &places[i]) == 0)
			return diag_error(
				diag, t->config->file, t->config->fabric.topology_pos,
				"fabric.topology", "%s and %s have the same loopback address",
				t->nodes[places[i - 1].node].name, t->nodes[places[i].node].name);
	return 0;
}

static int
index_version(struct topology *t, uint8_t version, struct topo_loopbacks *to, struct diag *diag)
{
	uint32_t count = t->first_host;
	struct place_of *places = memory_array(count, sizeof(*places), "loopbacks");
	struct lpm_prefix *prefixes = memory_array(count, sizeof(*prefixes), "loopbacks");
	int error;

	for (uint32_t n = 0; n < count; n++) {
		places[n].node = n;
		memcpy(places[n].address, topology_loopback(&t->nodes[n], version),
		       address_bytes(version));
	}
	qsort(places, count, sizeof(*places), compare);
	error = check_places(t, places, diag);
	to->order = memory_array(count, sizeof(*to->order), "loopbacks");
	for (uint32_t i = 0; i < count; i++) {
		to->order[i] = places[i].node;
		prefixes[i].len = 8 * address_bytes(version);
		prefixes[i].value = i;
		memcpy(prefixes[i].addr, places[i].address, sizeof(prefixes[i].addr));
	}
	if (error == 0)
		error = lpm_build(&to->trie, prefixes, count, 8u * address_bytes(version));
	if (error == -ENOMEM)
		memory_exhausted(count, sizeof(*prefixes), "loopbacks");
	free(prefixes);
	free(places);
	return error;
}

int
builder_index_loopbacks(struct topology *t, struct diag *diag)
{
	int error = index_version(t, 4, &t->loopbacks4, diag);

	return error != 0 ? error : index_version(t, 6, &t->loopbacks6, diag);
}
