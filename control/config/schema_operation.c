// SPDX-License-Identifier: BSD-3-Clause
// The schema of a step's groups and operations.
#include "schema_work_internal.h"

#include "scalar.h"

#include <inttypes.h>
#include <stdlib.h>

#define SEND (1u << CONFIG_WORK_SEND)
#define DISPATCH (1u << CONFIG_WORK_DISPATCH)
#define COMBINE (1u << CONFIG_WORK_COMBINE)
#define COMPUTE (1u << CONFIG_WORK_COMPUTE)
#define EXPERTS (DISPATCH | COMBINE)
#define SENDS (COLLECTIVE | BROADCAST | SEND)
#define GROUPED (SENDS | EXPERTS)
#define RANKS_MAX (1 << 20)
#define SHARE_MAX 1000000

const struct schema_choice schema_operation_kinds[] = {
	{"compute", CONFIG_WORK_COMPUTE},
	{"all-reduce", CONFIG_WORK_ALL_REDUCE},
	{"all-gather", CONFIG_WORK_ALL_GATHER},
	{"reduce-scatter", CONFIG_WORK_REDUCE_SCATTER},
	{"all-to-all", CONFIG_WORK_ALL_TO_ALL},
	{"broadcast", CONFIG_WORK_BROADCAST},
	{"send", CONFIG_WORK_SEND},
	{"dispatch", CONFIG_WORK_DISPATCH},
	{"combine", CONFIG_WORK_COMBINE},
	{NULL, 0},
};

static uint32_t
select_operation(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const struct schema_key kind = {"kind", SCHEMA_ENUM, AT(kind),
					       .choices = schema_operation_kinds};

	((struct config_work *)base)->priority = -1;
	return decode_kind(d, node, &kind, base);
}

static void
check_operation(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;
	const struct yaml_pair *after = yaml_tree_get(node, "after");
	const struct yaml_pair *hop = yaml_tree_get(node, "by");
	const struct config_experts *e = &work->experts;

	work->ordered = after != NULL;
	if (work->kind >= CONFIG_WORK_ALL_REDUCE && work->kind <= CONFIG_WORK_ALL_TO_ALL)
		schema_work_algorithm(d, node, work);
	if (hop != NULL && work->hop == 0)
		decode_error(d, hop->value->pos, "a rank cannot send to itself: by is not 0");
	if ((work->kind == CONFIG_WORK_DISPATCH || work->kind == CONFIG_WORK_COMBINE) &&
	    e->top_k > e->count)
		decode_error(d, node->pos, "a token goes to %u experts, but there are %u", e->top_k,
			     e->count);
	else if (e->top_k != 0 && e->token_bytes != 0 &&
		 e->tokens > SCHEMA_BYTES_MAX / e->top_k / e->token_bytes)
		decode_error(d, node->pos,
			     "%u tokens of %" PRIu64 " bytes to %u experts each are more than "
			     "%" PRId64 " bytes, the most that a rank sends",
			     e->tokens, e->token_bytes, e->top_k, SCHEMA_BYTES_MAX);
}

// "2", or "1-3".
static bool
read_place(const char *text, struct config_place *out)
{
	char *end;
	unsigned long first = strtoul(text, &end, 10), last = first;

	if (text[0] < '0' || text[0] > '9')
		return false;
	if (end[0] == '-' && end[1] >= '0' && end[1] <= '9')
		last = strtoul(end + 1, &end, 10);
	*out = (struct config_place){.first = (uint32_t)first, .last = (uint32_t)last};
	return end[0] == '\0' && first <= last && last < RANKS_MAX;
}

static void
decode_on(struct decoder *d, const struct schema_key *key, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;

	(void)key;
	if (!decode_is_map(d, node))
		return;
	work->on = arena_alloc(d->arena, (node->count + 1) * sizeof(*work->on));
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		struct config_place *place = &work->on[work->on_count];
		const char *text = decode_text(d, pair->value);

		if (text == NULL)
			continue;
		if (!read_place(text, place)) {
			decode_error(d, pair->value->pos,
				     "%s: needs a position in the group, from 0, or a range such "
				     "as 1-3",
				     text);
			continue;
		}
		place->group = (struct config_name){.text = pair->key, .pos = pair->key_pos};
		work->on_count++;
	}
}

static void
decode_shares(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct config_work *work = base;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	uint64_t sum = 0;

	(void)key;
	if (items == NULL)
		return;
	work->shares = arena_alloc(d->arena, (count + 1) * sizeof(*work->shares));
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);
		int64_t value;
		char why[SCALAR_WHY];

		if (text == NULL)
			continue;
		if (scalar_integer(text, 0, SHARE_MAX, &value, why) != 0)
			decode_error(d, items[i]->pos, "%s", why);
		else
			work->shares[i] = (uint32_t)value;
		sum += work->shares[i];
	}
	work->share_count = count;
	if (sum == 0)
		decode_error(d, node->pos, "needs a share above 0");
}

