// SPDX-License-Identifier: BSD-3-Clause
// The schema of congestion control under `hosts:`: a map of parameters for each algorithm. What can
// be set of an algorithm stands beside it in the dataplane, as rows of struct congestion_parameter;
// the keys are made from them before main() begins, so that adding an algorithm changes nothing
// here.
#include "schema_keys_internal.h"

#include "control/base/memory.h"

static const struct schema_form fraction = {SCHEMA_TEXT, .pattern = "^[0-9]+/[0-9]+$",
					    .words = "fraction such as 1/256, 1 at most"};

static const enum schema_type types[] = {
	[CONGESTION_FRACTION] = SCHEMA_FRACTION, [CONGESTION_TIME] = SCHEMA_DURATION,
	[CONGESTION_BYTES] = SCHEMA_BYTES,       [CONGESTION_RATE] = SCHEMA_RATE,
	[CONGESTION_COUNT] = SCHEMA_INTEGER,     [CONGESTION_BOOL] = SCHEMA_BOOL,
};

#define ALGORITHM(id, name, word) [CONGESTION_##id] = &congestion_##name,
const struct congestion_algorithm *const config_congestions[CONGESTION_KINDS] = {
	CONGESTION_ALGORITHMS(ALGORITHM)};

#define CHOICE(id, name, word) {word, CONGESTION_##id},
const struct schema_choice schema_congestion_names[] = {
	{"auto", CONGESTION_AUTO},
	{"none", CONGESTION_NONE},
	// clang-format off
	CONGESTION_ALGORITHMS(CHOICE)
	// clang-format on
	{NULL, 0},
};

#define OFFSET(id, name, word) [CONGESTION_##id] = offsetof(struct congestion_parameters, name),

const void *
config_congestion_parameters(const struct host_config *host)
{
	static const size_t offsets[] = {CONGESTION_ALGORITHMS(OFFSET)};

	return (const char *)&host->parameters + offsets[host->congestion];
}

struct schema schema_congestion[CONGESTION_KINDS];

__attribute__((constructor)) static void
make_keys(void)
{
	for (unsigned i = CONGESTION_NONE + 1; i < CONGESTION_KINDS; i++) {
		const struct congestion_parameter *rows = config_congestions[i]->parameters;
		unsigned count = 0;
		struct schema_key *keys;

		while (rows[count].key != NULL)
			count++;
		keys = memory_array(count, sizeof(*keys), "keys of a congestion control");
		for (unsigned k = 0; k < count; k++)
			keys[k] = (struct schema_key){
				.name = rows[k].key,
				.type = types[rows[k].unit],
				.def = rows[k].def,
				.help = rows[k].help,
				.offset = rows[k].offset,
				.size = rows[k].size,
				.min = rows[k].min,
				.max = rows[k].max,
				.word = rows[k].has_auto ? "auto" : NULL,
				.form = rows[k].unit == CONGESTION_FRACTION ? &fraction : NULL,
			};
		schema_congestion[i] = (struct schema){.keys = keys, .count = count};
	}
}
