// SPDX-License-Identifier: BSD-3-Clause
// Connection matrices of htsim (github.com/Broadcom/csg-htsim,
// sim/datacenter/connection_matrix.cpp):
//
//	Nodes N
//	Connections M
//	Triggers K
//	SRC->DST [id I] start PS|trigger T size BYTES
//		[send_done_trigger T] [recv_done_trigger T] [prio P]
//	trigger id T oneshot|multishot|barrier [count C]
//
// Each connection is a message. A trigger starts connections when others are over: `oneshot` when
// its one connection is, `barrier` when all C are. Of `multishot`, the k-th connection that fires
// it starts the k-th that waits for it, in the order of the file; htsim takes the order in which
// they end. Until a connection starts, its source computes. Priorities are those of htsim's queues,
// and are passed over.
#include "trace_htsim_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 32
#define START_PS_MAX (TRACE_HOUR_NS * PS_PER_NS)

// ---- lines --------------------------------------------------------------------------------------

static int
read_id(struct htsim *h, const struct config_name *word, const char *field, uint64_t *out)
{
	const struct words_range range = {field, .min = 1, .max = UINT32_MAX};

	return words_number(&h->words, word, &range, out);
}

// "3->7".
static int
read_ends(struct htsim *h, const struct config_name *word, struct htsim_connection *c)
{
	const struct words_range src_range = {"src", .max = h->nodes - 1};
	const struct words_range dst_range = {"dst", .max = h->nodes - 1};
	char *text = (char *)(uintptr_t)word->text, *arrow = strstr(text, "->");
	struct config_name src = *word, dst = *word;
	uint64_t from, to;
	int error;

	*arrow = '\0';
	dst.text = arrow + 2;
	dst.pos.column += (uint32_t)(arrow + 2 - text);
	error = words_number(&h->words, &src, &src_range, &from);
	error |= words_number(&h->words, &dst, &dst_range, &to);
	if (error != 0)
		return -EINVAL;
	if (from == to)
		return trace_error(h->b, word->pos, NULL, "node %" PRIu64 " sends to itself", from);
	c->src = (uint32_t)from;
	c->dst = (uint32_t)to;
	return 0;
}

static int
read_attribute(struct htsim *h, const struct config_name words[2], struct htsim_connection *c,
	       bool *started)
{
	static const struct words_range start = {"start", .max = START_PS_MAX};
	static const struct words_range size = {"size", .min = 1, .max = TRACE_BYTES_MAX};
	static const struct words_range prio = {"prio", .max = UINT32_MAX};
	const char *key = words[0].text;
	uint64_t ignored;

	if (strcmp(key, "id") == 0)
		return read_id(h, &words[1], "id", &c->id);
	if (strcmp(key, "trigger") == 0)
		return read_id(h, &words[1], "trigger", &c->trigger);
	if (strcmp(key, "send_done_trigger") == 0)
		return read_id(h, &words[1], "send_done_trigger", &c->fires[0]);
	if (strcmp(key, "recv_done_trigger") == 0)
		return read_id(h, &words[1], "recv_done_trigger", &c->fires[1]);
	if (strcmp(key, "size") == 0)
		return words_number(&h->words, &words[1], &size, &c->bytes);
	if (strcmp(key, "prio") == 0)
		return words_number(&h->words, &words[1], &prio, &ignored);
	if (strcmp(key, "start") == 0) {
		*started = true;
		return words_number(&h->words, &words[1], &start, &c->start_ps);
	}
	return trace_error(h->b, words[0].pos, NULL,
			   "\"%.*s\" is not supported; a connection has id, start, size, trigger, "
			   "send_done_trigger, recv_done_trigger and prio",
			   WORDS_SHOWN, key);
}

static int
read_connection(struct htsim *h, const struct config_name *words, unsigned count)
{
	struct htsim_connection c = {.pos = words[0].pos};
	bool started = false;
	int error;

	if (h->nodes == 0)
		return trace_error(h->b, c.pos, NULL, "`Nodes N` must come before connections");
	error = read_ends(h, &words[0], &c);
	for (unsigned i = 1; i < count && error == 0; i += 2)
		error = i + 1 == count
				? trace_error(h->b, words[i].pos, NULL, "\"%.*s\" has no value",
					      WORDS_SHOWN, words[i].text)
				: read_attribute(h, &words[i], &c, &started);
	if (error != 0)
		return error;
	if (c.bytes == 0)
		return trace_error(h->b, c.pos, "size", "the connection has no size");
	if (started == (c.trigger != 0))
		return trace_error(h->b, c.pos, "start",
				   "a connection has either `start` or `trigger`");
	h->connections = memory_grow(h->connections, h->connection_count, sizeof(c), "connections");
	h->connections[h->connection_count++] = c;
	return 0;
}

