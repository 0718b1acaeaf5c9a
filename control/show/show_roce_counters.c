// SPDX-License-Identifier: BSD-3-Clause
// A port's counters sorted as `nv show interface X qos roce counters` does: what came in for RoCE
// and what beside it, what went out as RoCE and as CNPs, marks and pauses. RoCE are the priorities
// that PFC pauses (without any, priority 3); CNPs go by the class of DSCP 48. Priorities that share
// a group or class are counted there together.
#include "control/fabric/counters_internal.h"
#include "show_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROCE_PRIORITY 3
#define CNP_DSCP 48

// The groups or classes of one side, added up.
struct stats {
	uint64_t packets, bytes, dropped;
	uint64_t cells, cells_max; // the maximum is the largest of theirs
	unsigned int pool;         // of the first, or POOL_COUNT
};

static uint8_t
cnp_priority(const struct switch_config *c, const char *port)
{
	for (unsigned int i = 0; i < c->port_count; i++)
		if (strcmp(c->ports[i].name.text, port) == 0 &&
		    c->ports[i].set & CONFIG_PORT_QOS_DSCP)
			return c->ports[i].dscp_to_priority[CNP_DSCP];
	return c->dscp_to_priority[CNP_DSCP];
}

// Bit per group (or class) that one of the priorities maps to.
static unsigned int
mapped(const uint8_t map[CONFIG_PRIORITIES], unsigned int priorities)
{
	unsigned int bits = 0;

	for (; priorities != 0; priorities &= priorities - 1)
		bits |= 1u << map[__builtin_ctz(priorities)];
	return bits;
}

static void
add_stats(struct stats *s, uint64_t packets, uint64_t bytes, uint64_t dropped, uint64_t cells,
	  uint64_t cells_max, unsigned int pool)
{
	s->packets += packets;
	s->bytes += bytes;
	s->dropped += dropped;
	s->cells += cells;
	if (cells_max > s->cells_max)
		s->cells_max = cells_max;
	if (s->pool == POOL_COUNT)
		s->pool = pool;
}

static struct stats
group_stats(const struct report_node *n, unsigned int port, unsigned int groups)
{
	const struct port_profile *profile = report_profile(n, port);
	const struct port *p = &n->node->ports[port];
	struct stats s = {.pool = POOL_COUNT};

	for (unsigned int bits = groups; bits != 0; bits &= bits - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(bits);
		const struct priority_group *g = &p->groups[i];

		add_stats(&s, g->packets, g->bytes, g->dropped,
			  (uint64_t)g->usage.own + g->usage.guaranteed + g->headroom,
			  watermark_user(&p->group_cold[i].used_before, g->used_max),
			  profile != NULL ? profile->pg[i].threshold.pool : POOL_COUNT);
	}
	return s;
}

static struct stats
class_stats(const struct report_node *n, unsigned int port, unsigned int classes)
{
	const struct port_profile *profile = report_profile(n, port);
	const struct port *p = &n->node->ports[port];
	struct stats s = {.pool = POOL_COUNT};

	for (unsigned int bits = classes; bits != 0; bits &= bits - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(bits);
		const struct queue *q = &p->queues[i];

		add_stats(&s, q->packets, q->bytes, q->dropped,
			  n->node->depth[i * n->node->port_count + port],
			  watermark_user(&p->queue_cold[i].depth_before, q->depth_max),
			  profile != NULL ? profile->tc[i].threshold.pool : POOL_COUNT);
	}
	return s;
}

// "pool_*": of the whole switch's pool. `level`: "used" of groups, "depth" of queues.
static json_t *
stats_json(const struct report_node *n, const struct stats *s, const char *level,
	   const char *level_max)
{
	const struct pool none = {0};
	const struct pool *pool = s->pool != POOL_COUNT ? &n->node->buffer.pools[s->pool] : &none;
	json_int_t cell = counters_cell(n);

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "packets", (json_int_t)s->packets,
			 "bytes", (json_int_t)s->bytes, "dropped", (json_int_t)s->dropped, level,
			 (json_int_t)s->cells * cell, level_max, (json_int_t)s->cells_max * cell,
			 "pool_used", pool->used * cell, "pool_used_max",
			 watermark_user(&pool->used_before, pool->used_max) * cell);
}

