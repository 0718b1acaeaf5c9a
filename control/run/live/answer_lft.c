// SPDX-License-Identifier: BSD-3-Clause
// The method "lft": forwarding tables from a subnet manager outside. They take the place of those
// that the fabric computes (struct topology), and switches get them as they get routes.
#include "answer.h"

#include "control/base/base64.h"
#include "control/base/memory.h"
#include "control/model/subnet/subnet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// LIDs of a fabric are 1 to the last port's of its last host.
static uint32_t
count_lids(const struct topology *t)
{
	uint32_t most = 0;

	for (uint32_t n = 0; n < t->node_count; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			if (topology_lid(t, n, p) > most)
				most = topology_lid(t, n, p);
	return most + 1;
}

// Begins with the tables as they are now computed.
static void
begin(struct live_fabric *live)
{
	struct subnet *s;

	if (live->topology->lfts != NULL)
		return;
	subnet_create(&s, live->topology, live->fabric->link_down);
	live->topology->lfts =
		memory_copy(s->lft, (size_t)s->switch_count * s->lid_count, 1, "forwarding tables");
	subnet_destroy(s);
}

// A table that is too short leaves the last LIDs without a port.
static int
set_table(struct live_fabric *live, const json_t *table, struct diag *diag)
{
	const struct topology *t = live->topology;
	const char *name = json_string_value(json_object_get(table, "switch"));
	const char *text = json_string_value(json_object_get(table, "ports"));
	const uint32_t node = name != NULL ? topology_find_node(t, name) : TOPOLOGY_NONE;
	const uint32_t lids = count_lids(t);
	size_t count = 0;
	uint8_t *ports = text != NULL ? base64_decode(text, &count) : NULL, *to;

	if (node >= t->first_host || ports == NULL || count > lids) {
		free(ports);
		return diag_fail(diag, EINVAL,
				 "\"tables\": each needs a `switch` of the fabric, and `ports`: at "
				 "most %u bytes in base64",
				 lids);
	}
	to = live->topology->lfts + (size_t)node * lids;
	memset(to, SUBNET_PORT_NONE, lids);
	memcpy(to, ports, count);
	to[topology_lid(t, node, 0)] = SUBNET_PORT_SELF;
	free(ports);
	return 0;
}

int
answer_lft(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct live_fabric *live = a->live;
	const json_t *tables = json_object_get(params, "tables"), *table;
	const bool reset = json_is_true(json_object_get(params, "reset"));
	size_t i;
	int rc = 0;

	if (!topology_is_infiniband(live->topology) || topology_is_single(live->topology))
		return diag_fail(diag, EINVAL,
				 "only an InfiniBand fabric has such tables (fabric.link-layer)");
	if (reset == (tables != NULL))
		return diag_fail(diag, EINVAL, "give either `tables` or `reset`");
	if (reset) {
		free(live->topology->lfts);
		live->topology->lfts = NULL;
	} else {
		begin(live);
	}
	json_array_foreach(tables, i, table)
	{
		if (rc == 0)
			rc = set_table(live, table, diag);
	}
	if (rc == 0 && !json_is_true(json_object_get(params, "more")))
		rc = events_reroute(live->events, diag);
	if (rc == 0)
		*result = json_pack("{s:I}", "lids", (json_int_t)count_lids(live->topology));
	return rc;
}
