// SPDX-License-Identifier: BSD-3-Clause
#include "metrics_internal.h"

#include <string.h>

// ---- names -------------------------------------------------------------------------------------

// Metrics of Cumulus Linux, and the counter that means the same.
static const struct {
	enum counter_scope scope;
	const char *counter, *name;
} nvswitch[] = {
	{COUNTER_OF_GROUP, "packets", "nvswitch_interface_pg_rx_frames"},
	{COUNTER_OF_GROUP, "bytes", "nvswitch_interface_pg_rx_octet"},
	{COUNTER_OF_GROUP, "dropped", "nvswitch_interface_pg_rx_buffer_discard"},
	{COUNTER_OF_GROUP, "used", "nvswitch_interface_shared_buffer_port_pg_curr_occupancy"},
	{COUNTER_OF_GROUP, "used_max", "nvswitch_interface_shared_buffer_port_pg_watermark"},
	{COUNTER_OF_QUEUE, "packets", "nvswitch_interface_tc_tx_frames"},
	{COUNTER_OF_QUEUE, "bytes", "nvswitch_interface_tc_tx_octet"},
	{COUNTER_OF_QUEUE, "depth", "nvswitch_interface_tc_tx_queue"},
	{COUNTER_OF_QUEUE, "ecn_marked", "nvswitch_interface_tc_tx_ecn_marked_tc"},
	{COUNTER_OF_QUEUE, "red_dropped", "nvswitch_interface_tc_tx_wred_discard"},
	{COUNTER_OF_POOL, "used", "nvswitch_shared_buffer_pool_curr_occupancy"},
	{COUNTER_OF_POOL, "used_max", "nvswitch_shared_buffer_pool_watermark"},
};

// What a scope is called in names, where its objects are in JSON, and the label of its objects.
static const struct scope {
	const char *name, *group, *label, *nvswitch_label;
} scopes[COUNTER_SCOPES] = {
	[COUNTER_OF_PORT] = {"port", NULL, NULL, NULL},
	[COUNTER_OF_PRIORITY] = {"priority", NULL, "priority", "priority"},
	[COUNTER_OF_GROUP] = {"group", "pg", "group", "pg"},
	[COUNTER_OF_QUEUE] = {"queue", "queue", "queue", "tc"},
	[COUNTER_OF_POOL] = {"pool", "pools", "pool", "pool"},
	[COUNTER_OF_MEMORY] = {"memory", "packets", "kind", "kind"},
	[COUNTER_OF_TENANT] = {"tenant", "tenants", "tenant", "tenant"},
};

static bool
in_seconds(const struct counter *c)
{
	return strcmp(c->unit, "ns") == 0;
}

static const char *
unit_of(const struct counter *c)
{
	return in_seconds(c) ? "seconds" : c->unit;
}

const char *
metrics_name(const struct counter *c, struct metrics_form form, char *name, size_t size)
{
	size_t length = strlen(c->name);

	for (size_t i = 0; form.nvswitch && i < sizeof(nvswitch) / sizeof(*nvswitch); i++)
		if (c->scope == nvswitch[i].scope && strcmp(c->name, nvswitch[i].counter) == 0)
			return nvswitch[i].name;
	if (form.nvswitch)
		return NULL;
	if (in_seconds(c) && metrics_ends_in(c->name, "_ns"))
		length -= 3;
	snprintf(name, size, "roost_%s_%.*s", scopes[c->scope].name, (int)length, c->name);
	// The unit comes last, and once.
	if (*c->unit != '\0' && !metrics_ends_in(name, unit_of(c))) {
		length = strlen(name);
		snprintf(name + length, size - length, "_%s", unit_of(c));
	}
	return name;
}

const char *
metrics_type(struct metrics_form form)
{
	return form.openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				: "text/plain; version=0.0.4; charset=utf-8";
}

// ---- counters of a node ------------------------------------------------------------------------

static json_int_t
value_of(const struct counter *c, const json_t *value)
{
	return value != NULL ? json_integer_value(value) : counter_initial(c);
}

struct place {
	const char *node, *port, *object;
};

