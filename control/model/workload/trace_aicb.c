// SPDX-License-Identifier: BSD-3-Clause
// AICB's workloads and logs as CSV (github.com/aliyun/aicb): what one rank does, one row after the
// other. The header names the columns; those that are read are comm_type, comm_group,
// comm_group_size, msg_size (bytes), stage, additional and _elapsed_time (of a computation: ns in a
// workload; in a log, where communication has times too, ms). Every rank does the same in its own
// groups. With pipeline groups, the file is of the stage that a line such as `[ pp_stage1: ... ]`
// before the header names, or of the first; the other stages only join it.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 32
#define HOUR_PS (TRACE_HOUR_NS * PS_PER_NS)

enum column { COMM_TYPE, COMM_GROUP, GROUP_SIZE, MSG_SIZE, STAGE, ADDITIONAL, ELAPSED, COLUMNS };

static const char *const column_names[COLUMNS] = {
	"comm_type", "comm_group", "comm_group_size", "msg_size",
	"stage",     "additional", "_elapsed_time",
};

enum does { COMPUTES, COLLECTIVE, SENDS, RECEIVES, BARRIER, ENDS };

static const struct {
	const char *word;
	enum does does;
	enum config_work_kind kind;
} types[] = {
	{"all_reduce", COLLECTIVE, CONFIG_WORK_ALL_REDUCE},
	{"all_gather", COLLECTIVE, CONFIG_WORK_ALL_GATHER},
	{"all_gather_into_tensor", COLLECTIVE, CONFIG_WORK_ALL_GATHER},
	{"reduce_scatter", COLLECTIVE, CONFIG_WORK_REDUCE_SCATTER},
	{"reduce_scatter_tensor", COLLECTIVE, CONFIG_WORK_REDUCE_SCATTER},
	{"all_to_all", COLLECTIVE, CONFIG_WORK_ALL_TO_ALL},
	{"broadcast", COLLECTIVE, CONFIG_WORK_BROADCAST},
	{"isend", SENDS, CONFIG_WORK_SEND},
	{"irecv", RECEIVES, CONFIG_WORK_SEND},
	{"computation", COMPUTES, CONFIG_WORK_COMPUTE},
	{"barrier", BARRIER, CONFIG_WORK_ALL_REDUCE},
	{"epoch_end", ENDS, CONFIG_WORK_COMPUTE},
};

static const struct {
	const char *word;
	enum trace_grouping grouping;
} groups[] = {
	{"all", TRACE_ALL},
	{"tp_group", TRACE_TENSOR},
	{"ep_group", TRACE_EXPERT},
	{"dp_group", TRACE_DATA},
	{"ep_dp_group", TRACE_EXPERT_DATA},
	{"ep_tp_group", TRACE_TENSOR_EXPERT},
	{"pp_group", TRACE_PIPELINE},
};

struct row {
	struct diag_pos pos;
	enum does does;
	enum config_work_kind kind;
	enum trace_grouping grouping;
	uint64_t bytes;
	double elapsed; // of a computation
	const char *stage;
	bool next; // of SENDS, RECEIVES: to or from the next stage, or the one before
};

struct aicb {
	struct trace_builder *b;
	struct words_reader words; // for numbers
	struct trace_lines lines;
	int columns[COLUMNS]; // places in a line; -1: none
	uint32_t stage;
	bool measured; // a log: communication has times
	uint64_t sizes[TRACE_GROUPINGS];
	struct row *rows;
	uint32_t row_count;
};

// ---- lines --------------------------------------------------------------------------------------

