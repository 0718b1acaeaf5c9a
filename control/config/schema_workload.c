// SPDX-License-Identifier: BSD-3-Clause
// The schema of an item of `workload:`. The kind decides which keys it has.
#include "schema_work_internal.h"

#include "scalar.h"

#define FLOW (1u << CONFIG_WORK_FLOW)
#define FLOWS (1u << CONFIG_WORK_FLOWS)
#define STREAM (1u << CONFIG_WORK_STREAM)
#define INCAST (1u << CONFIG_WORK_INCAST)
#define PERMUTATION (1u << CONFIG_WORK_PERMUTATION)
#define SHIFT (1u << CONFIG_WORK_SHIFT)
#define POISSON (1u << CONFIG_WORK_POISSON)
#define STEP (1u << CONFIG_WORK_STEP)
#define TRACE (1u << CONFIG_WORK_TRACE)
#define MODEL (1u << CONFIG_WORK_MODEL)
#define SIZED (FLOW | INCAST | PERMUTATION | SHIFT | COLLECTIVE | BROADCAST)

const struct schema_choice schema_work_kinds[] = {
	{"flow", CONFIG_WORK_FLOW},
	{"flows", CONFIG_WORK_FLOWS},
	{"stream", CONFIG_WORK_STREAM},
	{"incast", CONFIG_WORK_INCAST},
	{"permutation", CONFIG_WORK_PERMUTATION},
	{"shift", CONFIG_WORK_SHIFT},
	{"poisson", CONFIG_WORK_POISSON},
	{"all-reduce", CONFIG_WORK_ALL_REDUCE},
	{"all-gather", CONFIG_WORK_ALL_GATHER},
	{"reduce-scatter", CONFIG_WORK_REDUCE_SCATTER},
	{"all-to-all", CONFIG_WORK_ALL_TO_ALL},
	{"broadcast", CONFIG_WORK_BROADCAST},
	{"step", CONFIG_WORK_STEP},
	{"trace", CONFIG_WORK_TRACE},
	{"model", CONFIG_WORK_MODEL},
	{NULL, 0},
};

const struct schema_choice schema_file_formats[] = {
	{"roost", CONFIG_FLOW_FORMAT_ROOST},
	{"hpcc", CONFIG_FLOW_FORMAT_HPCC},
	{"conweave", CONFIG_FLOW_FORMAT_CONWEAVE},
	{"chakra", CONFIG_TRACE_CHAKRA},
	{"simai", CONFIG_TRACE_SIMAI},
	{"aicb", CONFIG_TRACE_AICB},
	{"nccl", CONFIG_TRACE_NCCL},
	{"nccl-tests", CONFIG_TRACE_NCCL_TESTS},
	{"htsim", CONFIG_TRACE_HTSIM},
	{NULL, 0},
};

static uint32_t
select_work(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const struct schema_key kind = {"kind", SCHEMA_ENUM, AT(kind),
					       .choices = schema_work_kinds};

	((struct config_work *)base)->priority = -1;
	return decode_kind(d, node, &kind, base);
}

static void
check_mix(struct decoder *d, const struct schema_key *key, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;
	uint64_t sum = 0;

	(void)key;
	for (unsigned i = 0; i < CONFIG_PRIORITIES; i++)
		sum += work->mix_ppm[i];
	if (sum != CONFIG_PPM)
		decode_error(d, node->pos, "the shares are %g%% together, not 100%%",
			     (double)sum * 100 / CONFIG_PPM);
	work->mixed = true;
}

