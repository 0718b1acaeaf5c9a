// SPDX-License-Identifier: BSD-3-Clause
// roost workload describe: what a file's workload, or a trace, sends. A trace becomes the workload
// of a fabric with a host for each rank, so that its messages are those that it has in a run.
#include "cli.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/base/text_table.h"
#include "control/config/schema.h"
#include "control/model/workload/describe_work.h"
#include "control/model/workload/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_WORDS "chakra|simai|aicb|nccl|nccl-tests|htsim"
#define HOSTS_PER_LEAF 128
#define MATRIX_HOSTS 16
#define PAIRS_SHOWN 20

// A file, and what is made of it.
struct described {
	const char *file;
	bool is_trace;
	enum config_file_format format;
	struct trace trace; // of a trace
	struct config *config;
	struct topology *topology;
	struct routes *routes;
	struct host_config *hosts;
	struct workload *workload;
	struct work_description sums;
};

// ---- loading ------------------------------------------------------------------------------------

// A fabric with as many hosts as the trace has ranks, and the trace as its only item.
static int
make_fabric(struct described *d, struct diag *diag)
{
	uint32_t ranks = d->trace.rank_count, leaves = (ranks - 1) / HOSTS_PER_LEAF + 1;
	char *text =
		memory_format("fabric:\n  topology: {kind: leaf-spine, leaves: %u, spines: %u, "
			      "hosts-per-leaf: %u}\nworkload:\n  - {kind: trace, file: x, "
			      "format: %s}\n",
			      leaves, leaves > 1,
			      leaves > 1  ? HOSTS_PER_LEAF
			      : ranks > 1 ? ranks
					  : 2,
			      schema_choice_name(schema_file_formats, (int)d->format));
	int rc = config_load_text(&d->config, text, strlen(text), d->file, diag);

	free(text);
	if (rc == 0) { // errors are of the trace, not of a place in this text
		d->config->workload[0].file.text = (char *)(uintptr_t)d->file;
		d->config->workload[0].pos = (struct diag_pos){0};
	}
	return rc;
}

