// SPDX-License-Identifier: BSD-3-Clause
// Logs of NCCL (github.com/NVIDIA/nccl) and RCCL with NCCL_DEBUG=INFO and
// NCCL_DEBUG_SUBSYS=INIT,COLL, of all ranks in one file:
//
//	HOST:PID:TID [GPU] NCCL INFO ... comm P rank R nranks N cudaDev D ... commId X
//		- Init COMPLETE
//	HOST:PID:TID [GPU] NCCL INFO AllReduce: opCount H sendbuff P recvbuff P count N
//		datatype D op O root R comm P [nranks=N] stream P
//
// A rank runs the operations of one stream one after the other. Those of one communicator with one
// opCount are a group (ncclGroupStart) and run at once. Ranks are those of the largest
// communicator, or, if some process is not in it, in the order of their first line. Other lines are
// passed over.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WORDS 64
#define KEY_MAX 512

// ncclDataType_t
static const uint8_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

struct nccl_kind {
	const char *word, *name;
	enum trace_does does;
	enum config_work_kind kind;
	bool by_rank; // `count` is of one rank's part
};

static const struct nccl_kind kinds[] = {
	{"AllReduce:", "all-reduce", TRACE_JOINS, CONFIG_WORK_ALL_REDUCE, false},
	{"Broadcast:", "broadcast", TRACE_JOINS, CONFIG_WORK_BROADCAST, false},
	{"AllGather:", "all-gather", TRACE_JOINS, CONFIG_WORK_ALL_GATHER, true},
	{"ReduceScatter:", "reduce-scatter", TRACE_JOINS, CONFIG_WORK_REDUCE_SCATTER, true},
	{"AlltoAll:", "all-to-all", TRACE_JOINS, CONFIG_WORK_ALL_TO_ALL, true},
	{"AllToAll:", "all-to-all", TRACE_JOINS, CONFIG_WORK_ALL_TO_ALL, true},
	{"Send:", "send", TRACE_SENDS, CONFIG_WORK_SEND, false},
	{"Recv:", "recv", TRACE_RECEIVES, CONFIG_WORK_SEND, false},
};

// A communicator at one rank: what a pointer in the log of one process means.
struct comm {
	uint32_t gpu;
	uint32_t group;
	uint32_t rank; // in the group
};

struct group {
	uint32_t ranks;
	uint32_t *gpus; // by rank; TRACE_NONE: no line says
};

// Operations of one rank that run one group after the other.
struct stream {
	uint32_t comm_group;
	uint64_t op_count;
	uint32_t *now, now_count;       // calls of the group that runs
	uint32_t *before, before_count; // of the one before it
};

struct nccl {
	struct trace_calls calls;
	struct words_reader words;
	struct trace_names gpu_names, comm_names, group_names, stream_names;
	struct comm *comms; // by number
	uint32_t comm_count;
	struct group *groups; // by number
	uint32_t group_count, group_ranks;
	struct stream *streams; // by number
	uint32_t stream_count;
};

static const char words_init[] = "set NCCL_DEBUG_SUBSYS=INIT,COLL";

// ---- communicators ------------------------------------------------------------------------------

static bool
parse(const struct config_name *word, int base, uint64_t max, uint64_t *out)
{
	char *end;

	if (word == NULL || word->text[0] == '-')
		return false;
	errno = 0;
	*out = strtoull(word->text, &end, base);
	return errno == 0 && end != word->text && *end == '\0' && *out <= max;
}

// The process of a line: its "HOST:PID:TID" before the words NCCL INFO, without the thread. Returns
// the place of the word behind those two, or 0.
static unsigned
find_process(struct config_name *words, unsigned count, char process[static KEY_MAX])
{
	unsigned behind = 0;

	for (unsigned i = 0; i + 2 < count; i++)
		if (strcmp(words[i].text, "NCCL") == 0 && strcmp(words[i + 1].text, "INFO") == 0)
			behind = i + 2;
	for (unsigned i = behind < 2 ? 0 : behind - 2; i-- > 0;) {
		const char *thread = strrchr(words[i].text, ':');

		if (thread == NULL || thread[1] == '\0' ||
		    thread[1 + strspn(thread + 1, "0123456789")] != '\0')
			continue;
		snprintf(process, KEY_MAX, "%.*s", (int)(thread - words[i].text), words[i].text);
		if (strchr(process, ':') != NULL)
			return behind;
	}
	return 0;
}