// The algorithms of each kind; the first is the one where none is written.
void
schema_work_algorithm(struct decoder *d, const struct yaml_node *node, struct config_work *work)
{
	const struct yaml_pair *pair = yaml_tree_get(node, "algorithm");
	const struct yaml_pair *chunk = yaml_tree_get(node, "chunk");
	const struct yaml_pair *channels = yaml_tree_get(node, "channels");
	bool all_reduce = work->kind == CONFIG_WORK_ALL_REDUCE;
	bool all_to_all = work->kind == CONFIG_WORK_ALL_TO_ALL;
	const struct yaml_pair *peers = yaml_tree_get(node, "peers");
	bool fits;

	if (work->algorithm == CONFIG_ALGORITHM_AUTO)
		work->algorithm = all_to_all ? CONFIG_ALGORITHM_DIRECT : CONFIG_ALGORITHM_RING;
	fits = all_to_all ? work->algorithm >= CONFIG_ALGORITHM_DIRECT
			  : work->algorithm == CONFIG_ALGORITHM_RING ||
				    (all_reduce && work->algorithm < CONFIG_ALGORITHM_DIRECT);
	if (!fits)
		decode_error(d, pair->value->pos, "%s is done as %s",
			     schema_choice_name(schema_work_kinds, work->kind),
			     all_to_all   ? "direct or shift"
			     : all_reduce ? "ring, tree or halving-doubling"
					  : "ring");
	else if (chunk != NULL && all_reduce && work->algorithm != CONFIG_ALGORITHM_TREE)
		decode_error(d, chunk->key_pos, "\"chunk\" is of algorithm: tree");
	else if (channels != NULL && all_reduce && work->algorithm != CONFIG_ALGORITHM_RING)
		decode_error(d, channels->key_pos, "\"channels\" is of algorithm: ring");
	else if (peers != NULL && work->pairs == CONFIG_PAIRS_LISTED)
		decode_error(d, peers->key_pos, "\"peers\" needs pairs: generated");
}

static void
check_poisson(struct decoder *d, const struct yaml_node *node)
{
	const struct yaml_pair *load = yaml_tree_get(node, "load");
	char why[SCALAR_WHY];
	uint32_t ppm;

	if (load != NULL && load->value->kind == YAML_SCALAR &&
	    scalar_percent(load->value->text, &ppm, why) == 0 && ppm == 0)
		decode_error(d, load->value->pos, "a load of nothing sends nothing");
}

static void
check_format(struct decoder *d, const struct yaml_node *node, const struct config_work *work)
{
	const struct yaml_pair *format = yaml_tree_get(node, "format");
	bool trace = work->kind == CONFIG_WORK_TRACE;

	if (format != NULL && (work->format >= CONFIG_TRACE_CHAKRA) != trace)
		decode_error(d, format->value->pos, "%s is a format of kind: %s",
			     schema_choice_name(schema_file_formats, work->format),
			     trace ? "flows" : "trace");
}

static void
check_work(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;
	bool one_sender = work->kind == CONFIG_WORK_FLOW || work->kind == CONFIG_WORK_STREAM;
	const struct yaml_pair *operations = yaml_tree_get(node, "operations");
	const struct yaml_pair *until = yaml_tree_get(node, "until");

	if (work->kind >= CONFIG_WORK_ALL_REDUCE && work->kind <= CONFIG_WORK_ALL_TO_ALL)
		schema_work_algorithm(d, node, work);
	if (one_sender && work->from.count > 1)
		decode_error(d, work->from.items[1].pos, "\"from\" is one host here");
	if (work->kind == CONFIG_WORK_POISSON)
		check_poisson(d, node);
	if (work->kind == CONFIG_WORK_FLOWS || work->kind == CONFIG_WORK_TRACE)
		check_format(d, node, work);
	if (work->kind == CONFIG_WORK_MODEL)
		schema_model_check(d, node, &work->model);
	if (until != NULL && work->until_ps != 0 && work->until_ps <= work->at_ps)
		decode_error(d, until->value->pos, "\"until\" is no later than \"at\"");
	if (operations != NULL && operations->value->count == 0 &&
	    (operations->value->kind == YAML_LIST || operations->value->null))
		decode_error(d, operations->value->pos, "\"operations\" is empty");
}

