// SPDX-License-Identifier: BSD-3-Clause
// Chakra execution traces (github.com/mlcommons/chakra; chakra.proto has the fields that are read),
// one file for each rank: messages of protobuf, each behind its length as a varint. The first says
// the version of the format, each other is a node of a graph of what this rank did.
//
// A node begins when those that its ctrl_deps and data_deps name are over. It computes for
// duration_micros unless it communicates. comm_size is what a rank puts in, as ASTRA-sim takes it:
// of an all-gather its part, of the others its buffer. Nodes of one pg_name are of one process
// group, whose ranks are those that have such nodes.
#include "trace_internal.h"

#include "control/base/memory.h"
#include "control/chakra.pb-c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BYTES_MAX (1u << 20) // a message takes up to fifty times its bytes in memory
#define HOUR_US UINT64_C(3600000000)
#define BARRIER_BYTES 1

// Numbers of nodes, to find calls by.
struct node_id {
	uint64_t id;
	uint32_t call;
};

struct reader {
	struct trace_calls *calls;
	struct trace_names *group_names;
	uint32_t rank;
	const uint8_t *at, *end;
	uint64_t offset; // of the message
	struct node_id *ids;
	uint32_t id_count;
	uint64_t *deps; // ids, of all nodes of this rank
	uint32_t dep_count;
	uint32_t *dep_counts; // by node
};

// What attributes say; NULL: they do not.
struct attributes {
	const Chakra__Attribute *comm_type, *comm_size, *comm_src, *comm_dst, *comm_tag, *pg_name;
};

static int
refuse(const struct reader *r, const char *why)
{
	const struct trace_call place = {.text = r->rank, .at = r->offset};

	return trace_call_error(r->calls, &place, "%s", why);
}

// ---- messages -----------------------------------------------------------------------------------

static void *
allocate(void *context, size_t size)
{
	(void)context;
	return memory_new(size != 0 ? size : 1, "messages of a trace");
}

static void
release(void *context, void *memory)
{
	(void)context;
	free(memory);
}

static ProtobufCAllocator allocator = {allocate, release, NULL};

// The next message. Returns its bytes, or NULL at the end or with the error in diag.
static const uint8_t *
next_message(struct reader *r, size_t *length)
{
	uint64_t size = 0;
	unsigned shift = 0;
	const uint8_t *message;

	r->offset = (uint64_t)(r->at - (const uint8_t *)r->calls->b->texts[r->rank].text);
	if (r->at == r->end)
		return NULL;
	do {
		if (r->at == r->end || shift > 28) {
			refuse(r, r->at == r->end ? "the file ends in the length of a message"
						  : "this is not the length of a message");
			return NULL;
		}
		size |= (uint64_t)(*r->at & 0x7f) << shift;
		shift += 7;
	} while ((*r->at++ & 0x80) != 0);
	if (size > NODE_BYTES_MAX) {
		refuse(r, "a message of more than 1 MB: this is not a Chakra trace");
		return NULL;
	}
	if (size > (uint64_t)(r->end - r->at)) {
		refuse(r, "the file ends in a message");
		return NULL;
	}
	message = r->at;
	r->at += size;
	*length = size;
	return message;
}

static bool
is_integer(const Chakra__Attribute *attribute, uint64_t *out)
{
	int64_t value;

	if (attribute == NULL)
		return false;
	switch (attribute->value_case) {
	case CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
		value = attribute->int32_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
		value = attribute->int64_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
		value = attribute->sint32_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
		value = attribute->sint64_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
		value = attribute->sfixed32_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
		value = attribute->sfixed64_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
		value = attribute->uint32_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
		value = attribute->fixed32_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
		value = (int64_t)attribute->uint64_val;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
		value = (int64_t)attribute->fixed64_val;
		break;
	default:
		return false;
	}
	*out = (uint64_t)value;
	return value >= 0;
}

static struct attributes
find_attributes(const Chakra__Node *node)
{
	struct attributes a = {0};
	const struct {
		const char *name;
		const Chakra__Attribute **to;
	} places[] = {
		{"comm_type", &a.comm_type}, {"comm_size", &a.comm_size}, {"comm_src", &a.comm_src},
		{"comm_dst", &a.comm_dst},   {"comm_tag", &a.comm_tag},   {"pg_name", &a.pg_name},
	};

	for (size_t i = 0; i < node->n_attr; i++)
		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++)
			if (strcmp(node->attr[i]->name, places[k].name) == 0)
				*places[k].to = node->attr[i];
	return a;
}

// ---- nodes --------------------------------------------------------------------------------------

