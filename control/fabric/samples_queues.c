// SPDX-License-Identifier: BSD-3-Clause
// Series about what switches hold: queues.csv, thresholds.csv and pools.csv.
#include "samples_internal.h"
#include "thresholds.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

// ---- queues.csv ---------------------------------------------------------------------------------
// A column for each queue, with its depth in bytes, without the packet being sent. `all` are the
// switches' queues that packets can use with the tables at the start.

static bool
in_use(const struct tables *t, unsigned int tc)
{
	return t->tc_priorities[tc] != 0 || (t->trim.size != 0 && t->trim.tc == tc);
}

// Bits of the queues of a switch that are in use.
static uint64_t
queues_in_use(const struct tables *t)
{
	uint64_t mask = 0;

	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		mask |= (uint64_t)in_use(t, tc) << tc;
	return mask;
}

// A rank knows the tables of its own switches.
static void
add_all(struct sample_places *s)
{
	const struct topology *t = s->fabric->topology;
	uint64_t *masks = memory_array(t->first_host, sizeof(*masks), "queues of switches");

	for (uint32_t n = 0; n < t->first_host; n++)
		if (fabric_is_here(s->fabric, n))
			masks[n] = queues_in_use(s->fabric->tables[n]);
	ranks_reduce(s->fabric->ranks, RANKS_SUM, masks, t->first_host);
	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			for (unsigned int tc = 0; tc < PRIORITIES; tc++)
				if (masks[n] >> tc & 1)
					sample_places_add(s, n, p, (uint8_t)tc);
	free(masks);
}

static int
add_queue(struct sample_places *s, const struct config_name *name, const char *key,
	  struct diag *diag)
{
	struct topo_ref ref;
	int rc = topology_resolve_queue(s->fabric->topology, name, key, &ref, diag);

	if (rc == 0)
		sample_places_add(s, ref.node, ref.port, ref.queue);
	return rc;
}

static void
put_queue(const struct sample_places *s, unsigned int place, FILE *to)
{
	samples_put_port(s, place, to);
	fprintf(to, ".%u", s->items[place].queue);
}

static void
head_queue(const struct sample_places *s, unsigned int place, FILE *to)
{
	fputc(',', to);
	put_queue(s, place, to);
}

static void
take_queue(struct sample_places *s, unsigned int place, ps_t now, FILE *to)
{
	fprintf(to, ",%lld", samples_read(s, place, s->items[place].queue, now));
}

const struct series series_queues = {
	.file = "queues.csv",
	.heading = "time_ns",
	.key = "record.queues",
	.names = offsetof(struct config_record, queues),
	.row = true,
	.scope = COUNTER_OF_QUEUE,
	.counter = "depth",
	.add = add_queue,
	.add_all = add_all,
	.head = head_queue,
	.take = take_queue,
};

// ---- thresholds.csv -----------------------------------------------------------------------------
// What the depths are compared with: a row for each threshold of a queue, as of the start.

// The least over all ports by which packets for the queue may arrive; those of hosts and uplinks
// may differ.
static uint64_t
queue_xoff_bytes(const struct tables *t, uint16_t port_count, const struct sample_place *q)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int priority = 0; priority < PRIORITIES; priority++) {
		if (t->priority_to_tc[priority] != q->queue)
			continue;
		for (uint16_t p = 0; p < port_count; p++) {
			const struct port_profile *profile = t->ports[p].profile;
			uint64_t one =
				threshold_xoff_bytes(t, &profile->pg[t->priority_to_pg[priority]]);

			if (p != q->port && one < least)
				least = one;
		}
	}
	return least;
}

static void
put_threshold(const struct sample_places *s, unsigned int place, const char *name, uint64_t bytes,
	      FILE *to)
{
	fputc('\n', to);
	put_queue(s, place, to);
	fprintf(to, ",%s,%llu", name, (unsigned long long)bytes);
}

static void
head_threshold(const struct sample_places *s, unsigned int place, FILE *to)
{
	const struct sample_place *q = &s->items[place];
	const struct tables *t = s->fabric->tables[q->node];
	const struct ecn_profile *ecn = &t->ports[q->port].profile->tc[q->queue].ecn;
	uint64_t xoff = queue_xoff_bytes(t, s->fabric->topology->nodes[q->node].port_count, q);

	if (ecn->enabled) {
		put_threshold(s, place, "ECN min", (uint64_t)ecn->min * t->cell, to);
		put_threshold(s, place, "ECN max", (uint64_t)ecn->max * t->cell, to);
	}
	if (xoff != UINT64_MAX)
		put_threshold(s, place, "XOFF", xoff, to);
}

const struct series series_thresholds = {
	.file = "thresholds.csv",
	.heading = "queue,threshold,bytes",
	.key = "record.queues",
	.names = offsetof(struct config_record, queues),
	.add = add_queue,
	.add_all = add_all,
	.head = head_threshold,
};

// ---- pools.csv ----------------------------------------------------------------------------------
// The bytes that each buffer pool of a switch holds.

static int
add_switch(struct sample_places *s, const struct config_name *name, const char *key,
	   struct diag *diag)
{
	const struct topology *t = s->fabric->topology;
	uint32_t node;
	int rc = topology_resolve_node(t, name, key, &node, diag);

	if (rc == 0 && t->nodes[node].role == CONFIG_ROLE_HOST) {
		diag_error(diag, t->config->file, name->pos, key,
			   "%s is a host: pools are a switch's", name->text);
		rc = -EINVAL;
	}
	if (rc == 0)
		sample_places_add(s, node, 0, 0);
	return rc;
}

static void
add_switches(struct sample_places *s)
{
	for (uint32_t n = 0; n < s->fabric->topology->first_host; n++)
		sample_places_add(s, n, 0, 0);
}

static void
take_pools(struct sample_places *s, unsigned int place, ps_t now, FILE *to)
{
	for (unsigned int pool = 0; pool < POOL_COUNT; pool++) {
		samples_put_time(now, to);
		fprintf(to, ",%s,%s,%lld\n", s->fabric->names[s->items[place].node].name,
			counters_pool_name(pool), samples_read(s, place, pool, now));
	}
}

const struct series series_pools = {
	.file = "pools.csv",
	.heading = "time_ns,node,pool,",
	.key = "record.pools",
	.names = offsetof(struct config_record, pools),
	.scope = COUNTER_OF_POOL,
	.counter = "used",
	.add = add_switch,
	.add_all = add_switches,
	.take = take_pools,
};