static bool
named_as_fabric(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot != NULL &&
	       (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

static int
load_config(struct described *d, struct diag *diag)
{
	int rc;

	if (!d->is_trace) {
		rc = config_load(&d->config, d->file, diag);
		if (rc != 0 && !named_as_fabric(d->file))
			diag_error(diag, d->file, (struct diag_pos){0}, NULL,
				   "if this is a trace, say so with --format");
		return rc;
	}
	rc = trace_load(&d->trace, d->format, d->file, diag);
	if (rc != 0 && rc != -EINVAL)
		return diag_fail(
			diag, -rc, "%s cannot be read: %s%s", d->file, strerror(-rc),
			d->format == CONFIG_TRACE_CHAKRA
				? "; for chakra, write NAME to read NAME.0.et, NAME.1.et, ..."
				: "");
	return rc != 0 ? rc : make_fabric(d, diag);
}

static int
load(struct described *d, struct diag *diag)
{
	int rc = load_config(d, diag);

	if (rc == 0 && d->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		rc = diag_error(diag, d->file, (struct diag_pos){0}, NULL,
				"this is one switch, which has no hosts and no workload");
	if (rc == 0)
		rc = topology_create(&d->topology, d->config, diag);
	if (rc == 0)
		rc = routes_create(&d->routes, d->topology, NULL, diag);
	if (rc != 0)
		return rc;
	d->hosts = memory_array(d->topology->host_count, sizeof(*d->hosts), "hosts");
	for (uint32_t h = 0; rc == 0 && h < d->topology->host_count; h++)
		rc = config_host(d->config, topology_host(d->topology, h)->name, &d->hosts[h]);
	if (rc == 0)
		rc = workload_create(&d->workload, d->topology, d->routes, d->hosts, diag);
	if (rc == 0)
		work_describe(&d->sums, d->workload, d->config);
	return rc;
}

static void
unload(struct described *d)
{
	work_description_free(&d->sums);
	workload_destroy(d->workload);
	free(d->hosts);
	routes_destroy(d->routes);
	topology_destroy(d->topology);
	config_free(d->config);
	trace_free(&d->trace);
}

// ---- names --------------------------------------------------------------------------------------

static const char *
item_name(const struct described *d, uint32_t item)
{
	const struct config_work *work = &d->config->workload[item];

	if (d->is_trace)
		return d->file;
	return work->name.text != NULL ? work->name.text
				       : schema_choice_name(schema_work_kinds, (int)work->kind);
}

// A host, or of a trace alone its rank.
static const char *
host_name(const struct described *d, uint32_t host, char text[static 16])
{
	if (!d->is_trace)
		return topology_host(d->topology, host)->name;
	snprintf(text, 16, "%u", host);
	return text;
}

static uint64_t
total_bytes(const struct described *d)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < d->sums.sum_count; i++)
		sum += d->sums.sums[i].bytes;
	return sum;
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *
integer(uint64_t value)
{
	return json_integer((json_int_t)(value > INT64_MAX ? INT64_MAX : value));
}

static json_t *
operations_json(const struct described *d, uint32_t item)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < d->sums.sum_count; i++) {
		const struct work_sum *s = &d->sums.sums[i];
		json_t *one;

		if (s->item != item)
			continue;
		one = json_pack("{s:s,s:o,s:o}", "kind", s->kind, "count", integer(s->count),
				"bytes", integer(s->bytes));
		if (s->group != NULL)
			json_object_set_new(one, "group", api_text(s->group));
		if (s->inside_bytes != 0)
			json_object_set_new(one, "inside_bytes", integer(s->inside_bytes));
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *
items_json(const struct described *d)
{
	json_t *items = json_array();

	for (uint32_t item = 0; item < d->config->work_count; item++) {
		const struct config_work *work = &d->config->workload[item];
		json_t *one = json_pack("{s:o,s:s,s:i}", "name", api_text(item_name(d, item)),
					"kind",
					schema_choice_name(schema_work_kinds, (int)work->kind),
					"repeat", (int)work->repeat);

		for (uint32_t i = 0; i < d->sums.program_count; i++) {
			const struct work_program *p = &d->sums.programs[i];

			if (p->item != item)
				continue;
			json_object_set_new(one, "ranks", json_integer(p->ranks));
			json_object_set_new(one, "compute_ps", integer(p->compute_ps));
		}
		json_object_set_new(one, "operations", operations_json(d, item));
		json_array_append_new(items, one);
	}
	return items;
}

static json_t *
pairs_json(const struct described *d)
{
	json_t *pairs = json_array();

	for (uint32_t i = 0; i < d->sums.pair_count; i++) {
		const struct work_pair *p = &d->sums.pairs[i];
		char from[16], to[16];

		json_array_append_new(
			pairs, json_pack("{s:s,s:s,s:o}", "from", host_name(d, p->src, from), "to",
					 host_name(d, p->dst, to), "bytes", integer(p->bytes)));
	}
	return pairs;
}

static json_t *
measured_json(const struct trace *trace)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < trace->operation_count; i++)
		json_array_append_new(all,
				      json_pack("{s:i,s:o,s:f}", "operation", (int)i, "time_ps",
						integer(trace->measured[i].time_ps), "busbw_gbps",
						(double)trace->measured[i].busbw * 8 / 1e9));
	return all;
}

static void
print_json(const struct described *d)
{
	json_t *answer = json_pack("{s:o,s:o,s:o,s:o}", "file", api_text(d->file), "bytes",
				   integer(total_bytes(d)), "items", items_json(d), "pairs",
				   pairs_json(d));

	if (d->sums.generated_left_out != 0)
		json_object_set_new(answer, "flows_not_in_pairs",
				    integer(d->sums.generated_left_out));
	if (d->trace.measured != NULL)
		json_object_set_new(answer, "measured", measured_json(&d->trace));
	cli_print_json(answer);
	json_decref(answer);
}

// ---- text ---------------------------------------------------------------------------------------

