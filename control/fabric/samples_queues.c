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
create(void **state, const struct fabric *f, const struct fabric_flows *flows, struct diag *diag)
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

// ---- thresholds.csv -----------------------------------------------------------------------------
// What the depths are to be compared with: a row for each threshold of a queue, as of the start.

// Errors in the names were reported with queues.csv.
static int
create_thresholds(void **state, const struct fabric *f, const struct fabric_flows *flows,
		  struct diag *diag)
{
	return diag->errors != 0 ? 0 : create(state, f, flows, diag);
}

// The most bytes that a group holds before it sends XOFF: a dynamic limit falls as others fill the
// pool, so that is what a group reaches alone. UINT64_MAX where it sends none.
static uint64_t
xoff_bytes(const struct tables *t, const struct pg_profile *pg)
{
	const struct threshold *limit = &pg->threshold;
	uint64_t shared = t->pools[limit->pool].shared, parts = UINT64_C(1) << limit->down;
	uint64_t cells = limit->fixed;

	if (!pg->lossless || shared >= POOL_UNLIMITED || limit->fixed >= THRESHOLD_UNLIMITED)
		return UINT64_MAX;
	if (limit->down < 32)
		cells += (shared << limit->up) / (parts + (UINT64_C(1) << limit->up));
	return (limit->reserved + (cells < shared ? cells : shared)) * t->cell;
}

// The least of all ports that packets for the queue may come in by; hosts' and uplinks' may differ.
static uint64_t
queue_xoff_bytes(const struct tables *t, uint16_t port_count, const struct topo_ref *q)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int priority = 0; priority < PRIORITIES; priority++) {
		if (t->priority_to_tc[priority] != q->queue)
			continue;
		for (uint16_t p = 0; p < port_count; p++) {
			const struct port_profile *profile = t->ports[p].profile;
			uint64_t one = xoff_bytes(t, &profile->pg[t->priority_to_pg[priority]]);

			if (p != q->port && one < least)
				least = one;
		}
	}
	return least;
}

static void
put_threshold(const struct queues *s, const struct topo_ref *q, const char *name, uint64_t bytes,
	      FILE *to)
{
	fputc('\n', to);
	sample_port_put(s->fabric, q, to);
	fprintf(to, ".%u,%s,%llu", q->queue, name, (unsigned long long)bytes);
}

static void
head_thresholds(const void *state, FILE *to)
{
	const struct queues *s = state;

	fputs("queue,threshold,bytes", to);
	for (unsigned int i = 0; i < s->count; i++) {
		const struct topo_ref *q = &s->refs[i];
		const struct tables *t = s->fabric->tables[q->node];
		const struct ecn_profile *ecn = &t->ports[q->port].profile->tc[q->queue].ecn;
		uint64_t xoff =
			queue_xoff_bytes(t, s->fabric->topology->nodes[q->node].port_count, q);

		if (ecn->enabled) {
			put_threshold(s, q, "ECN min", (uint64_t)ecn->min * t->cell, to);
			put_threshold(s, q, "ECN max", (uint64_t)ecn->max * t->cell, to);
		}
		if (xoff != UINT64_MAX)
			put_threshold(s, q, "XOFF", xoff, to);
	}
}

static void
take_nothing(void *state, ps_t now, FILE *to)
{
	(void)state;
	(void)now;
	(void)to;
}

const struct series series_thresholds = {"thresholds.csv", create_thresholds, head_thresholds,
					 take_nothing, free};