static void
write_counter(struct metrics *m, const struct counter *c, const struct place *at,
	      const json_t *value)
{
	char name[METRICS_NAME_MAX];
	const struct family f = {metrics_name(c, m->form, name, sizeof(name)), c->help,
				 *c->unit != '\0' ? unit_of(c) : NULL, c->kind == COUNTER_TOTAL,
				 in_seconds(c)};
	const struct scope *scope = &scopes[c->scope];
	const struct label labels[METRICS_LABELS_MAX] = {
		{"node", at->node},
		{m->form.nvswitch ? "interface" : "port", at->port},
		{m->form.nvswitch ? scope->nvswitch_label : scope->label, at->object},
	};

	if (f.name != NULL && (value != NULL || c->kind != COUNTER_INSTANT))
		metrics_write(m, &f, labels, value_of(c, value));
}

// Whether a value of these rows is there: of an object, or of one of the eight priorities.
static bool
has_any(const json_t *object, enum counter_scope scope, unsigned int parts, const char *index)
{
	size_t count;
	const struct counter *rows = counter_rows(&count);

	for (const struct counter *c = rows; c < rows + count; c++) {
		const json_t *value;

		if (c->scope != scope || !(c->part & parts))
			continue;
		value = json_object_get(object, c->name);
		if (index != NULL ? json_object_get(value, index) != NULL : value != NULL)
			return true;
	}
	return false;
}

static void
write_priorities(struct metrics *m, const struct counter *c, struct place at, const json_t *port)
{
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		char index[4];

		snprintf(index, sizeof(index), "%u", i);
		at.object = index;
		if (has_any(port, c->scope, COUNTERS_ALL, index))
			write_counter(m, c, &at,
				      json_object_get(json_object_get(port, c->name), index));
	}
}

// Objects of a port or node: groups, queues, pools, tenants.
static void
write_objects(struct metrics *m, const struct counter *c, struct place at, const json_t *of)
{
	json_t *object;

	json_object_foreach(json_object_get(of, scopes[c->scope].group), at.object, object)
	{
		const json_t *value = json_object_get(object, c->name);

		// A switch without a limit on packets of a kind says so by leaving it out.
		if (value != NULL || c->scope != COUNTER_OF_MEMORY || strcmp(c->name, "most") != 0)
			write_counter(m, c, &at, value);
	}
}

static void
write_port(struct metrics *m, const struct counter *c, struct place at, const json_t *port)
{
	if (c->part == COUNTERS_CREDITS && json_object_get(port, c->name) == NULL)
		return;
	if (c->scope == COUNTER_OF_PRIORITY)
		write_priorities(m, c, at, port);
	else if (c->scope != COUNTER_OF_PORT)
		write_objects(m, c, at, port);
	else if (!(c->part & COUNTERS_OF_SOME) || has_any(port, c->scope, c->part, NULL))
		write_counter(m, c, &at, json_object_get(port, c->name));
}

void
metrics_write_counter(struct metrics *m, const struct counter *c, const char *name,
		      const json_t *node)
{
	struct place at = {.node = name};
	json_t *port;

	if (c->scope == COUNTER_OF_POOL || c->scope == COUNTER_OF_MEMORY ||
	    c->scope == COUNTER_OF_TENANT) {
		write_objects(m, c, at, node);
		return;
	}
	json_object_foreach(json_object_get(node, "ports"), at.port, port)
	{
		write_port(m, c, at, port);
	}
}

// ---- by reason or kind -------------------------------------------------------------------------

struct kinds {
	const char *key, *label;
	struct family family;
};

static const struct kinds kinds[] = {
	{"drops",
	 "reason",
	 {"roost_port_dropped_packets",
	  "packets dropped, by reason and the port where they came in", "packets", true, false}},
	{"answers",
	 "kind",
	 {"roost_port_answers_packets",
	  "packets that the switch itself sent in reply, such as ICMP errors", "packets", true,
	  false}},
};

size_t
metrics_kinds(struct metrics_form form)
{
	return form.nvswitch ? 0 : sizeof(kinds) / sizeof(*kinds);
}

void
metrics_write_kind(struct metrics *m, size_t kind, const char *name, const json_t *node)
{
	const struct kinds *k = &kinds[kind];
	const char *port, *which;
	json_t *ports, *value;

	json_object_foreach(json_object_get(node, "ports"), port, ports)
		json_object_foreach(json_object_get(ports, k->key), which, value)
	{
		const struct label labels[METRICS_LABELS_MAX] = {
			{"node", name}, {"port", port}, {k->label, which}};

		metrics_write(m, &k->family, labels, json_integer_value(value));
	}
}