// What is the same at all ranks of a communicator, and of no other.
static bool
name_group(struct nccl *n, const struct config_name *words, unsigned count, const char *process,
	   char key[static KEY_MAX])
{
	const struct config_name *id = trace_value(words, count, "commId");
	const struct config_name *parent = trace_value(words, count, "parent");
	const struct config_name *split = trace_value(words, count, "splitCount");
	const struct config_name *color = trace_value(words, count, "color");
	const struct config_name *ranks = trace_value(words, count, "nranks");
	char name[KEY_MAX];
	uint32_t comm;

	if (id != NULL) {
		snprintf(key, KEY_MAX, "%s", id->text);
		return true;
	}
	if (parent == NULL || split == NULL || color == NULL) { // before commId was printed
		snprintf(key, KEY_MAX, "of %s ranks", ranks->text);
		return true;
	}
	snprintf(name, KEY_MAX, "%.400s %.100s", process, parent->text);
	comm = trace_find_number(&n->comm_names, name);
	if (comm == TRACE_NONE)
		return false;
	snprintf(key, KEY_MAX, "%u.%.100s.%.100s", n->comms[comm].group, split->text, color->text);
	return true;
}

// Returns NULL with the error in diag.
static struct group *
find_group(struct nccl *n, const char *key, uint32_t ranks, uint32_t *number)
{
	struct trace_group *named;
	struct group *group;

	*number = trace_find_number(&n->group_names, key);
	if (*number != TRACE_NONE)
		return &n->groups[*number];
	if (ranks > TRACE_MEMBERS_MAX - n->group_ranks) {
		trace_error(n->calls.b, (struct diag_pos){.line = n->words.line, .column = 1}, NULL,
			    "communicators of more than %u ranks together; cut the log",
			    TRACE_MEMBERS_MAX);
		return NULL;
	}
	*number = trace_number(&n->group_names, key);
	n->group_ranks += ranks;
	n->calls.groups = memory_grow(n->calls.groups, n->group_count, sizeof(*named), "groups");
	named = &n->calls.groups[n->group_count];
	named->name = arena_text(&n->calls.arena, key, strlen(key));
	named->expected = ranks;
	n->groups = memory_grow(n->groups, n->group_count, sizeof(*group), "groups");
	group = &n->groups[n->group_count++];
	n->calls.group_count = n->group_count;
	group->ranks = ranks;
	group->gpus = memory_array(ranks, sizeof(*group->gpus), "ranks");
	for (uint32_t r = 0; r < ranks; r++)
		group->gpus[r] = TRACE_NONE;
	return group;
}

