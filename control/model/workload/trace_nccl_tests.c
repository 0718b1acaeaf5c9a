// SPDX-License-Identifier: BSD-3-Clause
// What nccl-tests prints (github.com/NVIDIA/nccl-tests): a line for each size,
//
//	size count type redop root  time_us algbw busbw #wrong  time_us algbw busbw #wrong
//
// first out of place, then in place. Each line is one collective of all ranks, which follows the
// one before it; the times out of place are kept. Comments say how many ranks there were (`#  Rank
// 0 Group 0 Pid ...`, one each) and, in newer versions, which program it was (`# Collective test
// starting: all_reduce_perf`); the line of the shell that starts the program says that too. Other
// lines, such as NCCL's own, are passed over.
#include "trace_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WORDS 8 // that are read
#define LINE_WORDS_MAX 16
#define COMMENT_MAX 256
#define MEASURED_MAX 1e9 // us, GB/s
#define GB 1e9

static const char data_line[] = "size count type redop root time algbw busbw";

struct test {
	const char *program;
	const char *name;
	enum config_work_kind kind;
};

static const struct test tests[] = {
	{"all_reduce_perf", "all-reduce", CONFIG_WORK_ALL_REDUCE},
	{"all_gather_perf", "all-gather", CONFIG_WORK_ALL_GATHER},
	{"reduce_scatter_perf", "reduce-scatter", CONFIG_WORK_REDUCE_SCATTER},
	{"alltoall_perf", "all-to-all", CONFIG_WORK_ALL_TO_ALL},
	{"broadcast_perf", "broadcast", CONFIG_WORK_BROADCAST},
	{"sendrecv_perf", "send", CONFIG_WORK_SEND},
};

struct nccl_tests {
	struct trace_builder *b;
	struct words_reader words;
	const struct test *test;
	uint32_t ranks;
	uint32_t lines;
};

// reduce_scatter_perf is no scatter_perf.
static const struct test *
find_test(const char *line)
{
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const char *found = strstr(line, tests[i].program);

		if (found != NULL && (found == line || strchr(" \t/", found[-1]) != NULL))
			return &tests[i];
	}
	return NULL;
}

// Finds the ranks and the program, in the text that is not cut up.
static void
read_comments(struct nccl_tests *n)
{
	const struct trace_text *text = &n->b->texts[0];
	const char *at = text->text, *end = at + text->length;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline != NULL ? newline : end) - at);
		char line[COMMENT_MAX], word[COMMENT_MAX];
		const char *comment;
		unsigned rank;

		snprintf(line, sizeof(line), "%.*s",
			 (int)(length < COMMENT_MAX ? length : COMMENT_MAX - 1), at);
		if (n->test == NULL)
			n->test = find_test(line);
		comment = strchr(line, '#');
		if (comment != NULL && sscanf(comment, "# Rank %u %255s", &rank, word) == 2 &&
		    (strcmp(word, "Group") == 0 || strcmp(word, "Pid") == 0))
			n->ranks++;
		at += length + 1;
	}
}

// After the operations of the line before: it has one of all ranks, or one from each rank to the
// next.
static int
join(struct nccl_tests *n, uint32_t rank)
{
	uint32_t total = n->b->trace->operation_count, before[2];
	bool each = n->test->kind == CONFIG_WORK_SEND;
	uint32_t first = each ? (n->lines - 1) * n->ranks : total - 2;

	if (n->lines == 0)
		return trace_add_member(n->b, rank, NULL, 0);
	before[0] = each ? first + rank : first;
	before[1] = first + (rank + n->ranks - 1) % n->ranks;
	return trace_add_member(n->b, rank, before, each ? 2 : 1);
}

static int
add_sends(struct nccl_tests *n, const struct graph_operation *operation,
	  const struct trace_measured *measured)
{
	int error = 0;

	for (uint32_t r = 0; r < n->ranks && error == 0; r++) {
		error = trace_add(n->b, operation);
		if (error == 0)
			error = join(n, r);
		if (error == 0)
			error = join(n, (r + 1) % n->ranks);
		if (error == 0)
			trace_add_measured(n->b, measured);
	}
	return error;
}

