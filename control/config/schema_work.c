// SPDX-License-Identifier: BSD-3-Clause
// The schema of an item of `workload:`. Its kind decides which keys it has.
#include "decode.h"

#define AT(member) SCHEMA_AT(struct config_work, member)
#define LATER .flags = SCHEMA_LATER

#define FLOW (1u << CONFIG_WORK_FLOW)
#define FLOWS (1u << CONFIG_WORK_FLOWS)
#define STREAM (1u << CONFIG_WORK_STREAM)
#define INCAST (1u << CONFIG_WORK_INCAST)
#define PERMUTATION (1u << CONFIG_WORK_PERMUTATION)
#define ALL_TO_ALL (1u << CONFIG_WORK_ALL_TO_ALL)

static const struct schema_choice kinds[] = {
	{"flow", CONFIG_WORK_FLOW, false},
	{"flows", CONFIG_WORK_FLOWS, false},
	{"stream", CONFIG_WORK_STREAM, false},
	{"incast", CONFIG_WORK_INCAST, false},
	{"permutation", CONFIG_WORK_PERMUTATION, false},
	{"all-to-all", CONFIG_WORK_ALL_TO_ALL, false},
	{"shift", 0, true},
	{"poisson", 0, true},
	{"all-reduce", 0, true},
	{"all-gather", 0, true},
	{"reduce-scatter", 0, true},
	{"step", 0, true},
	{NULL, 0, false},
};
static const char *const kind_names[] = {
	[CONFIG_WORK_FLOW] = "kind: flow",
	[CONFIG_WORK_FLOWS] = "kind: flows",
	[CONFIG_WORK_STREAM] = "kind: stream",
	[CONFIG_WORK_INCAST] = "kind: incast",
	[CONFIG_WORK_PERMUTATION] = "kind: permutation",
	[CONFIG_WORK_ALL_TO_ALL] = "kind: all-to-all",
};

static const struct schema_choice ops[] = {
	{"write", CONFIG_OP_WRITE, false},
	{"send", CONFIG_OP_SEND, true},
	{"read", CONFIG_OP_READ, true},
	{NULL, 0, false},
};
static const struct schema_choice formats[] = {
	{"roost", CONFIG_FLOW_FORMAT_ROOST, false},
	{"hpcc", CONFIG_FLOW_FORMAT_HPCC, true},
	{"conweave", CONFIG_FLOW_FORMAT_CONWEAVE, true},
	{NULL, 0, false},
};
static const struct schema_choice arrivals[] = {
	{"cbr", CONFIG_ARRIVALS_CBR, false},
	{"poisson", CONFIG_ARRIVALS_POISSON, false},
	{NULL, 0, false},
};
static const struct schema_choice algorithms[] = {
	{"direct", CONFIG_ALGORITHM_DIRECT, false},
	{"shift", CONFIG_ALGORITHM_SHIFT, true},
	{NULL, 0, false},
};

static uint32_t
work_select(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const struct schema_key kind = {"kind", SCHEMA_ENUM, AT(kind), .choices = kinds};
	const struct yaml_pair *pair = yaml_tree_get(node, "kind");
	struct config_work *work = base;
	unsigned errors = d->diag->errors;
	size_t path;

	work->priority = -1;
	if (pair == NULL) {
		decode_error(d, node->pos,
			     "needs \"kind\": flow, flows, stream, incast, permutation or "
			     "all-to-all");
		return 0;
	}
	path = decode_enter(d, "kind");
	decode_value(d, &kind, pair->value, base);
	decode_leave(d, path);
	return d->diag->errors > errors ? 0 : 1u << work->kind;
}

static void
work_check(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;
	bool one_sender = work->kind == CONFIG_WORK_FLOW || work->kind == CONFIG_WORK_STREAM;

	work->pos = node->pos;
	if (one_sender && work->from.count > 1)
		decode_error(d, work->from.items[1].pos, "\"from\" is one host here");
}

