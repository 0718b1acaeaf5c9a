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

// ---- stages -------------------------------------------------------------------------------------

// Tables that a client has sent and that are not used yet: further ones follow.
struct lft_stage {
	uint64_t client;
	uint8_t **tables; // by switch; NULL: none
};

struct lft_stages {
	struct lft_stage *stages;
	uint32_t count, switches;
};

static void
forget(struct lft_stages *all, uint32_t i)
{
	for (uint32_t n = 0; n < all->switches; n++)
		free(all->stages[i].tables[n]);
	free(all->stages[i].tables);
	all->stages[i] = all->stages[--all->count];
}

void
answer_lft_forget(struct answer *a, bool every)
{
	struct lft_stages *all = a->lft_stages;

	if (all == NULL)
		return;
	for (uint32_t i = all->count; i-- > 0;)
		if (every || !api_server_has_client(a->server, all->stages[i].client))
			forget(all, i);
	if (all->count != 0)
		return;
	free(all->stages);
	free(all);
	a->lft_stages = NULL;
}

// The index of the stage of the client that asks, which is made if it has none.
static uint32_t
find_stage(struct answer *a)
{
	const uint64_t client = api_server_client(a->server);
	struct lft_stages *all = a->lft_stages;
	uint32_t i = 0;

	if (all == NULL) {
		all = a->lft_stages = memory_new(sizeof(*all), "forwarding tables of clients");
		all->switches = a->live->topology->first_host;
	}
	while (i < all->count && all->stages[i].client != client)
		i++;
	if (i < all->count)
		return i;
	all->stages = memory_grow(all->stages, all->count, sizeof(*all->stages),
				  "forwarding tables of clients");
	all->stages[all->count++] = (struct lft_stage){
		client, memory_array(all->switches, sizeof(uint8_t *), "forwarding tables")};
	return i;
}

// A table that is too short leaves the last LIDs without a port. For free(); NULL: it has errors.
static uint8_t *
decode(const struct topology *t, const json_t *table, uint32_t lids, uint32_t *node)
{
	const char *name = json_string_value(json_object_get(table, "switch"));
	const char *text = json_string_value(json_object_get(table, "ports"));
	size_t count = 0;
	uint8_t *ports = text != NULL ? base64_decode(text, &count) : NULL, *out = NULL;

	*node = name != NULL ? topology_find_node(t, name) : TOPOLOGY_NONE;
	if (ports != NULL && *node < t->first_host && count <= lids) {
		out = memory_array(lids, 1, "forwarding table entries");
		memset(out, SUBNET_PORT_NONE, lids);
		memcpy(out, ports, count);
		out[topology_lid(t, *node, 0)] = SUBNET_PORT_SELF;
	}
	free(ports);
	return out;
}

// After an error the client has nothing staged any more.
static int
stage_tables(struct answer *a, const json_t *tables, uint32_t stage, struct diag *diag)
{
	const struct topology *t = a->live->topology;
	const uint32_t lids = count_lids(t);
	uint8_t **staged = a->lft_stages->stages[stage].tables;
	const json_t *table;
	size_t i;

	json_array_foreach(tables, i, table)
	{
		uint32_t node;
		uint8_t *ports = decode(t, table, lids, &node);

		if (ports == NULL) {
			forget(a->lft_stages, stage);
			return diag_fail(diag, EINVAL,
					 "\"tables\": each needs a `switch` of the fabric, and "
					 "`ports`: at most %u bytes in base64",
					 lids);
		}
		free(staged[node]);
		staged[node] = ports;
	}
	return 0;
}

// ---- use ----------------------------------------------------------------------------------------

// The fabric's tables as they are now: set ones, those of `subnet.lfts`, or those of its engine.
static int
copy_tables(const struct live_fabric *live, uint8_t **out, struct diag *diag)
{
	const struct topology *t = live->topology;
	struct subnet *s;
	int rc = 0;

	subnet_create(&s, t, live->fabric->link_down);
	if (t->lfts == NULL && t->config->subnet.lfts.table_count != 0)
		rc = subnet_take_file(s, t, diag);
	if (rc == 0)
		*out = memory_copy(s->lft, (size_t)s->switch_count * s->lid_count, 1,
				   "forwarding tables");
	subnet_destroy(s);
	return rc;
}

// Takes over tables, or NULL: the fabric's own again. After an error the old ones stay.
static int
use(struct live_fabric *live, uint8_t *tables, struct diag *diag)
{
	uint8_t *before = live->topology->lfts;
	int rc;

	live->topology->lfts = tables;
	rc = events_reroute(live->events, diag);
	if (rc != 0)
		live->topology->lfts = before;
	free(rc == 0 ? before : tables);
	return rc;
}

static int
use_stage(struct answer *a, uint32_t stage, struct diag *diag)
{
	struct live_fabric *live = a->live;
	const uint32_t lids = count_lids(live->topology);
	uint8_t *tables;
	int rc = copy_tables(live, &tables, diag);

	if (rc == 0) {
		for (uint32_t n = 0; n < live->topology->first_host; n++)
			if (a->lft_stages->stages[stage].tables[n] != NULL)
				memcpy(tables + (size_t)n * lids,
				       a->lft_stages->stages[stage].tables[n], lids);
		rc = use(live, tables, diag);
	}
	forget(a->lft_stages, stage);
	return rc;
}

int
answer_lft(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct live_fabric *live = a->live;
	const json_t *tables = json_object_get(params, "tables");
	const bool reset = json_is_true(json_object_get(params, "reset"));
	const bool more = json_is_true(json_object_get(params, "more"));
	int rc;

	if (!topology_is_infiniband(live->topology) || topology_is_single(live->topology))
		return diag_fail(diag, EINVAL,
				 "only an InfiniBand fabric has such tables (fabric.link-layer)");
	if (reset == (tables != NULL))
		return diag_fail(diag, EINVAL, "give either `tables` or `reset`");
	if (reset && more)
		return diag_fail(diag, EINVAL, "`more` is for `tables`, not for `reset`");
	if (reset) {
		rc = use(live, NULL, diag);
	} else {
		const uint32_t stage = find_stage(a);

		rc = stage_tables(a, tables, stage, diag);
		if (rc == 0 && !more)
			rc = use_stage(a, stage, diag);
	}
	if (rc == 0)
		*result = json_pack("{s:I}", "lids", (json_int_t)count_lids(live->topology));
	return rc;
}
