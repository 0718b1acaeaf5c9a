// SPDX-License-Identifier: BSD-3-Clause
// A port's counters sorted as `nv show interface X qos roce counters` does: what came in for RoCE
// and what beside it, what went out as RoCE and as CNPs, marks and pauses. RoCE are the priorities
// that PFC pauses (without any, priority 3); CNPs go by the class of DSCP 48. Priorities that share
// a group or class are counted there together.
#include "control/fabric/counters.h"
#include "show_view.h"

#include <string.h>

#define ROCE_PRIORITY 3
#define CNP_DSCP 48

// Bit per group (or class) that one of the priorities maps to.
static unsigned int
mapped(const uint8_t map[CONFIG_PRIORITIES], unsigned int priorities)
{
	unsigned int bits = 0;

	for (; priorities != 0; priorities &= priorities - 1)
		bits |= 1u << map[__builtin_ctz(priorities)];
	return bits;
}

// The pool of a group or class, or POOL_COUNT.
static unsigned int
pool_of(const struct counter_place *at, enum counter_scope scope)
{
	const struct port_profile *profile = report_profile(at->n, at->port);

	if (profile == NULL)
		return POOL_COUNT;
	return scope == COUNTER_OF_GROUP ? profile->pg[at->index].threshold.pool
					 : profile->tc[at->index].threshold.pool;
}

// The counters of the groups or classes in `bits`, added up; a peak is the largest of theirs.
// "pool_*" is of the switch's pool that the first of them uses.
static json_t *
stats_json(const struct counter_place *port, enum counter_scope scope, unsigned int bits)
{
	static const char *const names[][5] = {
		[COUNTER_OF_GROUP] = {"packets", "bytes", "dropped", "used", "used_max"},
		[COUNTER_OF_QUEUE] = {"packets", "bytes", "dropped", "depth", "depth_max"},
	};
	struct counter_place at = *port;
	unsigned int pool = POOL_COUNT;
	json_int_t values[5] = {0}, used = 0, used_max = 0;

	for (; bits != 0; bits &= bits - 1) {
		at.index = (unsigned int)__builtin_ctz(bits);
		if (pool == POOL_COUNT)
			pool = pool_of(&at, scope);
		for (size_t i = 0; i < 5; i++) {
			json_int_t one = counter_find(scope, names[scope][i])->read(&at);

			if (i < 4)
				values[i] += one;
			else if (one > values[i])
				values[i] = one;
		}
	}
	if (pool != POOL_COUNT) {
		at.index = pool;
		used = counter_find(COUNTER_OF_POOL, "used")->read(&at);
		used_max = counter_find(COUNTER_OF_POOL, "used_max")->read(&at);
	}
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", names[scope][0], values[0],
			 names[scope][1], values[1], names[scope][2], values[2], names[scope][3],
			 values[3], names[scope][4], values[4], "pool_used", used, "pool_used_max",
			 used_max);
}

// Frames and pause time of the priorities, one way.
static json_t *
pause_json(const struct port *p, bool rx, unsigned int priorities, ps_t now)
{
	uint64_t frames = 0, total = 0;

	for (; priorities != 0; priorities &= priorities - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(priorities);

		frames += rx ? p->pfc_rx[i] : p->pfc_tx[i];
		total += (rx ? counters_rx_pause(p, i, now) : counters_tx_pause(p, i, now)).total;
	}
	return json_pack("{s:I,s:I}", rx ? "pfc_rx" : "pfc_tx", (json_int_t)frames,
			 rx ? "pfc_rx_pause_ns" : "pfc_tx_pause_ns",
			 (json_int_t)(total / PS_PER_NS));
}

static json_t *
roce_counters(const struct report_node *n, const struct switch_config *c, unsigned int port,
	      ps_t now)
{
	const struct counter_place at = {n, port, 0, now};
	const struct port *p = &n->node->ports[port];
	unsigned int roce = c->pfc_priorities != 0 ? c->pfc_priorities : 1u << ROCE_PRIORITY;
	unsigned int groups = mapped(c->priority_to_group, roce);
	unsigned int others = mapped(c->priority_to_group, 0xff & ~roce) & ~groups;
	unsigned int cnp = 1u << c->dscp_to_priority[CNP_DSCP];
	uint64_t marked = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		marked += p->queues[i].ecn_marked;
	return json_pack("{s:o,s:o,s:o,s:o,s:{s:I},s:o,s:o}", "rx-non-roce-stats",
			 stats_json(&at, COUNTER_OF_GROUP, others), "rx-pfc-stats",
			 pause_json(p, true, roce, now), "rx-roce-stats",
			 stats_json(&at, COUNTER_OF_GROUP, groups), "tx-cnp-stats",
			 stats_json(&at, COUNTER_OF_QUEUE, mapped(c->priority_to_class, cnp)),
			 "tx-ecn-stats", "ecn_marked", (json_int_t)marked, "tx-pfc-stats",
			 pause_json(p, false, roce, now), "tx-roce-stats",
			 stats_json(&at, COUNTER_OF_QUEUE, mapped(c->priority_to_class, roce)));
}

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct show_switch *w = show_find_switch(s, n);
	struct switch_config own;

	return w != NULL ? roce_counters(n, show_port_settings(w, (int)port, &own), port, s->now)
			 : json_object();
}

