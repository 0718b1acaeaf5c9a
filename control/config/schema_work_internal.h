// SPDX-License-Identifier: BSD-3-Clause
// What the schemas of a workload's items and of a step's operations share; private to
// control/config/.
#pragma once

#include "schema_keys_internal.h"

#define AT(member) SCHEMA_AT(struct config_work, member)

#define ALL_REDUCE (1u << CONFIG_WORK_ALL_REDUCE)
#define ALL_GATHER (1u << CONFIG_WORK_ALL_GATHER)
#define REDUCE_SCATTER (1u << CONFIG_WORK_REDUCE_SCATTER)
#define ALL_TO_ALL (1u << CONFIG_WORK_ALL_TO_ALL)
#define BROADCAST (1u << CONFIG_WORK_BROADCAST)
#define RING (ALL_REDUCE | ALL_GATHER | REDUCE_SCATTER)
#define COLLECTIVE (ALL_REDUCE | ALL_GATHER | REDUCE_SCATTER | ALL_TO_ALL)

extern const struct schema_choice schema_algorithms[], schema_pairs[];
extern const struct schema schema_work_group; // base struct config_rank_group
extern const struct schema schema_operation;  // base struct config_work

// The maps of a model, each based at its part of struct config_model (schema_model.c).
extern const struct schema schema_transformer, schema_batch, schema_parallel, schema_precision,
	schema_gpu, schema_slice;

// Checks what involves several of them. node: the item's.
void schema_model_check(struct decoder *d, const struct yaml_node *node,
			const struct config_model *model);

// Checks the algorithm of a collective against its kind, or sets the kind's first where none is
// written.
void schema_work_algorithm(struct decoder *d, const struct yaml_node *node,
			   struct config_work *work);

// How a collective is done, alone or in a step.
// clang-format off
#define COLLECTIVE_KEYS										\
	{"algorithm", SCHEMA_ENUM, .help = "how it is done", AT(algorithm), .choices = schema_algorithms,	\
	 .kinds = COLLECTIVE},									\
	{"chunk", SCHEMA_BYTES, .def = "512KB", .help = "chunk size of a tree or a broadcast",	\
	 AT(chunk_bytes), .min = 1, .max = SCHEMA_BYTES_MAX, .kinds = ALL_REDUCE | BROADCAST},	\
	{"channels", SCHEMA_INTEGER, .def = "auto",						\
	 .help = "rings at once; auto: the NICs of the host with the fewest", AT(channels),	\
	 .min = 1, .max = 64, .kinds = RING, .word = "auto"},					\
	{"pairs", SCHEMA_ENUM, .def = "auto",							\
	 .help = "when the flows between pairs of ranks are made: listed before the run, or "	\
		 "generated during it; auto generates them above 262144 pairs",						\
	 AT(pairs), .choices = schema_pairs, .kinds = ALL_TO_ALL},					\
	{"peers", SCHEMA_INTEGER, .def = "all",							\
	 .help = "how many ranks each rank sends to at a time; implies pairs: generated", AT(peers),	\
	 .min = 1, .max = 65535, .kinds = ALL_TO_ALL, .word = "all"}
// clang-format on