// Frames and pause time of the priorities, one way.
static json_t *
pause_json(const struct port *p, const char *direction, unsigned int priorities, ps_t now)
{
	bool rx = strcmp(direction, "rx") == 0;
	char frames_name[16], total_name[24];
	uint64_t frames = 0, total = 0;

	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(bits);

		frames += rx ? p->pfc_rx[i] : p->pfc_tx[i];
		total += (rx ? counters_rx_pause(p, i, now) : counters_tx_pause(p, i, now)).total;
	}
	snprintf(frames_name, sizeof(frames_name), "pfc_%s", direction);
	snprintf(total_name, sizeof(total_name), "pfc_%s_pause_ns", direction);
	return json_pack("{s:I,s:I}", frames_name, (json_int_t)frames, total_name,
			 (json_int_t)(total / PS_PER_NS));
}

static json_t *
roce_counters(const struct report_node *n, const struct show_switch *w, unsigned int port, ps_t now)
{
	const struct switch_config *c = w->settings;
	const struct port *p = &n->node->ports[port];
	unsigned int roce = c->pfc_priorities != 0 ? c->pfc_priorities : 1u << ROCE_PRIORITY;
	unsigned int groups = mapped(c->priority_to_group, roce);
	unsigned int others = mapped(c->priority_to_group, 0xff & ~roce) & ~groups;
	unsigned int cnp = 1u << cnp_priority(c, n->ports[port].name);
	struct stats rx_roce = group_stats(n, port, groups),
		     rx_other = group_stats(n, port, others);
	struct stats tx_roce = class_stats(n, port, mapped(c->priority_to_class, roce));
	struct stats tx_cnp = class_stats(n, port, mapped(c->priority_to_class, cnp));
	uint64_t marked = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		marked += p->queues[i].ecn_marked;
	return json_pack("{s:o,s:o,s:o,s:o,s:{s:I},s:o,s:o}", "rx-non-roce-stats",
			 stats_json(n, &rx_other, "used", "used_max"), "rx-pfc-stats",
			 pause_json(p, "rx", roce, now), "rx-roce-stats",
			 stats_json(n, &rx_roce, "used", "used_max"), "tx-cnp-stats",
			 stats_json(n, &tx_cnp, "depth", "depth_max"), "tx-ecn-stats", "ecn_marked",
			 (json_int_t)marked, "tx-pfc-stats", pause_json(p, "tx", roce, now),
			 "tx-roce-stats", stats_json(n, &tx_roce, "depth", "depth_max"));
}

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct show_switch *w = show_find_switch(s, n);

	return w != NULL ? roce_counters(n, w, port, s->now) : json_object();
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_port(s, q, true, port_json, to);
}

// ---- printing ----------------------------------------------------------------------------------

// The lines of a section, in NVUE's order, and the members of the answer that they stand for.
struct counter_line {
	const char *section;
	const char *name; // NULL: the section's own line
	const char *key;
	char unit; // 'n' a count, 'b' bytes, 't' ns
};

