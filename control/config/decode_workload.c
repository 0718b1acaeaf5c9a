// SPDX-License-Identifier: BSD-3-Clause
#include "schema_internal.h"

#include "scalar.h"

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
	{"step", CONFIG_WORK_STEP},
	{NULL, 0},
};
const struct schema_choice schema_part_kinds[] = {
	{"all-reduce", CONFIG_WORK_ALL_REDUCE},
	{"all-gather", CONFIG_WORK_ALL_GATHER},
	{"reduce-scatter", CONFIG_WORK_REDUCE_SCATTER},
	{"all-to-all", CONFIG_WORK_ALL_TO_ALL},
	{NULL, 0},
};

static uint32_t
decode_kind(struct decoder *d, const struct yaml_node *node, void *base,
	    const struct schema_choice *choices, const char *which)
{
	const struct schema_key key = {"kind", SCHEMA_ENUM, SCHEMA_AT(struct config_work, kind),
				       .choices = choices};
	const struct yaml_pair *pair = yaml_tree_get(node, "kind");
	struct config_work *work = base;
	unsigned errors = d->diag->errors;
	size_t path;

	work->priority = -1;
	if (pair == NULL) {
		decode_error(d, node->pos, "needs \"kind\": %s", which);
		return 0;
	}
	path = decode_enter(d, "kind");
	decode_value(d, &key, pair->value, base);
	decode_leave(d, path);
	return d->diag->errors > errors ? 0 : 1u << work->kind;
}

uint32_t
decode_workload_kind(struct decoder *d, const struct yaml_node *node, void *base)
{
	return decode_kind(d, node, base, schema_work_kinds,
			   "flow, flows, stream, incast, permutation, shift, poisson, all-reduce, "
			   "all-gather, reduce-scatter, all-to-all or step");
}

uint32_t
decode_part_kind(struct decoder *d, const struct yaml_node *node, void *base)
{
	return decode_kind(d, node, base, schema_part_kinds,
			   "all-reduce, all-gather, reduce-scatter or all-to-all");
}

void
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
static void
resolve_algorithm(struct decoder *d, const struct yaml_node *node, struct config_work *work)
{
	const struct yaml_pair *pair = yaml_tree_get(node, "algorithm");
	const struct yaml_pair *chunk = yaml_tree_get(node, "chunk");
	const struct yaml_pair *channels = yaml_tree_get(node, "channels");
	bool all_reduce = work->kind == CONFIG_WORK_ALL_REDUCE;
	bool all_to_all = work->kind == CONFIG_WORK_ALL_TO_ALL;
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
}

void
check_part(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;

	work->pos = node->pos;
	resolve_algorithm(d, node, work);
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

void
check_work(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_work *work = base;
	bool one_sender = work->kind == CONFIG_WORK_FLOW || work->kind == CONFIG_WORK_STREAM;
	const struct yaml_pair *collectives = yaml_tree_get(node, "collectives");
	const struct yaml_pair *until = yaml_tree_get(node, "until");

	work->pos = node->pos;
	if (work->kind >= CONFIG_WORK_ALL_REDUCE && work->kind <= CONFIG_WORK_ALL_TO_ALL)
		resolve_algorithm(d, node, work);
	if (one_sender && work->from.count > 1)
		decode_error(d, work->from.items[1].pos, "\"from\" is one host here");
	if (work->kind == CONFIG_WORK_POISSON)
		check_poisson(d, node);
	if (until != NULL && work->until_ps != 0 && work->until_ps <= work->at_ps)
		decode_error(d, until->value->pos, "\"until\" is no later than \"at\"");
	if (collectives != NULL && collectives->value->count == 0 &&
	    (collectives->value->kind == YAML_LIST || collectives->value->null))
		decode_error(d, collectives->value->pos, "\"collectives\" is empty");
}
