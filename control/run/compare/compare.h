// SPDX-License-Identifier: BSD-3-Clause
// The same workload in several fabrics, side by side; private to control/run/compare/.
//
// A comparison is a table: a column for each file, a row for each figure. A cell holds one sample
// for each seed that the file ran with.
#pragma once

#include "control/run/sim/experiment.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COMPARE_FILES_MAX 16
#define COMPARE_SEEDS_MAX 100
#define COMPARE_OTHERS_MAX 2 // that are named one by one; of more the nearest and the farthest

// Two values that differ by at most this share of the larger one are called equal.
#define COMPARE_THRESHOLD 0.01

struct compare_options {
	struct experiment_options experiment; // of each file
	bool json;
	unsigned int seeds; // runs of each file, 1 to COMPARE_SEEDS_MAX
	const char *const *files;
	unsigned int file_count; // 2 to COMPARE_FILES_MAX
};

// `roost compare`: runs the same workload in several fabrics and prints their figures beside each
// other. Returns an exit status.
int run_compare(const struct compare_options *options);

enum compare_unit { COMPARE_PS, COMPARE_GBPS, COMPARE_NUMBER, COMPARE_RATIO };

// The rows that every comparison has, then those of items, tenants and collectives.
enum compare_figure {
	COMPARE_STEP,
	COMPARE_EXPOSED,
	COMPARE_BUSBW,
	COMPARE_FCT_P50,
	COMPARE_FCT_P99,
	COMPARE_SLOWDOWN_P99,
	COMPARE_GOODPUT,
	COMPARE_COMPLETED,
	COMPARE_DROPS,
	COMPARE_DROPS_LOSSLESS,
	COMPARE_PFC,
	COMPARE_PAUSED,
	COMPARE_ECN,
	COMPARE_RETRANSMITTED,
	COMPARE_OUT_OF_ORDER,
	COMPARE_IMBALANCE,
	COMPARE_WHOLE_RUN, // how many there are above: one row each
	COMPARE_GROUP_FCT = COMPARE_WHOLE_RUN,
	COMPARE_GROUP_FCT_P50,
	COMPARE_GROUP_FCT_P99,
	COMPARE_GROUP_COMPLETED,
	COMPARE_GROUP_TIME,
	COMPARE_GROUP_BUSBW,
	COMPARE_FIGURES,
};

struct compare_metric {
	const char *key;  // in JSON
	const char *name; // on the screen
	enum compare_unit unit;
	bool more;  // is better; else less is
	bool exact; // the smallest difference counts
	bool quiet; // not on the screen where there is no difference
};

extern const struct compare_metric compare_metrics[COMPARE_FIGURES];

struct compare_cell {
	double *samples; // one a seed, ascending after compare_finish()
	unsigned int count;
};

struct compare_row {
	const struct compare_metric *metric;
	char *key;  // "fct_p99_ps", "items.victim.fct_p99_ps"
	char *name; // "FCT p99", "item victim, FCT p99"
	struct compare_cell cells[COMPARE_FILES_MAX];
};

// What a workload amounts to on the network.
struct compare_load {
	char **items; // each as text in one line; count of them
	unsigned int count;
	uint32_t flows;
	uint64_t bytes; // every time of each flow
	uint32_t streams;
};

enum compare_state { COMPARE_DRAINED, COMPARE_TIME, COMPARE_STALLED, COMPARE_FAILED };

struct compare_run {
	const char *file;
	const char *name; // of its column
	struct compare_load load;
	uint64_t seed;            // its first
	enum compare_state state; // the worst of its seeds
	char why[256];            // FAILED: the first error
};

// A key that files do not agree about. Texts are NULL where a file does not have it.
struct compare_difference {
	char *key;
	char *values[COMPARE_FILES_MAX];
	bool differs[COMPARE_FILES_MAX]; // from the first file's
};

struct comparison {
	struct experiment_options options; // file and seed aside
	unsigned int seeds;                // runs of each file
	struct compare_run runs[COMPARE_FILES_MAX];
	unsigned int count;
	struct compare_row *rows;
	unsigned int row_count;
	struct compare_difference *differences;
	unsigned int difference_count;
};

// ---- rows.c -------------------------------------------------------------------------------------

// "drained" ...
const char *compare_state_name(enum compare_state state);

// Adds the rows of the whole run. Call it first.
void compare_add_rows(struct comparison *c);
// Takes a sample for each row of file `run` from its result; items, tenants and collectives that
// were not seen before become rows.
void compare_read(struct comparison *c, unsigned int run, const struct report_result *result);
// Sorts the samples; after the last compare_read().
void compare_finish(struct comparison *c);
void compare_free_rows(struct comparison *c);

// ---- rank.c -------------------------------------------------------------------------------------

double compare_median(const struct compare_cell *cell);
// True when file `run` can be ranked in a row: all its runs came to their end and have a value.
bool compare_counts(const struct comparison *c, const struct compare_row *row, unsigned int run);

enum compare_place { COMPARE_UNRANKED, COMPARE_BEST, COMPARE_WORSE };

// How the files rank in a row. Of those that can be ranked, the best ones cannot be told apart from
// the best median: the ranges of their samples overlap, or the medians differ by no more than the
// threshold.
struct compare_ranking {
	int best; // with the best median; -1: nothing is worse than it
	enum compare_place places[COMPARE_FILES_MAX];
	unsigned int ranked, equal, worse; // how many; equal: among the best
	int nearest, farthest;             // of the worse ones, or -1
};

struct compare_ranking compare_rank(const struct comparison *c, const struct compare_row *row);

// By how many percent of the other's median the best one is better. -1: the other's is 0.
double compare_gain(const struct compare_row *row, int best, int other);
// Prints "12 %"; of small parts a digit more.
void compare_put_gain(FILE *to, double gain);
// Prints the names of those that are best, as "A", "A and B" or "A, B and C".
void compare_put_best(const struct comparison *c, const struct compare_ranking *r, FILE *to);

// ---- differences.c ------------------------------------------------------------------------------

// Takes the items of a file's workload as text.
void compare_load_items(struct compare_load *load, const struct config *config);
void compare_load_free(struct compare_load *load);
// Prints how a run's workload differs from the first one's, a line a difference.
void compare_warn(const struct compare_run *first, const struct compare_run *run, FILE *to);

// Lists the keys that the files do not agree about, workload and name aside. Returns 0, or -errno
// with the error in diag.
int compare_find_differences(struct comparison *c, struct diag *diag);
void compare_free_differences(struct comparison *c);

// ---- print.c, verdict.c -------------------------------------------------------------------------

// "506 us", or with several seeds "506 us [498 us to 530 us]"; "-" without samples. For free().
char *compare_cell_text(const struct compare_row *row, unsigned int run);

// A conclusion in a few sentences, for free(): on step time, goodput, and the item or tenant with
// the largest difference.
char *compare_verdict(const struct comparison *c);

// Prints all, as tables or as JSON (which returns 0 or -errno).
void compare_print(const struct comparison *c, FILE *to);
int compare_print_json(const struct comparison *c, FILE *to);
