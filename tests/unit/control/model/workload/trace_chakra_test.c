// SPDX-License-Identifier: BSD-3-Clause
// Chakra's traces, encoded by hand: what nodes of several ranks become, and what is refused.
#include "trace_dump.h"

// Numbers of Chakra's schema.
enum {
	NODE_METADATA = 1,
	NODE_LOAD = 2,
	NODE_COMPUTE = 4,
	NODE_SEND = 5,
	NODE_RECEIVE = 6,
	NODE_COLLECTIVE = 7
};
enum { ALL_REDUCE = 0, REDUCE = 1, ALL_GATHER = 2, BROADCAST = 5, ALL_TO_ALL = 6, BARRIER = 9 };
enum { INT32_VAL = 7, INT64_VAL = 9, UINT64_VAL = 13 };

#define RANKS 4

struct bytes {
	char data[4096];
	size_t length;
};

static void
put_varint(struct bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		b->data[b->length++] = (char)(value | 0x80);
	b->data[b->length++] = (char)value;
}

static void
put_number(struct bytes *b, unsigned field, uint64_t value)
{
	put_varint(b, field << 3);
	put_varint(b, value);
}

static void
put_bytes(struct bytes *b, unsigned field, const void *data, size_t length)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, length);
	memcpy(b->data + b->length, data, length);
	b->length += length;
}

static void
put_message(struct bytes *b, const struct bytes *message)
{
	put_varint(b, message->length);
	memcpy(b->data + b->length, message->data, message->length);
	b->length += message->length;
}

static void
begin(struct bytes *file)
{
	struct bytes metadata = {.length = 0};

	file->length = 0;
	put_bytes(&metadata, 1, "0.0.4", 5);
	put_message(file, &metadata);
}

static struct bytes
node(uint64_t id, unsigned type, const char *name)
{
	struct bytes n = {.length = 0};

	put_number(&n, 1, id);
	put_bytes(&n, 2, name, strlen(name));
	put_number(&n, 3, type);
	put_bytes(&n, 8, "\x0a\x01x", 3); // inputs, which are passed over
	return n;
}

static void
put_attribute(struct bytes *n, const char *name, unsigned field, uint64_t value)
{
	struct bytes attribute = {.length = 0};

	put_bytes(&attribute, 1, name, strlen(name));
	put_number(&attribute, field, value);
	put_bytes(n, 10, attribute.data, attribute.length);
}

static void
put_group(struct bytes *n, const char *group)
{
	struct bytes attribute = {.length = 0};

	put_bytes(&attribute, 1, "pg_name", 7);
	put_bytes(&attribute, 29, group, strlen(group));
	put_bytes(n, 10, attribute.data, attribute.length);
}

static struct bytes
collective(uint64_t id, unsigned type, uint64_t size)
{
	struct bytes n = node(id, NODE_COLLECTIVE, "c");

	put_attribute(&n, "comm_type", INT64_VAL, type);
	put_attribute(&n, "comm_size", UINT64_VAL, size);
	return n;
}

static struct bytes
message(uint64_t id, bool send, uint64_t peer, uint64_t size)
{
	struct bytes n = node(id, send ? NODE_SEND : NODE_RECEIVE, send ? "s" : "r");

	put_attribute(&n, send ? "comm_dst" : "comm_src", INT32_VAL, peer);
	put_attribute(&n, "comm_tag", INT32_VAL, 3);
	put_attribute(&n, "comm_size", INT64_VAL, size);
	return n;
}

struct files {
	struct bytes files[RANKS];
	struct trace_text texts[RANKS];
};

static const struct trace_text *
texts_of(struct files *f)
{
	static const char *const names[RANKS] = {"t.0.et", "t.1.et", "t.2.et", "t.3.et"};

	for (unsigned i = 0; i < RANKS; i++)
		f->texts[i] = (struct trace_text){names[i], f->files[i].data, f->files[i].length};
	return f->texts;
}

static void
chakra(struct files *f, uint32_t ranks, const char *expected)
{
	expect_texts(CONFIG_TRACE_CHAKRA, texts_of(f), ranks, ranks, expected);
}

static void
no_chakra(struct files *f, uint32_t ranks, const char *text)
{
	refuse_texts(CONFIG_TRACE_CHAKRA, texts_of(f), ranks, text);
}

// Rank 0 computes and sends; rank 1 receives, then both reduce. Dependencies are packed or not.
static void
test_nodes(void **state)
{
	struct files f = {0};
	struct bytes n;

	(void)state;
	begin(&f.files[0]);
	n = node(7, NODE_COMPUTE, "matmul");
	put_number(&n, 6, 1234); // start_time_micros, which is passed over
	put_number(&n, 7, 5);
	put_message(&f.files[0], &n);
	n = message(3, true, 1, 1000);
	put_number(&n, 4, 7);
	put_message(&f.files[0], &n);
	n = collective(1, ALL_REDUCE, 64);
	put_bytes(&n, 5, "\x03\x07", 2);
	put_message(&f.files[0], &n);

	begin(&f.files[1]);
	n = collective(0, ALL_REDUCE, 64); // waits for a node that comes later
	put_number(&n, 5, 9);
	put_message(&f.files[1], &n);
	n = message(9, false, 0, 1000);
	put_message(&f.files[1], &n);
	n = node(10, NODE_LOAD, "load");
	put_message(&f.files[1], &n);
	chakra(&f, 2,
	       "compute 0 +5000000 matmul: 0\n"
	       "send 1000 s: 0(0) 1\n"
	       "all-reduce 64 c: 0(0,1) 1(1)\n"
	       "compute 0 load: 1\n");
}