// A line that ends with "Init START" or "Init COMPLETE", which say the same.
static int
read_init(struct nccl *n, const struct config_name *words, unsigned count, const char *process)
{
	const struct config_name *pointer = trace_value(words, count, "comm");
	const struct config_name *device = trace_value(words, count, "cudaDev");
	char key[KEY_MAX], name[KEY_MAX];
	uint64_t rank, ranks;
	struct group *group;
	struct comm comm;
	uint32_t number;

	if (pointer == NULL ||
	    !parse(trace_value(words, count, "nranks"), 10, TRACE_RANKS_MAX, &ranks) ||
	    ranks == 0 || !parse(trace_value(words, count, "rank"), 10, ranks - 1, &rank) ||
	    !name_group(n, words, count, process, key))
		return 0; // lines of several processes may be mixed up
	snprintf(name, sizeof(name), "%.400s/%.100s", process, device != NULL ? device->text : "0");
	comm = (struct comm){.gpu = trace_number(&n->gpu_names, name), .rank = (uint32_t)rank};
	group = find_group(n, key, (uint32_t)ranks, &comm.group);
	if (group == NULL)
		return -EINVAL;
	if (group->ranks != ranks)
		return trace_error(n->calls.b, words[0].pos, "nranks",
				   "communicator %s has %" PRIu64 " ranks here and %u before", key,
				   ranks, group->ranks);
	if (group->gpus[rank] != TRACE_NONE && group->gpus[rank] != comm.gpu)
		return trace_error(n->calls.b, words[0].pos, "rank",
				   "rank %" PRIu64 " of communicator %s is there twice%s", rank,
				   key,
				   trace_value(words, count, "commId") != NULL
					   ? ""
					   : "; only logs with commId tell communicators apart");
	group->gpus[rank] = comm.gpu;
	snprintf(name, sizeof(name), "%.400s %.100s", process, pointer->text);
	number = trace_number(&n->comm_names, name);
	if (number == n->comm_count)
		n->comms = memory_grow(n->comms, n->comm_count++, sizeof(comm), "communicators");
	n->comms[number] = comm; // a pointer may be used again
	return 0;
}

// ---- operations ---------------------------------------------------------------------------------

static struct stream *
find_stream(struct nccl *n, const char *pointer, uint32_t gpu)
{
	char name[KEY_MAX];
	uint32_t number;

	snprintf(name, sizeof(name), "%u %.100s", gpu, pointer);
	number = trace_number(&n->stream_names, name);
	if (number == n->stream_count) {
		n->streams =
			memory_grow(n->streams, n->stream_count++, sizeof(*n->streams), "streams");
		n->streams[number] = (struct stream){.comm_group = TRACE_NONE};
	}
	return &n->streams[number];
}

// The group that runs has ended: its calls are what those of the next one wait for. So that each
// does not wait for each, several are joined.
static int
end_group(struct nccl *n, struct stream *s, const struct trace_call *next)
{
	struct trace_call joined = *next;
	uint32_t number;

	free(s->before);
	s->before = s->now;
	s->before_count = s->now_count;
	s->now = NULL;
	s->now_count = 0;
	if (s->before_count < 2)
		return 0;
	joined.does = TRACE_COMPUTES;
	joined.name = "end of a group";
	joined.bytes = 0;
	number = trace_add_call(&n->calls, &joined);
	if (number == TRACE_NONE)
		return -EINVAL;
	for (uint32_t i = 0; i < s->before_count; i++)
		if (trace_add_after(&n->calls, number, s->before[i]) != 0)
			return -EINVAL;
	s->before[0] = number;
	s->before_count = 1;
	return 0;
}

static int
add_call(struct nccl *n, struct stream *s, const struct trace_call *call, uint64_t op_count)
{
	uint32_t number;

	if ((s->comm_group != call->group || s->op_count != op_count) && end_group(n, s, call) != 0)
		return -EINVAL;
	s->comm_group = call->group;
	s->op_count = op_count;
	number = trace_add_call(&n->calls, call);
	if (number == TRACE_NONE)
		return -EINVAL;
	for (uint32_t i = 0; i < s->before_count; i++)
		if (trace_add_after(&n->calls, number, s->before[i]) != 0)
			return -EINVAL;
	s->now = memory_grow(s->now, s->now_count, sizeof(*s->now), "operations of a group");
	s->now[s->now_count++] = number;
	return 0;
}

static const struct comm *
find_comm(struct nccl *n, const struct config_name *words, unsigned count, const char *process)
{
	const struct config_name *pointer = trace_value(words, count, "comm");
	char name[KEY_MAX];
	uint32_t number;

	if (pointer == NULL)
		return NULL;
	snprintf(name, sizeof(name), "%.400s %.100s", process, pointer->text);
	number = trace_find_number(&n->comm_names, name);
	return number != TRACE_NONE ? &n->comms[number] : NULL;
}