// clang-format off
static const struct schema_form place = {
	.type = SCHEMA_TEXT, .pattern = "^[0-9]+(-[0-9]+)?$",
	.words = "a position, or a range such as 1-3",
	.other = &(const struct schema_form){.type = SCHEMA_INTEGER, .max = RANKS_MAX - 1}};
static const struct schema_form share = {.type = SCHEMA_INTEGER, .max = SHARE_MAX};

static const struct schema_key operation_keys[] = {
	{"kind", SCHEMA_SECTION, .help = "what is done", .choices = schema_operation_kinds},
	{"name", SCHEMA_TEXT, .help = "shown in the results; after refers to it", AT(name)},
	{"group", SCHEMA_NAME, .help = "each group of this name runs it; default: all ranks together",
	 AT(group), .kinds = GROUPED},
	// Custom: a position is a number or a range of them.
	{"on", SCHEMA_CUSTOM,
	 .help = "only ranks at these positions of their groups, such as {pp: 0}; for send, the senders",
	 AT(on), .decode = decode_on,
	 SCHEMA_FORM(SCHEMA_NAMED, .words = "GROUP", .item = &place)},
	{"after", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE,
	 .help = "the earlier operations that it waits for; default: the one before it; []: none",
	 AT(after), .names = "OPERATION"},
	{"priority", SCHEMA_INTEGER, .help = "default: the step's", AT(priority), .min = 0,
	 .max = 7, .kinds = GROUPED},
	{"qps", SCHEMA_INTEGER, .help = "default: the step's", AT(qps), .min = 1, .max = 1024,
	 .kinds = GROUPED},
	{"size", SCHEMA_BYTES, .help = "bytes to send", AT(size_bytes), .min = 1,
	 .max = SCHEMA_BYTES_MAX, .kinds = SENDS, .required = SENDS},
	{"by", SCHEMA_INTEGER, .def = "1",
	 .help = "send to the rank so many places further on in the group; negative: back", AT(hop),
	 .min = -65535, .max = 65535, .kinds = SEND},
	{"root", SCHEMA_INTEGER, .def = "0", .help = "position of the sender in its group",
	 AT(root), .max = 65535, .kinds = BROADCAST},
	// Custom: a list as long as the group is large.
	{"shares", SCHEMA_CUSTOM,
	 .help = "unequal parts of every buffer: a share for each rank of the group",
	 AT(shares), .decode = decode_shares,
	 SCHEMA_FORM(SCHEMA_LIST, .item = &share), .kinds = ALL_TO_ALL},
	{"tokens", SCHEMA_INTEGER, .help = "tokens of each rank", AT(experts.tokens), .min = 1,
	 .max = 1000000000, .kinds = EXPERTS, .required = EXPERTS},
	{"token", SCHEMA_BYTES, .help = "bytes of a token", AT(experts.token_bytes), .min = 1,
	 .max = 1 << 30, .kinds = EXPERTS, .required = EXPERTS},
	{"experts", SCHEMA_INTEGER, .help = "experts in the group; each rank has the same number",
	 AT(experts.count), .min = 1, .max = 1000000, .kinds = EXPERTS, .required = EXPERTS},
	{"top-k", SCHEMA_INTEGER, .help = "experts that each token goes to", AT(experts.top_k),
	 .min = 1, .max = 1024, .kinds = EXPERTS, .required = EXPERTS},
	{"nodes", SCHEMA_INTEGER, .def = "any",
	 .help = "a token goes to experts of at most so many hosts (node-limited routing)",
	 AT(experts.nodes), .min = 1, .max = 65535, .word = "any", .kinds = EXPERTS},
	{"forward", SCHEMA_BOOL, .def = "on",
	 .help = "send a token to each host once, and pass it on inside the host", AT(experts.forward),
	 .kinds = EXPERTS},
	COLLECTIVE_KEYS,
	{"compute", SCHEMA_DURATION, .def = "0us", .help = "computing time before it, each time",
	 AT(compute_ps), SCHEMA_HOUR, .kinds = COLLECTIVE | BROADCAST | EXPERTS},
	{"time", SCHEMA_DURATION, .help = "how long each rank computes", AT(compute_ps),
	 SCHEMA_HOUR, .kinds = COMPUTE, .required = COMPUTE},
};
// clang-format on
const struct schema schema_operation = {
	SCHEMA_COUNT(operation_keys),
	.size = sizeof(struct config_work),
	SCHEMA_POS(struct config_work, pos),
	.select = select_operation,
	.check = check_operation,
};

static const struct schema_key group_keys[] = {
	{"size", SCHEMA_INTEGER, .help = "number of ranks in a group",
	 SCHEMA_AT(struct config_rank_group, size), .min = 1, .max = RANKS_MAX, .required = 1},
	{"stride", SCHEMA_INTEGER, .def = "1",
	 .help = "distance between neighbouring ranks of a group",
	 SCHEMA_AT(struct config_rank_group, stride), .min = 1, .max = RANKS_MAX},
};
const struct schema schema_work_group = {
	SCHEMA_COUNT(group_keys),
	.size = sizeof(struct config_rank_group),
	SCHEMA_POS(struct config_rank_group, pos),
};