// Cuts a line at the commas outside parentheses: shapes of tensors have commas too.
static unsigned
cut(struct aicb *a, char *line, struct config_name fields[FIELDS_MAX])
{
	unsigned count = 0, depth = 0;
	char *begin = line;

	for (char *c = line;; c++) {
		bool end = *c == '\0' || *c == '\r';

		if (*c == '(' || *c == '[')
			depth++;
		else if ((*c == ')' || *c == ']') && depth > 0)
			depth--;
		if (!end && (*c != ',' || depth != 0))
			continue;
		if (count < FIELDS_MAX)
			fields[count] = (struct config_name){
				.text = begin,
				.pos = {.line = a->lines.line,
					.column = (uint32_t)(begin - line) + 1},
			};
		count++;
		*c = '\0';
		if (end)
			return count < FIELDS_MAX ? count : FIELDS_MAX;
		begin = c + 1;
	}
}

static const struct config_name *
field(const struct aicb *a, const struct config_name *fields, unsigned count, enum column column)
{
	int place = a->columns[column];

	if (place < 0 || (unsigned)place >= count || fields[place].text[0] == '\0' ||
	    strcmp(fields[place].text, "None") == 0)
		return NULL;
	return &fields[place];
}

// "CommType.all_reduce" is all_reduce.
static const char *
behind_dot(const char *text)
{
	const char *dot = strchr(text, '.');

	return dot != NULL ? dot + 1 : text;
}

static int
read_header(struct aicb *a)
{
	struct config_name fields[FIELDS_MAX];
	char *line, *stage;

	while ((line = trace_next_line(&a->lines)) != NULL) {
		unsigned count;

		stage = strstr(line, "pp_stage");
		if (strstr(line, column_names[COMM_TYPE]) == NULL) {
			if (stage != NULL)
				a->stage = (uint32_t)strtoul(stage + strlen("pp_stage"), NULL, 10);
			continue;
		}
		count = cut(a, line, fields);
		for (unsigned c = 0; c < COLUMNS; c++) {
			a->columns[c] = -1;
			for (unsigned i = 0; i < count; i++)
				if (strcmp(fields[i].text, column_names[c]) == 0)
					a->columns[c] = (int)i;
			if (a->columns[c] < 0 && c <= MSG_SIZE)
				return trace_error(a->b, fields[0].pos, NULL,
						   "the header has no column %s", column_names[c]);
		}
		return 0;
	}
	return trace_error(a->b, (struct diag_pos){.line = 1, .column = 1}, NULL,
			   "no line names the columns: `comm_type,comm_group,comm_group_size,"
			   "msg_size,...`");
}

static int
read_elapsed(struct aicb *a, const struct config_name *word, double *out)
{
	char *end;

	*out = strtod(word->text, &end);
	if (end == word->text || *end != '\0' || !isfinite(*out) || *out < 0)
		return trace_error(a->b, word->pos, column_names[ELAPSED], "\"%.*s\" is not a time",
				   WORDS_SHOWN, word->text);
	return 0;
}

static int
read_group(struct aicb *a, const struct config_name *group, const struct config_name *size,
	   struct row *row)
{
	static const struct words_range range = {"comm_group_size", .min = 1,
						 .max = TRACE_RANKS_MAX};
	bool found = false;
	uint64_t ranks;

	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strcmp(behind_dot(group->text), groups[i].word) == 0) {
			row->grouping = groups[i].grouping;
			found = true;
		}
	if (!found)
		return trace_error(a->b, group->pos, column_names[COMM_GROUP],
				   "\"%.*s\" is not supported; use tp_group, ep_group, dp_group, "
				   "ep_dp_group, ep_tp_group, pp_group or all",
				   WORDS_SHOWN, group->text);
	if (row->does != COLLECTIVE || size == NULL)
		return 0;
	if (words_number(&a->words, size, &range, &ranks) != 0)
		return -EINVAL;
	if (a->sizes[row->grouping] != 0 && a->sizes[row->grouping] != ranks)
		return trace_error(a->b, size->pos, column_names[GROUP_SIZE],
				   "%" PRIu64 " ranks in %s, and %" PRIu64 " before", ranks,
				   group->text, a->sizes[row->grouping]);
	a->sizes[row->grouping] = ranks;
	return 0;
}