static int
read_trigger(struct htsim *h, const struct config_name *words, unsigned count)
{
	static const char *const kinds[] = {"oneshot", "multishot", "barrier"};
	static const struct words_range number = {"count", .min = 1, .max = UINT32_MAX};
	struct htsim_trigger t = {.pos = words[0].pos};
	bool typed = false;
	int error = 0;

	for (unsigned i = 1; i < count && error == 0; i++) {
		bool known = false;

		for (unsigned k = 0; k < 3; k++)
			if (strcmp(words[i].text, kinds[k]) == 0) {
				t.kind = k;
				known = typed = true;
			}
		if (known)
			continue;
		if (i + 1 < count && strcmp(words[i].text, "id") == 0)
			error = read_id(h, &words[++i], "id", &t.id);
		else if (i + 1 < count && strcmp(words[i].text, "count") == 0)
			error = words_number(&h->words, &words[++i], &number, &t.count);
		else
			error = trace_error(h->b, words[i].pos, "trigger",
					    "\"%.*s\" is not supported here", WORDS_SHOWN,
					    words[i].text);
	}
	if (error != 0)
		return error;
	if (t.id == 0 || !typed)
		return trace_error(h->b, t.pos, NULL,
				   "a trigger is `trigger id T oneshot|multishot|barrier`");
	h->triggers = memory_grow(h->triggers, h->trigger_count, sizeof(t), "triggers");
	h->triggers[h->trigger_count++] = t;
	return 0;
}

// Connections have been checked against the number of nodes: it stays.
static int
read_nodes(struct htsim *h, const struct config_name words[2])
{
	static const struct words_range nodes = {"Nodes", .min = 1, .max = TRACE_RANKS_MAX};

	if (h->nodes != 0)
		return trace_error(h->b, words[0].pos, "Nodes",
				   "the number of nodes is given twice");
	return words_number(&h->words, &words[1], &nodes, &h->nodes);
}

static int
read_header(struct htsim *h, const struct config_name *words, unsigned count)
{
	static const struct words_range connections = {"Connections", .max = TRACE_OPERATIONS_MAX};
	static const struct words_range triggers = {"Triggers", .max = TRACE_OPERATIONS_MAX};
	const char *key = words[0].text;

	if (count == 2 && strcmp(key, "Nodes") == 0)
		return read_nodes(h, words);
	if (count == 2 && strcmp(key, "Connections") == 0)
		return words_number(&h->words, &words[1], &connections, &h->announced_connections);
	if (count == 2 && strcmp(key, "Triggers") == 0)
		return words_number(&h->words, &words[1], &triggers, &h->announced_triggers);
	return trace_error(h->b, words[0].pos, NULL,
			   "\"%.*s\" is not supported; a line is `Nodes N`, `Connections N`, "
			   "`Triggers N`, `SRC->DST ...` or `trigger id ...`",
			   WORDS_SHOWN, key);
}

static int
read_lines(struct htsim *h)
{
	struct config_name words[WORDS_MAX];
	unsigned before = h->b->diag->errors, count;

	while ((count = words_next(&h->words, words, WORDS_MAX)) != 0) {
		if (count > WORDS_MAX)
			trace_error(h->b, words[0].pos, NULL, "more than %u words", WORDS_MAX);
		else if (strstr(words[0].text, "->") != NULL)
			read_connection(h, words, count);
		else if (strcmp(words[0].text, "trigger") == 0)
			read_trigger(h, words, count);
		else
			read_header(h, words, count);
	}
	return h->b->diag->errors == before ? 0 : -EINVAL;
}

static int
check_counts(struct htsim *h)
{
	const struct diag_pos start = {.line = 1, .column = 1};

	if (h->connection_count != h->announced_connections)
		return trace_error(h->b, start, "Connections",
				   "the number of connections is given as %" PRIu64
				   ", but the file has %u",
				   h->announced_connections, h->connection_count);
	if (h->trigger_count != h->announced_triggers)
		return trace_error(h->b, start, "Triggers",
				   "the number of triggers is given as %" PRIu64
				   ", but the file has %u",
				   h->announced_triggers, h->trigger_count);
	return 0;
}

int
trace_read_htsim(struct trace_builder *b)
{
	struct htsim h = {.b = b, .words = trace_words(b)};
	int error = read_lines(&h);

	if (error == 0)
		error = check_counts(&h);
	if (error == 0)
		error = trace_begin(b, h.nodes, (struct diag_pos){.line = 1, .column = 1});
	if (error == 0)
		error = htsim_add_connections(&h);
	free(h.connections);
	free(h.triggers);
	free(h.fired.items);
	free(h.awaited.items);
	free(h.starts);
	return error;
}