static const struct schema_choice ops[] = {
	{"write", CONFIG_OP_WRITE},
	{"send", CONFIG_OP_SEND},
	{"read", CONFIG_OP_READ},
	{NULL, 0},
};
static const struct schema_choice arrivals[] = {
	{"cbr", CONFIG_ARRIVALS_CBR},
	{"poisson", CONFIG_ARRIVALS_POISSON},
	{NULL, 0},
};
const struct schema_choice schema_algorithms[] = {
	{"ring", CONFIG_ALGORITHM_RING},
	{"tree", CONFIG_ALGORITHM_TREE},
	{"halving-doubling", CONFIG_ALGORITHM_HALVING_DOUBLING},
	{"direct", CONFIG_ALGORITHM_DIRECT},
	{"shift", CONFIG_ALGORITHM_SHIFT},
	{NULL, 0},
};

const struct schema_choice schema_pairs[] = {
	{"auto", CONFIG_PAIRS_AUTO},
	{"listed", CONFIG_PAIRS_LISTED},
	{"generated", CONFIG_PAIRS_GENERATED},
	{NULL, 0},
};

static const struct schema_key share_item = {"SHARE", SCHEMA_PERCENT, .size = sizeof(uint32_t)};

static const struct schema_key keys[] = {
	{"kind", SCHEMA_SECTION, .help = "what is sent", .choices = schema_work_kinds},
	{"name", SCHEMA_TEXT, .help = "shown in the results", AT(name)},
	{"tenant", SCHEMA_NAME, .help = "the tenant whose hosts send", AT(tenant)},
	{"priority", SCHEMA_INTEGER, .help = "default: the hosts'", AT(priority), .min = 0,
	 .max = 7},
	{"at", SCHEMA_DURATION, .def = "0us", .help = "when it starts", AT(at_ps), .min = 0,
	 .max = INT64_MAX},
	{"qps", SCHEMA_INTEGER, .help = "default: the hosts'", AT(qps), .min = 1, .max = 1024},
	{"repeat", SCHEMA_INTEGER, .def = "1",
	 .help = "how many times; of a collective at most 65536", AT(repeat), .min = 1,
	 .max = 1000000000},
	{"gap", SCHEMA_DURATION, .def = "0us", .help = "time between repeats", AT(gap_ps), .min = 0,
	 .max = INT64_MAX},
	{"from", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE | SCHEMA_HOSTS,
	 .help = "the sending host, or its NIC", AT(from), .min = 1,
	 .kinds = FLOW | STREAM | INCAST, .required = FLOW | STREAM | INCAST},
	{"to", SCHEMA_TEXT, .help = "the receiving host, or its NIC", AT(to),
	 .kinds = FLOW | STREAM | INCAST, .required = FLOW | STREAM | INCAST},
	{"hosts", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE | SCHEMA_HOSTS,
	 .help = "these hosts or NICs only", AT(hosts), .min = 1,
	 .kinds = PERMUTATION | SHIFT | POISSON | COLLECTIVE | BROADCAST | STEP | TRACE | MODEL},
	{"receivers", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE | SCHEMA_HOSTS,
	 .help = "only these hosts or NICs receive; default: those that send", AT(receivers),
	 .min = 1, .kinds = POISSON},
	{"size", SCHEMA_BYTES, .help = "bytes to send", AT(size_bytes), .min = 1,
	 .max = SCHEMA_BYTES_MAX, .kinds = SIZED, .required = SIZED},
	{"by", SCHEMA_INTEGER, .def = "1", .help = "to the how many next", AT(by), .min = 1,
	 .max = 65535, .kinds = SHIFT},
	{"op", SCHEMA_ENUM, .def = "write", .help = "RDMA operation", AT(op), .choices = ops,
	 .kinds = FLOW | FLOWS | INCAST | PERMUTATION | SHIFT | POISSON},
	{"file", SCHEMA_TEXT,
	 .help = "a flow file or a trace; for chakra, NAME reads NAME.0.et, NAME.1.et and so on",
	 AT(file), .kinds = FLOWS | TRACE, .required = FLOWS | TRACE},
	{"format", SCHEMA_ENUM, .def = "roost",
	 .help = "format of the file: roost, hpcc or conweave for flows, one of the others for a "
		 "trace",
	 AT(format), .choices = schema_file_formats, .kinds = FLOWS | TRACE, .required = TRACE},
	{"packet", SCHEMA_BYTES, .def = "1000B", .help = "frame without FCS", AT(packet_bytes),
	 .min = 60, .max = SCHEMA_MTU_MAX, .kinds = STREAM},
	{"rate", SCHEMA_RATE, .help = "bits per second", AT(rate_bps), .min = 1000,
	 .max = SCHEMA_RATE_MAX, .kinds = STREAM, .required = STREAM},
	{"arrivals", SCHEMA_ENUM, .def = "cbr", .help = "spacing of the packets", AT(arrivals),
	 .choices = arrivals, .kinds = STREAM},
	{"ttl", SCHEMA_INTEGER, .def = "64", .help = "IPv4 TTL or IPv6 hop limit", AT(ttl),
	 .min = 1, .max = 255, .kinds = STREAM},
	{"until", SCHEMA_DURATION, .help = "when it ends", AT(until_ps), .min = 1, .max = INT64_MAX,
	 .kinds = STREAM | POISSON, .required = POISSON},
	{"load", SCHEMA_PERCENT, .help = "share of each NIC's rate", AT(load_ppm), .kinds = POISSON,
	 .required = POISSON},
	{"sizes", SCHEMA_TEXT,
	 .help = "a file of the distribution, or web-search, storage, hadoop, rpc", AT(sizes),
	 .kinds = POISSON, .required = POISSON},
	{"mix", SCHEMA_TABLE, .help = "priorities are drawn by these shares, 100% together",
	 AT(mix_ppm), .item = &share_item, .check = check_mix,
	 SCHEMA_FORM(SCHEMA_NAMED, .pattern = SCHEMA_PRIORITY_PATTERN, .words = "PRIORITY",
		     .item = &(const struct schema_form){.type = SCHEMA_PERCENT}),
	 .kinds = POISSON | FLOWS, .excludes = "priority"},
	COLLECTIVE_KEYS,
	{"compute", SCHEMA_DURATION, .def = "0us", .help = "computing time before it, each time",
	 AT(compute_ps), SCHEMA_HOUR, .kinds = COLLECTIVE | BROADCAST | STEP},
	{"groups", SCHEMA_NAMED, .help = "ways to divide the ranks into groups, by name",
	 SCHEMA_ITEMS(struct config_work, groups, group_count), .sub = &schema_work_group,
	 .kinds = STEP},
	{"operations", SCHEMA_LIST,
	 .help = "computing, collectives and messages; each waits for the one before it, unless "
		 "after "
		 "says otherwise",
	 SCHEMA_ITEMS(struct config_work, operations, operation_count), .sub = &schema_operation,
	 .kinds = STEP, .required = STEP},
	{"transformer", SCHEMA_MAP, .help = "sizes of the model", AT(model.transformer),
	 .sub = &schema_transformer, .kinds = MODEL, .required = MODEL},
	{"batch", SCHEMA_MAP, .help = "what each pipeline computes in a step", AT(model.batch),
	 .sub = &schema_batch, .kinds = MODEL, .required = MODEL},
	{"parallel", SCHEMA_MAP,
	 .help = "how the ranks share the model; those that remain are data-parallel",
	 AT(model.parallel), .sub = &schema_parallel, .kinds = MODEL},
	{"precision", SCHEMA_MAP, .help = "the format of numbers that are sent",
	 AT(model.precision), .sub = &schema_precision, .kinds = MODEL},
	{"gpu", SCHEMA_MAP, .help = "how fast a rank computes", AT(model.gpu), .sub = &schema_gpu,
	 .kinds = MODEL, .required = MODEL},
	{"simulate", SCHEMA_MAP,
	 .help = "the part of the step that is simulated; default: all of it", AT(model.simulate),
	 .sub = &schema_slice, .kinds = MODEL},
};

const struct schema schema_work = {
	SCHEMA_COUNT(keys),
	.size = sizeof(struct config_work),
	SCHEMA_POS(struct config_work, pos),
	.select = select_work,
	.check = check_work,
};