// Groups by name: their ranks are those that have nodes of them. comm_size is what a rank puts in.
static void
test_groups(void **state)
{
	static const char *const groups[RANKS] = {"1", "2", "1", "2"};
	struct files f = {0};
	struct bytes n;

	(void)state;
	for (unsigned r = 0; r < RANKS; r++) {
		begin(&f.files[r]);
		n = collective(1, ALL_GATHER, 100);
		put_group(&n, groups[r]);
		put_message(&f.files[r], &n);
		n = collective(2, ALL_TO_ALL, r == 1 ? 800 : 0);
		put_message(&f.files[r], &n);
		n = collective(3, BARRIER, 0);
		put_message(&f.files[r], &n);
		n = collective(4, BROADCAST, 0); // sends nothing
		put_message(&f.files[r], &n);
	}
	chakra(&f, RANKS,
	       "all-gather [2 ranks, 2 apart] 200 c: 0 2\n"
	       "all-to-all 800 c: 0 1 2 3 <0 <200 <0 <0\n"
	       "all-reduce 1 c: 0 1 2 3\n"
	       "compute 0 c: 0\n"
	       "all-gather [2 ranks, 2 apart] 200 c: 1 3\n"
	       "compute 0 c: 1\n"
	       "compute 0 c: 2\n"
	       "compute 0 c: 3\n");
}

static void
refuse_node(const struct bytes *n, const char *why)
{
	struct files f = {0};

	for (unsigned r = 0; r < 2; r++)
		begin(&f.files[r]);
	put_message(&f.files[0], n);
	no_chakra(&f, 2, why);
}

static void
test_refused_nodes(void **state)
{
	struct bytes n;

	(void)state;
	n = node(1, NODE_COMPUTE, "x");
	put_number(&n, 7, UINT64_C(3600000001));
	refuse_node(&n, "t.0.et: byte 8: duration_micros is more than an hour");
	n = node(1, NODE_COMPUTE, "x");
	put_number(&n, 4, 2);
	refuse_node(&n, "t.0.et: byte 8: node 1 waits for node 2, which the file does not have");
	n = node(1, NODE_COLLECTIVE, "x");
	refuse_node(&n, "a COMM_COLL_NODE without comm_type");
	n = node(1, NODE_COLLECTIVE, "x");
	put_attribute(&n, "comm_type", INT64_VAL, ALL_REDUCE);
	refuse_node(&n, "a COMM_COLL_NODE without comm_size");
	n = collective(1, REDUCE, 8);
	refuse_node(&n, "this comm_type is not supported; ALL_REDUCE, ALL_GATHER");
	n = collective(1, ALL_REDUCE, UINT64_C(1000000000000001));
	refuse_node(&n, "comm_size is out of range");
	n = collective(1, ALL_REDUCE, UINT64_MAX);
	refuse_node(&n, "a COMM_COLL_NODE without comm_size");
	n = node(1, NODE_SEND, "x");
	refuse_node(&n, "a COMM_SEND_NODE without comm_dst");
	n = node(1, NODE_RECEIVE, "x");
	refuse_node(&n, "a COMM_RECV_NODE without comm_src");
	n = message(1, true, 2, 8);
	refuse_node(&n, "comm_src or comm_dst is a rank that has no file");
	n = message(1, true, 0, 8);
	refuse_node(&n, "a message from a rank to itself");
	n = message(1, true, 1, 8);
	refuse_node(&n, "t.0.et: byte 8: s of rank 0: 1 messages are sent and 0 received");
}

static void
test_refused_files(void **state)
{
	struct files f = {0};
	struct bytes n = node(1, NODE_COMPUTE, "x");

	(void)state;
	no_chakra(&f, 1, "t.0.et: byte 0: the file is empty");
	begin(&f.files[0]);
	no_chakra(&f, 1, "the trace has no operation");
	put_message(&f.files[0], &n);
	put_message(&f.files[0], &n);
	no_chakra(&f, 1, "t.0.et: byte 21: node 1 is there twice");
	begin(&f.files[0]);
	put_message(&f.files[0], &n);
	f.files[0].length--;
	no_chakra(&f, 1, "t.0.et: byte 8: the file ends in a message");
	begin(&f.files[0]);
	f.files[0].data[f.files[0].length++] = (char)0x80;
	no_chakra(&f, 1, "t.0.et: byte 8: the file ends in the length of a message");
	memset(f.files[0].data, 0xff, 8);
	no_chakra(&f, 1, "t.0.et: byte 0: this is not the length of a message");
	f.files[0].length = 0;
	put_varint(&f.files[0], 2000000);
	no_chakra(&f, 1, "t.0.et: byte 0: a message of more than 1 MB");
	f.files[0].length = 0;
	put_message(&f.files[0], &n);
	no_chakra(&f, 1, "t.0.et: byte 0: the first message is not a GlobalMetadata of Chakra");
	begin(&f.files[0]);
	n.length = 0;
	put_bytes(&n, 1, "x", 1);
	put_message(&f.files[0], &n);
	no_chakra(&f, 1, "t.0.et: byte 8: this message is not a Node of Chakra");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_refused_nodes),
		cmocka_unit_test(test_refused_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
