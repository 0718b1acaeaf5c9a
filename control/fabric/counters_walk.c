// SPDX-License-Identifier: BSD-3-Clause
// The counters of a node, one value after the other, without the values that say that nothing
// happened: of 300 values of a port a dozen are left. So what is written or digested grows with
// what happened and not with the size of the fabric.
#include "counters.h"

#include "control/base/memory.h"
#include "dataplane/base/answer_kind.h"
#include "dataplane/base/drop.h"

#include <stdio.h>

struct walk {
	void (*take)(void *context, const struct counter_value *value);
	void *context;
	struct counter_value value; // where the walk stands
};

static void
hand_over(struct walk *w, const char *name, json_int_t value)
{
	w->value.name = name;
	w->value.value = value;
	w->take(w->context, &w->value);
}

// The rows by scope, so that none is passed over in vain for each of the 25 places of a port.
static const struct counter *const *
rows_of(enum counter_scope scope)
{
	static const struct counter **by_scope[COUNTER_SCOPES];
	unsigned int used = 0;
	size_t count;
	const struct counter *rows = counter_rows(&count);

	if (by_scope[scope] != NULL)
		return by_scope[scope];
	by_scope[scope] = memory_array(count + 1, sizeof(*by_scope[scope]), "rows of counters");
	for (const struct counter *c = rows; c < rows + count; c++)
		if (c->scope == scope)
			by_scope[scope][used++] = c;
	return by_scope[scope];
}

// The counters of a scope and part at a place.
static void
walk_rows(struct walk *w, enum counter_scope scope, unsigned int parts,
	  const struct counter_place *at)
{
	for (const struct counter *const *row = rows_of(scope); *row != NULL; row++) {
		const struct counter *c = *row;
		json_int_t value;

		if (!(c->part & parts))
			continue;
		value = c->read(at);
		if (value != counter_initial(c))
			hand_over(w, c->name, value);
	}
}

// Those of the eight priorities, groups or queues.
static void
walk_eight(struct walk *w, enum counter_scope scope, const char *group, struct counter_place at)
{
	const bool credits = at.n->node->ports[at.port].credits != NULL;

	w->value.group = group;
	for (at.index = 0; at.index < PRIORITIES; at.index++) {
		w->value.index = (int)at.index;
		walk_rows(w, scope, COUNTERS_PORTS | (credits ? COUNTERS_CREDITS : 0), &at);
	}
	w->value.index = -1;
}

static void
walk_kinds(struct walk *w, const char *group, const uint64_t *counts, unsigned int kinds,
	   const char *(*name)(unsigned int kind))
{
	w->value.group = group;
	for (unsigned int i = 0; i < kinds; i++)
		if (counts[i] != 0)
			hand_over(w, name(i), (json_int_t)counts[i]);
}

static const char *
name_of_drop(unsigned int reason)
{
	return drop_name((enum drop_reason)reason);
}

static const char *
name_of_answer(unsigned int kind)
{
	return answer_kind_name((enum answer_kind)kind);
}

static void
walk_port(struct walk *w, const struct counter_place *at)
{
	const struct port *p = &at->n->node->ports[at->port];

	w->value.port = at->n->ports[at->port].name;
	w->value.group = NULL;
	walk_rows(w, COUNTER_OF_PORT, COUNTERS_PORTS | counters_parts_of(at->n, at->port), at);
	walk_eight(w, COUNTER_OF_PRIORITY, NULL, *at);
	walk_kinds(w, "drops", p->drops, DROP_COUNT, name_of_drop);
	walk_kinds(w, "answers", p->answers, ANSWER_COUNT, name_of_answer);
	walk_eight(w, COUNTER_OF_GROUP, "pg", *at);
	walk_eight(w, COUNTER_OF_QUEUE, "queue", *at);
}

static void
walk_histograms(struct walk *w, const struct report_node *n, const struct tables *t)
{
	w->value.group = "histograms";
	for (unsigned int i = 0; i < t->histogram_count; i++) {
		const struct histogram_profile *h = &t->histograms[i];
		char of[32];

		snprintf(of, sizeof(of), "%s.%u", counters_histogram_kind(h->kind), h->index);
		w->value.port = n->ports[h->port].name;
		w->value.of = of;
		for (w->value.index = 0; w->value.index < (int)h->bins; w->value.index++)
			if (n->node->histograms[i][w->value.index] != 0)
				hand_over(w, "bin",
					  (json_int_t)n->node->histograms[i][w->value.index]);
	}
}

// What belongs to the node as a whole.
static void
walk_objects(struct walk *w, struct counter_place at)
{
	const struct tables *t = report_tables(at.n);

	w->value.port = NULL;
	w->value.group = "pools";
	for (at.index = 0; at.index < POOL_COUNT; at.index++) {
		w->value.of = counters_pool_name((enum pool_id)at.index);
		walk_rows(w, COUNTER_OF_POOL, COUNTERS_POOLS, &at);
	}
	w->value.group = "packets";
	for (at.index = 0; at.index < PACKET_KINDS && counters_limit_packets(t); at.index++) {
		w->value.of = counters_packet_kind((enum packet_kind)at.index);
		walk_rows(w, COUNTER_OF_MEMORY, COUNTERS_MEMORY, &at);
	}
	w->value.group = "tenants";
	for (at.index = 0; t != NULL && at.index < t->tenant_count; at.index++) {
		w->value.of = at.n->tenants[at.index];
		if (w->value.of != NULL) // NULL: no tenant has this index, or one without hosts
			walk_rows(w, COUNTER_OF_TENANT, COUNTERS_TENANTS, &at);
	}
	if (t != NULL && at.n->node->histograms != NULL)
		walk_histograms(w, at.n, t);
}

void
counters_walk(const struct report_node *n, ps_t now,
	      void (*take)(void *context, const struct counter_value *value), void *context)
{
	struct walk w = {take, context, {.node = n->name, .index = -1}};
	struct counter_place at = {.n = n, .now = now};

	for (at.port = 0; at.port < n->node->port_count; at.port++)
		walk_port(&w, &at);
	at.port = 0;
	walk_objects(&w, at);
}
