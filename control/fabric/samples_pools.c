// SPDX-License-Identifier: BSD-3-Clause
// pools.csv: what each buffer pool of a switch holds, in bytes.
#include "samples_internal.h"

#include <errno.h>
#include <stdlib.h>

struct pools {
	const struct fabric *fabric;
	unsigned int count;
	uint32_t nodes[];
};

static int
find_switch(const struct topology *t, const struct config_name *name, uint32_t *node,
	    struct diag *diag)
{
	int rc = topology_resolve_node(t, name, "record.pools", node, diag);

	if (rc != 0 || t->nodes[*node].role != CONFIG_ROLE_HOST)
		return rc;
	diag_error(diag, t->config->file, name->pos, "record.pools",
		   "%s is a host: pools are a switch's", name->text);
	return -EINVAL;
}

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows, struct diag *diag)
{
	const struct config_names *names = &f->config->record.pools;
	const struct topology *t = f->topology;
	struct pools *s;
	int rc = 0;

	(void)flows;
	if (names->count == 0)
		return 0;
	s = calloc(1, sizeof(*s) + (t->node_count + names->count) * sizeof(s->nodes[0]));
	if (s == NULL)
		return -ENOMEM;
	s->fabric = f;
	if (config_means_all(names))
		for (; s->count < t->first_host; s->count++)
			s->nodes[s->count] = s->count;
	else
		for (; rc == 0 && s->count < names->count; s->count++)
			rc = find_switch(t, &names->items[s->count], &s->nodes[s->count], diag);
	if (rc != 0)
		free(s);
	else
		*state = s;
	return rc;
}

static void
head(const void *state, FILE *to)
{
	(void)state;
	fputs("time_ns,node,pool,used", to);
}

static void
take(void *state, ps_t now, FILE *to)
{
	const struct pools *s = state;

	for (unsigned int i = 0; i < s->count; i++) {
		const struct node *n = s->fabric->nodes[s->nodes[i]];

		for (unsigned int pool = 0; pool < POOL_COUNT; pool++) {
			uint64_t used = (uint64_t)n->buffer.pools[pool].used * n->current->cell;

			samples_put_time(now, to);
			fprintf(to, ",%s,%s,%llu\n", s->fabric->topology->nodes[s->nodes[i]].name,
				counters_pool_name(pool), (unsigned long long)used);
		}
	}
}

const struct series series_pools = {"pools.csv", create, head, take, free};