static int
read_operation(struct nccl *n, struct config_name *words, unsigned count, const char *process)
{
	const struct config_name *stream = trace_value(words, count, "stream");
	const struct comm *comm = find_comm(n, words, count, process);
	struct diag_pos pos = words[0].pos;
	const struct nccl_kind *kind = NULL;
	uint64_t op_count, elements, type, root, bytes;
	struct trace_call call;
	const struct group *group;

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && kind == NULL; i++)
		if (strcmp(words[0].text, kinds[i].word) == 0)
			kind = &kinds[i];
	if (kind == NULL)
		return trace_error(n->calls.b, pos, NULL, "\"%.*s\" is not supported", WORDS_SHOWN,
				   words[0].text);
	if (comm == NULL)
		return trace_error(n->calls.b, pos, "comm",
				   "no line of this process says what this communicator is; %s",
				   words_init);
	group = &n->groups[comm->group];
	if (!parse(trace_value(words, count, "opCount"), 16, UINT64_MAX, &op_count) ||
	    !parse(trace_value(words, count, "count"), 10, TRACE_BYTES_MAX, &elements) ||
	    !parse(trace_value(words, count, "datatype"), 10, sizeof(type_bytes) - 1, &type) ||
	    !parse(trace_value(words, count, "root"), 10, group->ranks - 1, &root))
		return trace_error(n->calls.b, pos, NULL,
				   "opCount, count, datatype (up to %zu) or root (up to %u) is "
				   "missing or out of range",
				   sizeof(type_bytes) - 1, group->ranks - 1);
	bytes = elements * type_bytes[type];
	if (__builtin_mul_overflow(bytes, kind->by_rank ? group->ranks : 1, &bytes) ||
	    bytes > TRACE_BYTES_MAX)
		return trace_error(n->calls.b, pos, "count", "more than %" PRIu64 " bytes",
				   TRACE_BYTES_MAX);
	if (bytes == 0 || (group->ranks == 1 && kind->does == TRACE_JOINS))
		return 0;
	call = (struct trace_call){
		.does = kind->does,
		.kind = kind->kind,
		.name = kind->name,
		.rank = comm->gpu,
		.group = comm->group,
		.place = comm->rank,
		.peer = kind->kind == CONFIG_WORK_BROADCAST || kind->does != TRACE_JOINS
				? (uint32_t)root
				: TRACE_NONE,
		.bytes = bytes,
		.at = pos.line,
	};
	if (kind->does != TRACE_JOINS && root == comm->rank)
		return trace_error(n->calls.b, pos, "root", "rank %" PRIu64 " sends to itself",
				   root);
	return add_call(n, find_stream(n, stream != NULL ? stream->text : "", comm->gpu), &call,
			op_count);
}

static void
read_lines(struct nccl *n)
{
	struct config_name words[LINE_WORDS];
	char process[KEY_MAX];
	unsigned count, behind;

	while ((count = words_next(&n->words, words, LINE_WORDS)) != 0) {
		struct config_name *message;
		bool init = false;

		if (count > LINE_WORDS)
			count = LINE_WORDS;
		behind = find_process(words, count, process);
		if (behind == 0)
			continue;
		message = &words[behind];
		count -= behind;
		for (unsigned i = 1; i < count; i++)
			init |= strcmp(message[i - 1].text, "Init") == 0 &&
				(strcmp(message[i].text, "START") == 0 ||
				 strcmp(message[i].text, "COMPLETE") == 0);
		if (init)
			read_init(n, message, count, process);
		else if (count > 2 && strcmp(message[1].text, "opCount") == 0)
			read_operation(n, message, count, process);
	}
}

// ---- ranks --------------------------------------------------------------------------------------