static int
add_line(struct nccl_tests *n, uint64_t bytes, uint64_t root, const struct trace_measured *measured)
{
	const struct graph_operation operation = {
		.name = n->test->name,
		.kind = n->test->kind,
		.bytes = bytes,
		.priority = -1,
		.number = n->b->trace->operation_count,
	};
	int error = 0;

	if (bytes == 0)
		return 0;
	if (n->test->kind == CONFIG_WORK_SEND)
		error = add_sends(n, &operation, measured);
	else
		error = trace_add(n->b, &operation);
	for (uint32_t i = 0; i < n->ranks && error == 0 && n->test->kind != CONFIG_WORK_SEND; i++)
		error = join(n, (uint32_t)((root + i) % n->ranks));
	if (error == 0 && n->test->kind != CONFIG_WORK_SEND)
		trace_add_measured(n->b, measured);
	n->lines++;
	return error;
}

static int
read_measured(const struct nccl_tests *n, const struct config_name *word, const char *key,
	      double *out)
{
	char *end;

	*out = strtod(word->text, &end);
	if (end == word->text || *end != '\0' || !isfinite(*out) || *out < 0 || *out > MEASURED_MAX)
		return trace_error(n->b, word->pos, key, "\"%.*s\" is not a measured value",
				   WORDS_SHOWN, word->text);
	return 0;
}

static int
read_line(struct nccl_tests *n, const struct config_name words[LINE_WORDS])
{
	static const struct words_range size = {"size", .max = TRACE_BYTES_MAX};
	const struct words_range root_range = {"root", .max = n->ranks - 1};
	struct trace_measured measured = {0};
	uint64_t bytes, root = 0;
	double us, busbw;
	int error = words_number(&n->words, &words[0], &size, &bytes);

	if (strcmp(words[4].text, "-1") != 0)
		error |= words_number(&n->words, &words[4], &root_range, &root);
	error |= read_measured(n, &words[5], "time", &us);
	error |= read_measured(n, &words[7], "busbw", &busbw);
	if (error != 0)
		return -EINVAL;
	measured.time_ps = (ps_t)(us * PS_PER_US + 0.5);
	measured.busbw = (uint64_t)(busbw * GB + 0.5);
	return add_line(n, bytes, root, &measured);
}

static bool
is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

int
trace_read_nccl_tests(struct trace_builder *b)
{
	struct nccl_tests n = {.b = b, .words = trace_words(b)};
	struct config_name found[LINE_WORDS_MAX], *words;
	const struct diag_pos start = {.line = 1, .column = 1};
	unsigned count;

	read_comments(&n);
	if (n.test == NULL)
		return trace_error(b, start, NULL,
				   "no line says which test this is; put one such as `# Collective "
				   "test starting: all_reduce_perf` first (all_reduce, all_gather, "
				   "reduce_scatter, alltoall, broadcast or sendrecv)");
	if (n.ranks < 2)
		return trace_error(b, start, NULL,
				   "%u lines begin with `#  Rank`; nccl-tests prints one for each "
				   "rank, and two ranks are the fewest",
				   n.ranks);
	if (trace_begin(b, n.ranks, start) != 0)
		return -EINVAL;
	while ((count = words_next(&n.words, found, LINE_WORDS_MAX)) != 0) {
		words = found;
		if (count > LINE_WORDS_MAX)
			count = LINE_WORDS_MAX;
		if (strstr(words[0].text, "<stdout>:") != NULL) { // mpirun --tag-output
			words++;
			count--;
		}
		if (count < 2 || !is_number(words[0].text) || !is_number(words[1].text))
			continue;
		if (count < LINE_WORDS)
			trace_error(b, words[0].pos, NULL, "%u words; a line begins with `%s`",
				    count, data_line);
		else
			read_line(&n, words);
	}
	return 0;
}
