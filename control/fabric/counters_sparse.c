// SPDX-License-Identifier: BSD-3-Clause
// The counters as JSON without those that say that nothing happened, so that the answer grows with
// what happened and not with the size of the fabric.
#include "counters.h"

#include "dataplane/queueing/watermarks.h"

#include <stdio.h>
#include <string.h>

// The object of this key, made if it is missing.
static json_t *
child(json_t *of, const char *key)
{
	json_t *found = json_object_get(of, key);

	if (found != NULL || of == NULL)
		return found;
	found = json_object();
	json_object_set_new(of, key, found);
	return found;
}

static void
take(void *context, const struct counter_value *v)
{
	char index[16];
	json_t *to = context;
	const char *name = v->name;

	if (v->port != NULL)
		to = child(child(to, "ports"), v->port);
	if (v->group != NULL)
		to = child(to, v->group);
	if (v->of != NULL)
		to = child(to, v->of);
	if (v->index >= 0) {
		snprintf(index, sizeof(index), "%d", v->index);
		if (v->group != NULL && v->of == NULL) {
			to = child(to, index); // a group or queue, and its counters
		} else {
			to = child(to, name); // a counter, of each priority; a bin
			name = index;
		}
	}
	json_object_set_new(to, name, json_integer(v->value));
}

json_t *
counters_sparse(const struct report_node *nodes, unsigned int count, ps_t now)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < count; i++) {
		json_t *one, *ports;

		if (nodes[i].node == NULL)
			continue;
		one = child(out, nodes[i].name);
		ports = child(one, "ports");
		for (unsigned int k = 0; k < nodes[i].node->port_count; k++)
			child(ports, nodes[i].ports[k].name);
		counters_walk(&nodes[i], now, take, one);
	}
	return json_pack("{s:I,s:o}", "time_ns", (json_int_t)(now / PS_PER_NS), "nodes", out);
}

struct watermarks {
	const struct watermark_choice *which;
	const struct report_node *node;
	json_t *to;
};

// Whether it is a watermark at all, and a chosen one.
static bool
is_chosen(const struct watermarks *w, const struct counter_value *v)
{
	const struct watermark_choice *c = w->which;
	const char *end = c->persistent ? "_max_persistent" : "_max";
	const size_t length = strlen(v->name), wanted = strlen(end);
	bool pool = v->group != NULL && strcmp(v->group, "pools") == 0;
	bool pg = v->group != NULL && strcmp(v->group, "pg") == 0;

	if (length < wanted || strcmp(v->name + length - wanted, end) != 0)
		return false;
	if (c->pool >= 0)
		return pool && strcmp(v->of, counters_pool_name((enum pool_id)c->pool)) == 0;
	if (c->port < 0)
		return true;
	if (v->port == NULL || strcmp(v->port, w->node->ports[c->port].name) != 0)
		return false;
	return pg ? c->queue < 0 && (c->pg < 0 || c->pg == v->index)
		  : c->pg < 0 && (c->queue < 0 || c->queue == v->index);
}

static void
take_watermark(void *context, const struct counter_value *v)
{
	const struct watermarks *w = context;

	if (is_chosen(w, v))
		take(w->to, v);
}

json_t *
counters_watermarks(const struct report_node *nodes, unsigned int count,
		    const struct watermark_choice *which)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < count; i++) {
		struct watermarks w = {which, &nodes[i], NULL};

		if (nodes[i].node == NULL)
			continue;
		w.to = child(out, nodes[i].name);
		counters_walk(&nodes[i], 0, take_watermark, &w);
	}
	return out;
}