static const struct schema_key keys[] = {
	{"kind", SCHEMA_SECTION, .help = "what is sent"},
	{"name", SCHEMA_TEXT, .help = "shown in the results", AT(name)},
	{"tenant", SCHEMA_NAME, .help = "whose hosts", AT(tenant)},
	{"priority", SCHEMA_INTEGER, .help = "the hosts' where not written", AT(priority), .min = 0,
	 .max = 7},
	{"at", SCHEMA_DURATION, .def = "0us", .help = "when it starts", AT(at_ps), .min = 0,
	 .max = INT64_MAX},
	{"qps", SCHEMA_INTEGER, .help = "the hosts' where not written", AT(qps), .min = 1,
	 .max = 1024},
	{"repeat", SCHEMA_INTEGER, .def = "1", .help = "how many times", AT(repeat), .min = 1,
	 .max = 1000000000},
	{"gap", SCHEMA_DURATION, .def = "0us", .help = "between repeats", AT(gap_ps), .min = 0,
	 .max = INT64_MAX},
	{"from", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE, .help = "the sending host", AT(from),
	 .min = 1, .kinds = FLOW | STREAM | INCAST, .required = FLOW | STREAM | INCAST},
	{"to", SCHEMA_NAME, .help = "the receiving host", AT(to), .kinds = FLOW | STREAM | INCAST,
	 .required = FLOW | STREAM | INCAST},
	{"hosts", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE, .help = "these hosts only", AT(hosts),
	 .min = 2, .kinds = PERMUTATION | ALL_TO_ALL},
	{"size", SCHEMA_BYTES, .help = "bytes to send", AT(size_bytes), .min = 1,
	 .max = SCHEMA_BYTES_MAX, .kinds = FLOW | INCAST | PERMUTATION | ALL_TO_ALL,
	 .required = FLOW | INCAST | PERMUTATION | ALL_TO_ALL},
	{"op", SCHEMA_ENUM, .def = "write", .help = "RDMA operation", AT(op), .choices = ops,
	 .kinds = FLOW},
	{"file", SCHEMA_TEXT, .help = "a flow file", AT(file), .kinds = FLOWS, .required = FLOWS},
	{"format", SCHEMA_ENUM, .def = "roost", .help = "of the file", AT(format),
	 .choices = formats, .kinds = FLOWS},
	{"packet", SCHEMA_BYTES, .def = "1000B", .help = "frame without FCS", AT(packet_bytes),
	 .min = 60, .max = SCHEMA_MTU_MAX, .kinds = STREAM},
	{"rate", SCHEMA_RATE, .help = "bits per second", AT(rate_bps), .min = 1000,
	 .max = SCHEMA_RATE_MAX, .kinds = STREAM, .required = STREAM},
	{"arrivals", SCHEMA_ENUM, .def = "cbr", .help = "spacing of the packets", AT(arrivals),
	 .choices = arrivals, .kinds = STREAM},
	{"ttl", SCHEMA_INTEGER, .def = "64", .help = "IPv4 TTL or IPv6 hop limit", AT(ttl),
	 .min = 1, .max = 255, .kinds = STREAM},
	{"until", SCHEMA_DURATION, .help = "when it ends", AT(until_ps), .min = 1, .max = INT64_MAX,
	 .kinds = STREAM},
	{"algorithm", SCHEMA_ENUM, .def = "direct", .help = "order of the pairs", AT(algorithm),
	 .choices = algorithms, .kinds = ALL_TO_ALL},
	{"load", SCHEMA_PERCENT, LATER, .help = "of kind: poisson"},
	{"sizes", SCHEMA_TEXT, LATER, .help = "of kind: poisson"},
	{"compute", SCHEMA_DURATION, LATER, .help = "of kind: step"},
	{"collectives", SCHEMA_LIST, LATER, .help = "of kind: step"},
};

const struct schema schema_work = {
	SCHEMA_COUNT(keys),       .size = sizeof(struct config_work),
	.kind_names = kind_names, .select = work_select,
	.check = work_check,
};