// The rank of each GPU, for free(), and how many ranks there are.
static uint32_t *
number_ranks(const struct nccl *n, uint32_t *rank_count)
{
	uint32_t *ranks = memory_array(n->gpu_names.count, sizeof(*ranks), "ranks");
	const struct group *world = NULL;
	bool whole = true;

	for (uint32_t i = 0; i < n->group_count; i++)
		if (world == NULL || n->groups[i].ranks > world->ranks)
			world = &n->groups[i];
	for (uint32_t i = 0; i < n->gpu_names.count; i++)
		ranks[i] = TRACE_NONE;
	for (uint32_t r = 0; world != NULL && r < world->ranks; r++)
		if (world->gpus[r] != TRACE_NONE)
			ranks[world->gpus[r]] = r;
	for (uint32_t i = 0; i < n->gpu_names.count; i++)
		whole &= ranks[i] != TRACE_NONE;
	*rank_count = whole && world != NULL ? world->ranks : n->gpu_names.count;
	for (uint32_t i = 0; i < n->gpu_names.count && !whole; i++)
		ranks[i] = i;
	return ranks;
}

// That no GPU is two ranks of one communicator. NCCL refuses that too.
static int
check_gpus(const struct nccl *n)
{
	uint32_t *group_of = memory_array(n->gpu_names.count, sizeof(*group_of), "GPUs");
	const struct diag_pos start = {.line = 1, .column = 1};
	int error = 0;

	for (uint32_t g = 0; g < n->group_count && error == 0; g++)
		for (uint32_t r = 0; r < n->groups[g].ranks && error == 0; r++) {
			uint32_t gpu = n->groups[g].gpus[r];

			if (gpu == TRACE_NONE)
				continue;
			if (group_of[gpu] == g + 1)
				error = trace_error(n->calls.b, start, NULL,
						    "one GPU is rank %u and a lower rank of "
						    "communicator %s",
						    r, n->calls.groups[g].name);
			group_of[gpu] = g + 1;
		}
	free(group_of);
	return error;
}

// Now that all lines are read: the ranks of calls, and of those that they send to.
static int
set_ranks(struct nccl *n, const uint32_t *ranks)
{
	for (uint32_t i = 0; i < n->calls.count; i++) {
		struct trace_call *call = &n->calls.calls[i];

		call->rank = ranks[call->rank];
		if (call->does != TRACE_SENDS && call->does != TRACE_RECEIVES)
			continue;
		if (n->groups[call->group].gpus[call->peer] == TRACE_NONE)
			return trace_call_error(&n->calls, call,
						"no line is of rank %u of communicator %s",
						call->peer, n->calls.groups[call->group].name);
		call->peer = ranks[n->groups[call->group].gpus[call->peer]];
	}
	return 0;
}

int
trace_read_nccl(struct trace_builder *b)
{
	struct nccl n = {.calls = {.b = b}, .words = trace_words(b)};
	const struct diag_pos start = {.line = 1, .column = 1};
	unsigned before = b->diag->errors;
	uint32_t *ranks = NULL, rank_count;
	int error;

	read_lines(&n);
	error = b->diag->errors != before ? -EINVAL : 0;
	if (error == 0 && n.calls.count == 0)
		error = trace_error(b, start, NULL, "no line of NCCL has an operation; %s",
				    words_init);
	if (error == 0)
		error = check_gpus(&n);
	if (error == 0) {
		ranks = number_ranks(&n, &rank_count);
		error = trace_begin(b, rank_count, start);
	}
	if (error == 0)
		error = set_ranks(&n, ranks);
	if (error == 0)
		error = trace_match(&n.calls);
	free(ranks);
	for (uint32_t i = 0; i < n.stream_count; i++) {
		free(n.streams[i].now);
		free(n.streams[i].before);
	}
	for (uint32_t i = 0; i < n.group_count; i++)
		free(n.groups[i].gpus);
	free(n.streams);
	free(n.groups);
	free(n.comms);
	trace_names_free(&n.gpu_names);
	trace_names_free(&n.comm_names);
	trace_names_free(&n.group_names);
	trace_names_free(&n.stream_names);
	trace_calls_free(&n.calls);
	return error;
}
