// SPDX-License-Identifier: BSD-3-Clause
// queues.csv: a column a queue, its depth in bytes. The packet being sent is in no depth.
#include "samples_part.h"

#include <errno.h>
#include <stdlib.h>

struct queues {
	const struct fabric *fabric;
	const struct config_names *names;
	unsigned int count;
	struct topo_ref refs[];
};

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows,
       struct config_diag *diag)
{
	const struct config_names *names = &f->config->record.queues;
	struct queues *s;
	int rc = 0;

	(void)flows;
	if (names->count == 0)
		return 0;
	s = calloc(1, sizeof(*s) + names->count * sizeof(s->refs[0]));
	if (s == NULL)
		return -ENOMEM;
	s->fabric = f;
	s->names = names;
	s->count = names->count;
	for (unsigned int i = 0; rc == 0 && i < s->count; i++)
		rc = topology_resolve_queue(f->topology, &names->items[i], "record.queues",
					    &s->refs[i], diag);
	if (rc != 0)
		free(s);
	else
		*state = s;
	return rc;
}

static void
head(const void *state, FILE *to)
{
	const struct queues *s = state;

	fputs("time_ns", to);
	for (unsigned int i = 0; i < s->count; i++)
		fprintf(to, ",%s", s->names->items[i].text);
}

static void
take(void *state, ps_t now, FILE *to)
{
	const struct queues *s = state;

	samples_put_time(now, to);
	for (unsigned int i = 0; i < s->count; i++) {
		const struct topo_ref *q = &s->refs[i];
		const struct node *n = s->fabric->nodes[q->node];
		uint64_t cells = n->depth[q->queue * n->port_count + q->port];

		fprintf(to, ",%llu", (unsigned long long)(cells * n->current->cell));
	}
	fputc('\n', to);
}

const struct series series_queues = {"queues.csv", create, head, take, free};
