// SPDX-License-Identifier: BSD-3-Clause
// Runs of the same workload in several fabrics, side by side; private to control/compare/.
#pragma once

#include "control/config/config.h"
#include "control/run/sim/experiment.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COMPARE_FILES_MAX 16

struct compare_options {
	struct experiment_options experiment; // of each file
	bool json;
	const char *const *files;
	unsigned int file_count; // 2 to COMPARE_FILES_MAX
};

// `roost compare`: runs the same workload in several fabrics and prints their figures beside each
// other. Returns an exit status.
int run_compare(const struct compare_options *options);
#define COMPARE_OTHERS_MAX 2 // that are named one by one; of more the nearest and the farthest

enum compare_row {
	COMPARE_STEP,
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
	COMPARE_ROWS,
};

enum compare_unit { COMPARE_PS, COMPARE_GBPS, COMPARE_NUMBER, COMPARE_RATIO };

struct compare_metric {
	const char *key;  // in JSON
	const char *name; // on the screen
	enum compare_unit unit;
	bool more; // is better; else less is
};

extern const struct compare_metric compare_metrics[COMPARE_ROWS];

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
	enum compare_state state;
	char why[256]; // FAILED
	bool known[COMPARE_ROWS];
	double values[COMPARE_ROWS];
};

// "drained" ...
const char *compare_state_name(enum compare_state state);

// Takes the rows from the document that `roost sim --json` prints.
void compare_read(struct compare_run *run, const json_t *document);

// True when the run's value may be the best of a row: it is known and the run came to its end.
bool compare_counts(const struct compare_run *run, enum compare_row row);

// The run with the best value of a row, or -1 when fewer than two have one or all are equal.
int compare_best(const struct compare_run *runs, unsigned int count, enum compare_row row);

// True when the run has the value of `best`, one of the row's.
bool compare_is_best(const struct compare_run *runs, unsigned int i, enum compare_row row,
		     int best);

// Of those that have another value than `best`, the nearest to it and the farthest from it, or -1.
// Returns how many there are.
unsigned int compare_others(const struct compare_run *runs, unsigned int count,
			    enum compare_row row, int best, int *nearest, int *farthest);

// The names of those that are best, as "A", "A and B" or "A, B and C". Returns how many there are.
unsigned int compare_put_best(const struct compare_run *runs, unsigned int count,
			      enum compare_row row, int best, FILE *to);

// "12 %"; of small parts a digit more, and of none "less than 0.1 %".
void compare_put_gain(FILE *to, double gain);

// By how many percent of the other's value `best` is better. -1: the other's is 0.
double compare_gain(enum compare_row row, double best, double other);

// The items of a file's workload as text. Returns 0 or -ENOMEM.
int compare_load_items(struct compare_load *load, const struct config *config);
void compare_load_free(struct compare_load *load);

// Says on `to` how a run's workload differs from the first one's, a line a difference.
void compare_warn(const struct compare_run *first, const struct compare_run *run, FILE *to);

// A conclusion on step time and goodput in a few sentences, for free(); NULL without memory.
char *compare_verdict(const struct compare_run *runs, unsigned int count);

// Prints all. Return 0 or -ENOMEM.
int compare_print(const struct compare_run *runs, unsigned int count, FILE *to);
int compare_print_json(const struct compare_run *runs, unsigned int count, FILE *to);
