// SPDX-License-Identifier: BSD-3-Clause
#include "summary.h"

#include "text_table.h"

#include <errno.h>
#include <string.h>

static const struct text_column item_columns[] = {
	{"workload", TEXT_LEFT}, {"flows", TEXT_RIGHT},    {"complete", TEXT_RIGHT},
	{"bytes", TEXT_RIGHT},   {"FCT mean", TEXT_RIGHT}, {"p50", TEXT_RIGHT},
	{"p99", TEXT_RIGHT},     {"max", TEXT_RIGHT},      {"slowdown mean", TEXT_RIGHT},
	{"p50", TEXT_RIGHT},     {"p99", TEXT_RIGHT},
};

static const struct text_column collective_columns[] = {
	{"collective", TEXT_LEFT}, {"ranks", TEXT_RIGHT},      {"per rank", TEXT_RIGHT},
	{"time", TEXT_RIGHT},      {"algbw Gb/s", TEXT_RIGHT}, {"busbw Gb/s", TEXT_RIGHT},
};

static const struct text_column pool_columns[] = {
	{"buffer pool", TEXT_LEFT},
	{"peak", TEXT_RIGHT},
	{"of", TEXT_RIGHT},
	{"at", TEXT_LEFT},
};

static void
duration_cell(struct text_table *t, uint32_t known, ps_t at)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", known != 0 ? text_duration(text, at) : "-");
}

static void
slowdown_cell(struct text_table *t, uint32_t known, double slowdown)
{
	if (known != 0)
		text_table_cell(t, "%.3f", slowdown);
	else
		text_table_cell(t, "-");
}

static int
add_item(struct text_table *t, const struct report_result *r, const char *item)
{
	char bytes[TEXT_VALUE_MAX];
	struct flow_statistics s;
	int status = flow_statistics_compute(r->flows, r->flow_count, item, &s);

	if (status != 0)
		return status;
	text_table_cell(t, "%s", item != NULL ? item : "all");
	text_table_cell(t, "%u", s.flows);
	text_table_cell(t, "%u", s.completed);
	text_table_cell(t, "%s", text_bytes(bytes, s.bytes));
	duration_cell(t, s.completed, s.fct_mean);
	duration_cell(t, s.completed, s.fct_p50);
	duration_cell(t, s.completed, s.fct_p99);
	duration_cell(t, s.completed, s.fct_max);
	slowdown_cell(t, s.with_ideal, s.slowdown_mean);
	slowdown_cell(t, s.with_ideal, s.slowdown_p50);
	slowdown_cell(t, s.with_ideal, s.slowdown_p99);
	return 0;
}

// True when flow i is the first of its item. Flows of an item follow each other but for items of
// one name.
static bool
item_begins(const struct report_result *r, uint32_t i)
{
	if (i != 0 && strcmp(r->flows[i - 1].item, r->flows[i].item) == 0)
		return false;
	for (uint32_t k = 0; k + 1 < i; k++) {
		if (strcmp(r->flows[k].item, r->flows[i].item) == 0)
			return false;
	}
	return true;
}

static int
print_items(const struct report_result *r, FILE *to)
{
	struct text_table *t;
	int status =
		text_table_create(&t, item_columns, sizeof(item_columns) / sizeof(*item_columns));

	for (uint32_t i = 0; i < r->flow_count && status == 0; i++)
		if (item_begins(r, i))
			status = add_item(t, r, r->flows[i].item);
	if (status == 0 && text_table_rows(t) > 1)
		status = add_item(t, r, NULL);
	if (status == 0 && r->flow_count != 0)
		status = text_table_print(t, "", to);
	text_table_destroy(t);
	return status;
}

static int
print_collectives(const struct report_result *r, FILE *to)
{
	struct text_table *t;
	char text[TEXT_VALUE_MAX];
	int status = text_table_create(&t, collective_columns,
				       sizeof(collective_columns) / sizeof(*collective_columns));

	for (uint32_t i = 0; i < r->collective_count && status == 0; i++) {
		const struct report_collective *c = &r->collectives[i];
		double algorithm, bus;

		report_collective_bandwidth(c, &algorithm, &bus);
		text_table_cell(t, "%s", c->name);
		text_table_cell(t, "%u", c->ranks);
		text_table_cell(t, "%s", text_bytes(text, c->bytes));
		duration_cell(t, c->step != PS_NEVER, c->step);
		text_table_cell(t, "%.1f", algorithm);
		text_table_cell(t, "%.1f", bus);
	}
	if (status == 0 && r->collective_count != 0) {
		fputc('\n', to);
		status = text_table_print(t, "", to);
	}
	text_table_destroy(t);
	return status;
}