static const struct counter_line counter_lines[] = {
	{"rx-non-roce-stats", NULL, NULL, 0},
	{"rx-non-roce-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"rx-non-roce-stats", "buffer-usage", "pool_used", 'b'},
	{"rx-non-roce-stats", "no-buffer-discard", "dropped", 'n'},
	{"rx-non-roce-stats", "non-roce-bytes", "bytes", 'b'},
	{"rx-non-roce-stats", "non-roce-packets", "packets", 'n'},
	{"rx-non-roce-stats", "pg-max-usage", "used_max", 'b'},
	{"rx-non-roce-stats", "pg-usage", "used", 'b'},
	{"rx-pfc-stats", NULL, NULL, 0},
	{"rx-pfc-stats", "pause-duration", "pfc_rx_pause_ns", 't'},
	{"rx-pfc-stats", "pause-packets", "pfc_rx", 'n'},
	{"rx-roce-stats", NULL, NULL, 0},
	{"rx-roce-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"rx-roce-stats", "buffer-usage", "pool_used", 'b'},
	{"rx-roce-stats", "no-buffer-discard", "dropped", 'n'},
	{"rx-roce-stats", "pg-max-usage", "used_max", 'b'},
	{"rx-roce-stats", "pg-usage", "used", 'b'},
	{"rx-roce-stats", "roce-bytes", "bytes", 'b'},
	{"rx-roce-stats", "roce-packets", "packets", 'n'},
	{"tx-cnp-stats", NULL, NULL, 0},
	{"tx-cnp-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"tx-cnp-stats", "buffer-usage", "pool_used", 'b'},
	{"tx-cnp-stats", "cnp-bytes", "bytes", 'b'},
	{"tx-cnp-stats", "cnp-packets", "packets", 'n'},
	{"tx-cnp-stats", "tc-max-usage", "depth_max", 'b'},
	{"tx-cnp-stats", "tc-usage", "depth", 'b'},
	{"tx-cnp-stats", "unicast-no-buffer-discard", "dropped", 'n'},
	{"tx-ecn-stats", NULL, NULL, 0},
	{"tx-ecn-stats", "ecn-marked-packets", "ecn_marked", 'n'},
	{"tx-pfc-stats", NULL, NULL, 0},
	{"tx-pfc-stats", "pause-duration", "pfc_tx_pause_ns", 't'},
	{"tx-pfc-stats", "pause-packets", "pfc_tx", 'n'},
	{"tx-roce-stats", NULL, NULL, 0},
	{"tx-roce-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"tx-roce-stats", "buffer-usage", "pool_used", 'b'},
	{"tx-roce-stats", "roce-bytes", "bytes", 'b'},
	{"tx-roce-stats", "roce-packets", "packets", 'n'},
	{"tx-roce-stats", "tc-max-usage", "depth_max", 'b'},
	{"tx-roce-stats", "tc-usage", "depth", 'b'},
	{"tx-roce-stats", "unicast-no-buffer-discard", "dropped", 'n'},
};

static void
add_counter(struct text_table *t, const json_t *section, const struct counter_line *line)
{
	uint64_t value;

	if (line->name == NULL) {
		text_table_cell(t, "%s", line->section);
		text_table_cell(t, "%s", "");
		return;
	}
	value = show_number(section, line->key);
	text_table_cell(t, "  %s", line->name);
	if (line->unit == 't')
		text_table_cell(t, "%" PRIu64 ".%03u us", value / 1000,
				(unsigned int)(value % 1000));
	else
		text_table_cell(t, line->unit == 'b' ? "%" PRIu64 " Bytes" : "%" PRIu64, value);
}

static void
add_counters(struct text_table *t, const struct show_row *port)
{
	for (size_t i = 0; i < sizeof(counter_lines) / sizeof(*counter_lines); i++)
		add_counter(t, json_object_get(port->value, counter_lines[i].section),
			    &counter_lines[i]);
}

static const struct show_table table = {
	.rows = "",
	.columns = (const struct show_column[]){{"", .format = SHOW_TEXT},
						{"operational", .format = SHOW_COUNT},
						{0}},
	.add = add_counters,
};

static void
print_port(const char *name, const json_t *port, FILE *to)
{
	fprintf(to, "%s\n", name);
	show_print_table(&table, port, "", "  ", to);
}

static void
print(const json_t *answer, FILE *to)
{
	show_print_each(answer, true, print_port, to);
}

const struct show_view show_interface_roce_counters = {
	.name = "interface",
	.view = "roce-counters",
	.arguments = "[PORT] qos roce counters",
	.help = "counters of RoCE traffic of ports of switches",
	.of = "switch or port of one",
	.needs = SHOW_NEEDS_SETTINGS,
	.collect = collect,
	.print = print,
};