static int
read_collective(struct reader *r, const struct attributes *a, struct trace_call *call)
{
	static const struct {
		bool supported;
		enum config_work_kind kind;
	} kinds[] = {
		[CHAKRA__COLLECTIVE__ALL_REDUCE] = {true, CONFIG_WORK_ALL_REDUCE},
		[CHAKRA__COLLECTIVE__ALL_GATHER] = {true, CONFIG_WORK_ALL_GATHER},
		[CHAKRA__COLLECTIVE__BROADCAST] = {true, CONFIG_WORK_BROADCAST},
		[CHAKRA__COLLECTIVE__ALL_TO_ALL] = {true, CONFIG_WORK_ALL_TO_ALL},
		[CHAKRA__COLLECTIVE__REDUCE_SCATTER] = {true, CONFIG_WORK_REDUCE_SCATTER},
		[CHAKRA__COLLECTIVE__REDUCE_SCATTER_BLOCK] = {true, CONFIG_WORK_REDUCE_SCATTER},
		[CHAKRA__COLLECTIVE__BARRIER] = {true, CONFIG_WORK_ALL_REDUCE},
	};
	uint64_t type;

	if (!is_integer(a->comm_type, &type))
		return refuse(r, "a COMM_COLL_NODE without comm_type");
	if (type >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[type].supported)
		return refuse(r, "this comm_type is not supported; ALL_REDUCE, ALL_GATHER, "
				 "BROADCAST, ALL_TO_ALL, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK and "
				 "BARRIER are");
	call->does = TRACE_JOINS;
	call->kind = kinds[type].kind;
	call->peer = TRACE_NONE;
	if (type == CHAKRA__COLLECTIVE__BARRIER)
		call->bytes = BARRIER_BYTES;
	else if (!is_integer(a->comm_size, &call->bytes))
		return refuse(r, "a COMM_COLL_NODE without comm_size");
	return 0;
}

static int
read_message(struct reader *r, const struct attributes *a, struct trace_call *call, bool send)
{
	uint64_t peer;

	if (!is_integer(send ? a->comm_dst : a->comm_src, &peer))
		return refuse(r, send ? "a COMM_SEND_NODE without comm_dst"
				      : "a COMM_RECV_NODE without comm_src");
	if (peer >= r->calls->b->text_count)
		return refuse(r, "comm_src or comm_dst is a rank that has no file");
	if (peer == r->rank)
		return refuse(r, "a message from a rank to itself");
	if (!is_integer(a->comm_size, &call->bytes))
		return refuse(r, "a message without comm_size");
	call->does = send ? TRACE_SENDS : TRACE_RECEIVES;
	call->kind = CONFIG_WORK_SEND;
	call->peer = (uint32_t)peer;
	if (a->comm_tag != NULL && !is_integer(a->comm_tag, &call->tag))
		return refuse(r, "comm_tag is not a number");
	return 0;
}

static uint32_t
find_group(struct reader *r, const char *name)
{
	struct trace_calls *c = r->calls;
	uint32_t number = trace_number(r->group_names, name);

	if (number == c->group_count) {
		c->groups = memory_grow(c->groups, number, sizeof(*c->groups), "groups");
		c->groups[number] =
			(struct trace_group){.name = arena_text(&c->arena, name, strlen(name))};
		c->group_count++;
	}
	return number;
}

static int
read_communication(struct reader *r, const Chakra__Node *node, struct trace_call *call)
{
	struct attributes a = find_attributes(node);
	bool named = a.pg_name != NULL &&
		     a.pg_name->value_case == CHAKRA__ATTRIBUTE__VALUE_STRING_VAL;
	int error;

	if (node->type == CHAKRA__NODE_TYPE__COMM_COLL_NODE)
		error = read_collective(r, &a, call);
	else
		error = read_message(r, &a, call, node->type == CHAKRA__NODE_TYPE__COMM_SEND_NODE);
	if (error != 0)
		return error;
	if (call->bytes > TRACE_BYTES_MAX)
		return refuse(r, "comm_size is out of range");
	call->group =
		find_group(r, named && call->does == TRACE_JOINS ? a.pg_name->string_val : "");
	if (call->bytes == 0 && call->kind != CONFIG_WORK_ALL_TO_ALL)
		call->does = TRACE_COMPUTES; // sends nothing
	return 0;
}

static int
add_dependencies(struct reader *r, const Chakra__Node *node)
{
	size_t count = node->n_ctrl_deps + node->n_data_deps;

	if (count > TRACE_AFTER_MAX - r->dep_count)
		return refuse(r, "too many dependencies");
	for (size_t i = 0; i < count; i++) {
		r->deps = memory_grow(r->deps, r->dep_count, sizeof(*r->deps), "dependencies");
		r->deps[r->dep_count++] = i < node->n_ctrl_deps
						  ? node->ctrl_deps[i]
						  : node->data_deps[i - node->n_ctrl_deps];
	}
	return 0;
}