static void
print_programs(const struct described *d)
{
	char time[TEXT_VALUE_MAX];

	for (uint32_t i = 0; i < d->sums.program_count; i++) {
		const struct work_program *p = &d->sums.programs[i];
		uint32_t repeat = d->config->workload[p->item].repeat;

		printf("%s: %u ranks", item_name(d, p->item), p->ranks);
		if (repeat != 1)
			printf(", %u times", repeat);
		if (p->compute_ps != 0)
			printf(", a rank computes up to %s", text_duration(time, p->compute_ps));
		putchar('\n');
	}
	if (d->sums.program_count != 0)
		putchar('\n');
}

// Bytes, or "-" for none.
static void
bytes_cell(struct text_table *t, uint64_t bytes)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", bytes != 0 ? text_bytes(text, bytes) : "-");
}

// Items are named if there are several.
static void
print_sums(const struct described *d)
{
	static const struct text_column columns[] = {
		{"item", TEXT_LEFT},   {"kind", TEXT_LEFT},   {"group", TEXT_LEFT},
		{"count", TEXT_RIGHT}, {"bytes", TEXT_RIGHT}, {"inside hosts", TEXT_RIGHT},
	};
	unsigned count = sizeof(columns) / sizeof(columns[0]), first = d->config->work_count < 2;
	struct text_table *t;
	uint64_t inside = 0;

	for (uint32_t i = 0; i < d->sums.sum_count; i++)
		inside |= d->sums.sums[i].inside_bytes;
	count -= inside == 0;
	t = text_table_create(columns + first, count - first);
	for (uint32_t i = 0; i < d->sums.sum_count; i++) {
		const struct work_sum *s = &d->sums.sums[i];

		if (first == 0)
			text_table_cell(t, "%s", item_name(d, s->item));
		text_table_cell(t, "%s", s->kind);
		text_table_cell(t, "%s", s->group != NULL ? s->group : "-");
		text_table_cell(t, "%" PRIu64, s->count);
		bytes_cell(t, s->bytes);
		if (inside != 0)
			bytes_cell(t, s->inside_bytes);
	}
	text_table_print(t, "", stdout);
	text_table_destroy(t);
}

// The hosts that send or receive, in their order. Returns how many, at most MATRIX_HOSTS + 1.
static unsigned
find_hosts(const struct described *d, uint32_t hosts[MATRIX_HOSTS + 1])
{
	bool *active = memory_array(d->topology->host_count, sizeof(*active), "hosts");
	unsigned count = 0;

	for (uint32_t i = 0; i < d->sums.pair_count; i++)
		active[d->sums.pairs[i].src] = active[d->sums.pairs[i].dst] = true;
	for (uint32_t h = 0; h < d->topology->host_count && count <= MATRIX_HOSTS; h++)
		if (active[h])
			hosts[count++] = h;
	free(active);
	return count;
}

static uint64_t
bytes_between(const struct described *d, uint32_t src, uint32_t dst)
{
	for (uint32_t i = 0; i < d->sums.pair_count; i++)
		if (d->sums.pairs[i].src == src && d->sums.pairs[i].dst == dst)
			return d->sums.pairs[i].bytes;
	return 0;
}

static void
print_matrix(const struct described *d, const uint32_t *hosts, unsigned count)
{
	struct text_column columns[MATRIX_HOSTS + 1] = {{"from \\ to", TEXT_LEFT}};
	char names[MATRIX_HOSTS][16];
	struct text_table *t;

	for (unsigned i = 0; i < count; i++)
		columns[i + 1] = (struct text_column){host_name(d, hosts[i], names[i]), TEXT_RIGHT};
	t = text_table_create(columns, count + 1);
	for (unsigned i = 0; i < count; i++) {
		text_table_cell(t, "%s", columns[i + 1].heading);
		for (unsigned k = 0; k < count; k++)
			bytes_cell(t, bytes_between(d, hosts[i], hosts[k]));
	}
	text_table_print(t, "", stdout);
	text_table_destroy(t);
}