// Of each pool the node where it was fullest.
static int
print_pools(const struct report_result *r, FILE *to)
{
	struct text_table *t;
	char text[TEXT_VALUE_MAX];
	int status =
		text_table_create(&t, pool_columns, sizeof(pool_columns) / sizeof(*pool_columns));

	for (unsigned int pool = 0; pool < POOL_COUNT && status == 0; pool++) {
		const struct report_node *fullest = NULL;
		uint64_t peak = 0, size = 0;

		for (uint32_t i = 0; i < r->node_count; i++) {
			const struct tables *tables = report_tables(&r->nodes[i]);
			const struct pool *state = &r->nodes[i].node->buffer.pools[pool];
			uint64_t used = watermark_user(&state->used_before, state->used_max);

			if (tables == NULL || used * tables->cell <= peak)
				continue;
			fullest = &r->nodes[i];
			peak = used * tables->cell;
			size = tables->pools[pool].size == POOL_UNLIMITED
				       ? 0
				       : (uint64_t)tables->pools[pool].size * tables->cell;
		}
		if (fullest == NULL)
			continue;
		text_table_cell(t, "%s", counters_pool_name(pool));
		text_table_cell(t, "%s", text_bytes(text, peak));
		text_table_cell(t, "%s", size != 0 ? text_bytes(text, size) : "unlimited");
		text_table_cell(t, "%s", fullest->name);
	}
	if (status == 0 && text_table_rows(t) != 0) {
		fputc('\n', to);
		status = text_table_print(t, "", to);
	}
	text_table_destroy(t);
	return status;
}

// The port and priority that received pauses held the longest.
static void
print_longest_pause(const struct report_result *r, FILE *to)
{
	const struct report_node *where = NULL;
	unsigned int port = 0, priority = 0;
	char text[TEXT_VALUE_MAX];
	ps_t longest = 0;

	for (uint32_t i = 0; i < r->node_count; i++) {
		for (unsigned int k = 0; k < r->nodes[i].node->port_count; k++) {
			for (unsigned int c = 0; c < PRIORITIES; c++) {
				const struct port *p = &r->nodes[i].node->ports[k];
				ps_t held = counters_rx_pause(p, c, r->now).total;

				if (held <= longest)
					continue;
				where = &r->nodes[i];
				port = k;
				priority = c;
				longest = held;
			}
		}
	}
	if (where != NULL)
		fprintf(to, "; longest paused: %s.%s priority %u, %s", where->name,
			where->ports[port].name, priority, text_duration(text, longest));
}

static void
print_events(const struct report_result *r, FILE *to)
{
	struct report_totals totals;

	report_totals_compute(r->nodes, r->node_count, &totals);
	fprintf(to, "\ndrops   %ju, of them lossless %ju\n", (uintmax_t)totals.drops,
		(uintmax_t)totals.drops_lossless);
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		if (totals.by_reason[i] != 0)
			fprintf(to, "        %s %ju: %s\n", drop_name(i),
				(uintmax_t)totals.by_reason[i], drop_advice(i));
	fprintf(to, "PFC     %ju sent", (uintmax_t)totals.pfc_tx);
	print_longest_pause(r, to);
	fprintf(to, "\nECN     %ju packets marked, %ju CNPs\n", (uintmax_t)totals.ecn_marked,
		(uintmax_t)r->cnps);
}

static void
print_run(const struct report_result *r, const char *digest, FILE *to)
{
	struct report_totals totals;
	char text[TEXT_VALUE_MAX];

	report_totals_compute(r->nodes, r->node_count, &totals);
	fprintf(to, "\n%s of fabric time", text_duration(text, r->last_event));
	fprintf(to, " in %s", text_duration(text, (uint64_t)(r->wall_s * (double)PS_PER_S)));
	if (r->wall_s > 0)
		fprintf(to, ", %.1f million packet-hops/s",
			(double)totals.packet_hops / r->wall_s / 1e6);
	fputc('\n', to);
	if (digest != NULL)
		fprintf(to, "digest %s\n", digest);
}

int
summary_print(const struct report_result *r, const char *digest, FILE *to)
{
	int status = print_items(r, to);

	if (status == 0)
		status = print_collectives(r, to);
	if (status != 0)
		return status;
	print_events(r, to);
	status = print_pools(r, to);
	print_run(r, digest, to);
	return status;
}