static int
add_node(struct reader *r, const Chakra__Node *node)
{
	struct trace_calls *c = r->calls;
	struct trace_call call = {
		.does = TRACE_COMPUTES,
		.name = arena_text(&c->arena, node->name, strnlen(node->name, TRACE_NAME_MAX)),
		.rank = r->rank,
		.place = r->rank,
		.text = r->rank,
		.at = r->offset,
	};
	uint32_t number;

	if (node->type >= CHAKRA__NODE_TYPE__COMM_SEND_NODE &&
	    node->type <= CHAKRA__NODE_TYPE__COMM_COLL_NODE) {
		if (read_communication(r, node, &call) != 0)
			return -EINVAL;
	} else if (node->duration_micros > HOUR_US) {
		return refuse(r, "duration_micros is more than an hour");
	} else {
		call.compute_ps = node->duration_micros * PS_PER_US;
	}
	number = trace_add_call(c, &call);
	if (number == TRACE_NONE)
		return -EINVAL;
	r->ids = memory_grow(r->ids, r->id_count, sizeof(*r->ids), "nodes");
	r->dep_counts = memory_grow(r->dep_counts, r->id_count, sizeof(*r->dep_counts), "nodes");
	r->dep_counts[r->id_count] = (uint32_t)(node->n_ctrl_deps + node->n_data_deps);
	r->ids[r->id_count++] = (struct node_id){node->id, number};
	return add_dependencies(r, node);
}

// ---- dependencies, now that all nodes of the rank are known -------------------------------------

static int
compare_ids(const void *a, const void *b)
{
	const struct node_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int
resolve(struct reader *r)
{
	uint64_t *dep = r->deps;
	struct node_id *sorted = memory_copy(r->ids, r->id_count, sizeof(*r->ids), "nodes");
	int error = 0;

	if (r->id_count != 0)
		qsort(sorted, r->id_count, sizeof(*sorted), compare_ids);
	for (uint32_t i = 1; i < r->id_count && error == 0; i++)
		if (sorted[i].id == sorted[i - 1].id)
			error = trace_call_error(r->calls, &r->calls->calls[sorted[i].call],
						 "node %" PRIu64 " is there twice", sorted[i].id);
	for (uint32_t i = 0; i < r->id_count && error == 0; i++)
		for (uint32_t k = 0; k < r->dep_counts[i] && error == 0; k++, dep++) {
			const struct node_id key = {.id = *dep}, *found;

			found = bsearch(&key, sorted, r->id_count, sizeof(key), compare_ids);
			if (found == NULL)
				error = trace_call_error(r->calls, &r->calls->calls[r->ids[i].call],
							 "node %" PRIu64 " waits for node %" PRIu64
							 ", which the file does not have",
							 r->ids[i].id, *dep);
			else
				error = trace_add_after(r->calls, r->ids[i].call, found->call);
		}
	free(sorted);
	return error;
}

static int
read_metadata(struct reader *r)
{
	size_t length = 0;
	const uint8_t *message = next_message(r, &length);
	Chakra__Metadata *metadata;

	if (message == NULL)
		return r->at == r->end && r->offset == 0 ? refuse(r, "the file is empty") : -EINVAL;
	metadata = chakra__metadata__unpack(&allocator, length, message);
	if (metadata == NULL)
		return refuse(r, "the first message is not a GlobalMetadata of Chakra");
	chakra__metadata__free_unpacked(metadata, &allocator);
	return 0;
}

static int
read_rank(struct reader *r)
{
	unsigned before = r->calls->b->diag->errors;
	const uint8_t *message;
	size_t length = 0;

	if (read_metadata(r) != 0)
		return -EINVAL;
	while ((message = next_message(r, &length)) != NULL) {
		Chakra__Node *node = chakra__node__unpack(&allocator, length, message);
		int error = node == NULL ? refuse(r, "this message is not a Node of Chakra")
					 : add_node(r, node);

		if (node != NULL)
			chakra__node__free_unpacked(node, &allocator);
		if (error != 0)
			return error;
	}
	return r->calls->b->diag->errors == before ? resolve(r) : -EINVAL;
}

int
trace_read_chakra(struct trace_builder *b)
{
	struct trace_calls calls = {.b = b, .binary = true, .gathers_parts = true};
	struct trace_names group_names = {0};
	int error = trace_begin(b, b->text_count, (struct diag_pos){0});

	for (uint32_t rank = 0; rank < b->text_count; rank++) {
		const uint8_t *bytes = (const uint8_t *)b->texts[rank].text;
		struct reader r = {
			.calls = &calls,
			.group_names = &group_names,
			.rank = rank,
			.at = bytes,
			.end = bytes + b->texts[rank].length,
		};

		error |= read_rank(&r);
		free(r.ids);
		free(r.deps);
		free(r.dep_counts);
	}
	if (error == 0)
		error = trace_match(&calls);
	trace_names_free(&group_names);
	trace_calls_free(&calls);
	return error != 0 ? -EINVAL : 0;
}