static int
read_direction(struct aicb *a, const struct config_name *additional, struct row *row)
{
	const char *text = additional != NULL ? additional->text : "";
	const char *prefix = row->does == SENDS ? "send_" : "recv_";

	row->next = strcmp(text + strlen(text) - (strlen(text) < 4 ? 0 : 4), "next") == 0;
	if (strncmp(text, prefix, 5) != 0 || (!row->next && strcmp(text + 5, "prev") != 0))
		return trace_error(
			a->b, row->pos, column_names[ADDITIONAL],
			"isend needs send_next or send_prev here, and irecv recv_next or "
			"recv_prev");
	return 0;
}

static int
read_row(struct aicb *a, const struct config_name *fields, unsigned count, struct row *row)
{
	static const struct words_range bytes = {"msg_size", .max = TRACE_BYTES_MAX * 10,
						 .digits = 1, .unit = " B"};
	const struct config_name *type = field(a, fields, count, COMM_TYPE);
	const struct config_name *group = field(a, fields, count, COMM_GROUP);
	const struct config_name *size = field(a, fields, count, MSG_SIZE);
	const struct config_name *stage = field(a, fields, count, STAGE);
	const struct config_name *elapsed = field(a, fields, count, ELAPSED);
	bool found = false;
	int error = 0;

	row->pos = fields[0].pos;
	row->stage = stage != NULL ? stage->text : "";
	for (unsigned i = 0; type != NULL && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(behind_dot(type->text), types[i].word) == 0) {
			row->does = types[i].does;
			row->kind = types[i].kind;
			found = true;
		}
	if (!found)
		return trace_error(a->b, type != NULL ? type->pos : row->pos,
				   column_names[COMM_TYPE], "\"%.*s\" is not supported",
				   WORDS_SHOWN, type != NULL ? type->text : "");
	if (row->does == ENDS)
		return 0;
	if (elapsed != NULL && read_elapsed(a, elapsed, &row->elapsed) != 0)
		return -EINVAL;
	if (row->does == COMPUTES)
		return 0;
	a->measured |= elapsed != NULL;
	if (row->does == BARRIER)
		return 0;
	if (group == NULL || size == NULL)
		return trace_error(a->b, row->pos, NULL,
				   "a row of communication needs comm_group and msg_size");
	error = read_group(a, group, field(a, fields, count, GROUP_SIZE), row);
	error |= words_number(&a->words, size, &bytes, &row->bytes);
	row->bytes /= 10;
	if (row->does != COLLECTIVE)
		error |= read_direction(a, field(a, fields, count, ADDITIONAL), row);
	return error;
}

static int
read_rows(struct aicb *a)
{
	struct config_name fields[FIELDS_MAX];
	unsigned before = a->b->diag->errors;
	char *line;

	while ((line = trace_next_line(&a->lines)) != NULL) {
		struct row row = {0};

		if (line[strspn(line, " \t\r")] == '\0')
			continue;
		if (read_row(a, fields, cut(a, line, fields), &row) != 0 || row.does == ENDS)
			continue;
		a->rows = memory_grow(a->rows, a->row_count, sizeof(row), "rows");
		a->rows[a->row_count++] = row;
	}
	return a->b->diag->errors == before ? 0 : -EINVAL;
}

// ---- ranks --------------------------------------------------------------------------------------

