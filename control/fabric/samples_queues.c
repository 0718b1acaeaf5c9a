// SPDX-License-Identifier: BSD-3-Clause
// queues.csv: a column a queue, its depth in bytes. The packet being sent is in no depth. `all` are
// the switches' queues that packets may come to as their tables are at the start.
#include "samples_internal.h"

#include <errno.h>
#include <stdlib.h>

struct queues {
	const struct fabric *fabric;
	unsigned int count;
	struct topo_ref refs[];
};

static bool
in_use(const struct tables *t, unsigned int tc)
{
	return t->tc_priorities[tc] != 0 || (t->trim.size != 0 && t->trim.tc == tc);
}

static void
list_all(struct queues *s)
{
	const struct topology *t = s->fabric->topology;

	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			for (unsigned int tc = 0; tc < PRIORITIES; tc++)
				if (in_use(s->fabric->tables[n], tc))
					s->refs[s->count++] = (struct topo_ref){
						.node = n, .port = p, .queue = (uint8_t)tc};
}

static size_t
count_switch_queues(const struct topology *t)
{
	size_t count = 0;

	for (uint32_t n = 0; n < t->first_host; n++)
		count += (size_t)PRIORITIES * t->nodes[n].port_count;
	return count;
}

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows,
       struct config_diag *diag)
{
	const struct config_names *names = &f->config->record.queues;
	bool all = config_means_all(names);
	struct queues *s;
	int rc = 0;

	(void)flows;
	if (names->count == 0)
		return 0;
	s = calloc(1, sizeof(*s) + (all ? count_switch_queues(f->topology) : names->count) *
					   sizeof(s->refs[0]));
	if (s == NULL)
		return -ENOMEM;
	s->fabric = f;
	if (all)
		list_all(s);
	else
		for (; rc == 0 && s->count < names->count; s->count++)
			rc = topology_resolve_queue(f->topology, &names->items[s->count],
						    "record.queues", &s->refs[s->count], diag);
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
	for (unsigned int i = 0; i < s->count; i++) {
		fputc(',', to);
		sample_port_put(s->fabric, &s->refs[i], to);
		fprintf(to, ".%u", s->refs[i].queue);
	}
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