// ---- printing ----------------------------------------------------------------------------------

enum unit { UNIT_COUNT, UNIT_BYTES, UNIT_TIME };

// The lines of the sections, in NVUE's order, and the members of the answer that they stand for.
static const struct counter_line {
	const char *section;
	const char *name;
	const char *key;
	enum unit unit;
} lines[] = {
	{"rx-non-roce-stats", "buffer-max-usage", "pool_used_max", UNIT_BYTES},
	{"rx-non-roce-stats", "buffer-usage", "pool_used", UNIT_BYTES},
	{"rx-non-roce-stats", "no-buffer-discard", "dropped"},
	{"rx-non-roce-stats", "non-roce-bytes", "bytes", UNIT_BYTES},
	{"rx-non-roce-stats", "non-roce-packets", "packets"},
	{"rx-non-roce-stats", "pg-max-usage", "used_max", UNIT_BYTES},
	{"rx-non-roce-stats", "pg-usage", "used", UNIT_BYTES},
	{"rx-pfc-stats", "pause-duration", "pfc_rx_pause_ns", UNIT_TIME},
	{"rx-pfc-stats", "pause-packets", "pfc_rx"},
	{"rx-roce-stats", "buffer-max-usage", "pool_used_max", UNIT_BYTES},
	{"rx-roce-stats", "buffer-usage", "pool_used", UNIT_BYTES},
	{"rx-roce-stats", "no-buffer-discard", "dropped"},
	{"rx-roce-stats", "pg-max-usage", "used_max", UNIT_BYTES},
	{"rx-roce-stats", "pg-usage", "used", UNIT_BYTES},
	{"rx-roce-stats", "roce-bytes", "bytes", UNIT_BYTES},
	{"rx-roce-stats", "roce-packets", "packets"},
	{"tx-cnp-stats", "buffer-max-usage", "pool_used_max", UNIT_BYTES},
	{"tx-cnp-stats", "buffer-usage", "pool_used", UNIT_BYTES},
	{"tx-cnp-stats", "cnp-bytes", "bytes", UNIT_BYTES},
	{"tx-cnp-stats", "cnp-packets", "packets"},
	{"tx-cnp-stats", "tc-max-usage", "depth_max", UNIT_BYTES},
	{"tx-cnp-stats", "tc-usage", "depth", UNIT_BYTES},
	{"tx-cnp-stats", "unicast-no-buffer-discard", "dropped"},
	{"tx-ecn-stats", "ecn-marked-packets", "ecn_marked"},
	{"tx-pfc-stats", "pause-duration", "pfc_tx_pause_ns", UNIT_TIME},
	{"tx-pfc-stats", "pause-packets", "pfc_tx"},
	{"tx-roce-stats", "buffer-max-usage", "pool_used_max", UNIT_BYTES},
	{"tx-roce-stats", "buffer-usage", "pool_used", UNIT_BYTES},
	{"tx-roce-stats", "roce-bytes", "bytes", UNIT_BYTES},
	{"tx-roce-stats", "roce-packets", "packets"},
	{"tx-roce-stats", "tc-max-usage", "depth_max", UNIT_BYTES},
	{"tx-roce-stats", "tc-usage", "depth", UNIT_BYTES},
	{"tx-roce-stats", "unicast-no-buffer-discard", "dropped"},
};

static void
add_lines(struct text_table *t, const struct show_row *port)
{
	const char *section = "";

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct show_row row = {.value = json_object_get(port->value, lines[i].section)};

		if (strcmp(lines[i].section, section) != 0) {
			section = lines[i].section;
			text_table_cell(t, "%s", section);
			text_table_cell(t, "%s", "");
		}
		text_table_cell(t, "  %s", lines[i].name);
		show_cell(t, &row, lines[i].key, lines[i].unit == UNIT_TIME ? SHOW_US : SHOW_COUNT);
		if (lines[i].unit != UNIT_COUNT)
			text_table_append(t, lines[i].unit == UNIT_TIME ? " us" : " Bytes");
	}
}

static const struct show_column columns[] = {{""}, {"operational", .format = SHOW_COUNT}, {0}};

static const struct show_table tables[] = {
	{"", .columns = columns, .add = add_lines},
	{0},
};

const struct show_view show_interface_roce_counters = {
	.name = "interface",
	.view = "roce-counters",
	.arguments = "[PORT] qos roce counters",
	.help = "counters of RoCE traffic of ports of switches",
	.of = "switch or switch port",
	.needs = SHOW_NEEDS_SETTINGS,
	.port = port_json,
	.switches = true,
	.heading = show_print_name,
	.tables = tables,
};