static int
find_sizes(struct aicb *a, struct trace_sizes *out)
{
	const struct diag_pos start = {.line = 1, .column = 1};
	const uint64_t *s = a->sizes;
	uint64_t tensor = s[TRACE_TENSOR], expert = s[TRACE_EXPERT], data = s[TRACE_DATA];
	uint64_t pipeline = s[TRACE_PIPELINE] != 0 ? s[TRACE_PIPELINE] : 1;

	if (tensor == 0)
		tensor = expert != 0 && s[TRACE_TENSOR_EXPERT] != 0
				 ? s[TRACE_TENSOR_EXPERT] / expert
				 : 1;
	if (expert == 0)
		expert = s[TRACE_TENSOR_EXPERT] != 0 ? s[TRACE_TENSOR_EXPERT] / tensor : 1;
	if (tensor == 0 || expert == 0)
		return trace_error(a->b, start, NULL, "ep_tp_group is smaller than its parts");
	if (data == 0)
		data = expert * (s[TRACE_EXPERT_DATA] != 0 ? s[TRACE_EXPERT_DATA] : 1);
	if (s[TRACE_ALL] != 0 && s[TRACE_DATA] == 0 && s[TRACE_ALL] % (tensor * pipeline) == 0)
		data = s[TRACE_ALL] / (tensor * pipeline);
	if (data % expert != 0 ||
	    (s[TRACE_EXPERT_DATA] != 0 && s[TRACE_EXPERT_DATA] * expert != data) ||
	    (s[TRACE_TENSOR_EXPERT] != 0 && s[TRACE_TENSOR_EXPERT] != tensor * expert) ||
	    (s[TRACE_ALL] != 0 && s[TRACE_ALL] != tensor * data * pipeline))
		return trace_error(a->b, start, NULL,
				   "the sizes of groups do not fit: tp %" PRIu64 ", ep %" PRIu64
				   ", dp %" PRIu64 ", pp %" PRIu64 " (ep must divide dp)",
				   tensor, expert, data, pipeline);
	if (tensor > TRACE_RANKS_MAX || data > TRACE_RANKS_MAX)
		return trace_error(a->b, start, NULL, "more than %u ranks", TRACE_RANKS_MAX);
	if (a->stage >= pipeline)
		return trace_error(a->b, start, NULL,
				   "the file is of stage %u, and %" PRIu64 " stages are what the "
				   "rows of pp_group say",
				   a->stage, pipeline);
	*out = (struct trace_sizes){(uint32_t)tensor, (uint32_t)expert, (uint32_t)data,
				    (uint32_t)pipeline};
	return 0;
}

static int
add_row(struct aicb *a, struct trace_chain *chain, const struct row *row)
{
	const struct graph_operation operation = {
		.name = row->stage,
		.kind = row->kind,
		.bytes = row->does == BARRIER ? 1 : row->bytes,
		.priority = -1,
	};
	double unit = a->measured ? (double)PS_PER_MS : (double)PS_PER_NS;
	int64_t by = (int64_t)chain->sizes.tensor * chain->sizes.data;

	switch (row->does) {
	case COMPUTES:
		if (row->elapsed * unit > (double)HOUR_PS)
			return trace_error(a->b, row->pos, column_names[ELAPSED],
					   "a computation of more than an hour");
		return trace_chain_compute(chain, (ps_t)(row->elapsed * unit + 0.5), row->pos);
	case COLLECTIVE:
		return trace_chain_add(chain, &operation, row->grouping, false);
	case BARRIER:
		return trace_chain_add(chain, &operation, TRACE_ALL, false);
	default:
		if (chain->sizes.pipeline == 1)
			return trace_error(a->b, row->pos, column_names[GROUP_SIZE],
					   "no row says how many stages there are; a collective "
					   "of pp_group does");
		return trace_chain_send(chain, &operation, row->next ? by : -by,
					row->does == RECEIVES);
	}
}

int
trace_read_aicb(struct trace_builder *b)
{
	struct aicb a = {.b = b, .words = trace_words(b), .lines = trace_lines(b)};
	struct trace_chain chain = {0};
	struct trace_sizes sizes;
	int error = read_header(&a);

	if (error == 0)
		error = read_rows(&a);
	if (error == 0)
		error = find_sizes(&a, &sizes);
	if (error == 0)
		error = trace_chain_begin(&chain, b, &sizes,
					  sizes.pipeline > 1 ? a.stage : TRACE_NONE,
					  (struct diag_pos){.line = 1, .column = 1});
	for (uint32_t i = 0; i < a.row_count && error == 0; i++)
		error = add_row(&a, &chain, &a.rows[i]);
	if (error == 0)
		error = trace_chain_end_compute(&chain, "compute");
	trace_chain_free(&chain);
	free(a.rows);
	return error;
}