static void
print_largest(const struct described *d)
{
	static const struct text_column columns[] = {
		{"from", TEXT_LEFT}, {"to", TEXT_LEFT}, {"bytes", TEXT_RIGHT}};
	struct text_table *t = text_table_create(columns, sizeof(columns) / sizeof(columns[0]));
	uint32_t shown = d->sums.pair_count < PAIRS_SHOWN ? d->sums.pair_count : PAIRS_SHOWN;
	char name[16];

	for (uint32_t i = 0; i < shown; i++) {
		const struct work_pair *p = &d->sums.pairs[i];

		text_table_cell(t, "%s", host_name(d, p->src, name));
		text_table_cell(t, "%s", host_name(d, p->dst, name));
		bytes_cell(t, p->bytes);
	}
	printf("the largest %u of %u pairs:\n", shown, d->sums.pair_count);
	text_table_print(t, "", stdout);
	text_table_destroy(t);
}

static void
print_measured(const struct trace *trace)
{
	static const struct text_column columns[] = {
		{"operation", TEXT_RIGHT}, {"measured", TEXT_RIGHT}, {"busbw Gb/s", TEXT_RIGHT}};
	struct text_table *t = text_table_create(columns, sizeof(columns) / sizeof(columns[0]));
	char text[TEXT_VALUE_MAX];

	for (uint32_t i = 0; i < trace->operation_count; i++) {
		text_table_cell(t, "%u", i + 1);
		text_table_cell(t, "%s", text_duration(text, trace->measured[i].time_ps));
		text_table_cell(t, "%.1f", (double)trace->measured[i].busbw * 8 / 1e9);
	}
	putchar('\n');
	text_table_print(t, "", stdout);
	text_table_destroy(t);
}

static void
print_text(const struct described *d)
{
	uint32_t hosts[MATRIX_HOSTS + 1];
	unsigned count = find_hosts(d, hosts);

	if (d->sums.sum_count == 0) {
		printf("%s: nothing is sent\n", d->file);
		return;
	}
	print_programs(d);
	print_sums(d);
	if (d->sums.pair_count != 0)
		putchar('\n');
	if (count > MATRIX_HOSTS)
		print_largest(d);
	else if (count > 0)
		print_matrix(d, hosts, count);
	if (d->sums.generated_left_out != 0)
		printf("%" PRIu64 " generated flows are not in these pairs\n",
		       d->sums.generated_left_out);
	if (d->trace.measured != NULL)
		print_measured(&d->trace);
}

static enum config_file_format
find_format(const char *word)
{
	for (const struct schema_choice *c = schema_file_formats; c->name != NULL; c++)
		if (strcmp(c->name, word) == 0)
			return (enum config_file_format)c->value;
	abort(); // the command's row lists the words
}

static int
workload(const struct cli_args *args)
{
	const char *format = cli_text(args, "format");
	struct described d = {.file = cli_text(args, "FILE"), .is_trace = format != NULL};
	struct diag diag = {0};
	int rc;

	if (format != NULL)
		d.format = find_format(format);
	rc = load(&d, &diag);
	diag_print(&diag, stderr);
	diag_free(&diag);
	if (rc == 0 && cli_wants_json(args))
		print_json(&d);
	else if (rc == 0)
		print_text(&d);
	unload(&d);
	return rc == 0 ? EXIT_OK : EXIT_USAGE;
}

const struct cli_command command_workload = {
	.name = "workload",
	.help = "describe what a fabric file or a trace sends",
	.details = "`describe` shows how many bytes each kind of operation and each group of ranks "
		   "sends, and who sends\nhow much to whom. It runs nothing. FILE is a fabric file "
		   "or, with --format, a trace\n(doc/workloads.md).\n",
	.forms = {{{{CLI_LITERAL, "describe"}, {CLI_FILE}},
		   .help = "describe a workload or a trace"}},
	.options =
		{
			{.name = "format",
			 .kind = CLI_LITERAL,
			 .value = FORMAT_WORDS,
			 .help = "FILE is a trace of this format; for chakra, FILE reads "
				 "FILE.0.et, FILE.1.et, ..."},
			CLI_OUTPUT_OPTION,
		},
	.run = workload,
};
