// SPDX-License-Identifier: BSD-3-Clause
// The file `film` of a run (`record.film`).
#pragma once

#include "experiment.h"

#include "control/base/output.h"

struct film_record;

// Adds the film to the output and begins it, or has the commit remove one of an earlier run.
// output: NULL at ranks other than the first. *out is NULL if no film is to be made. Returns 0 or
// -errno with the reason in output->diag. All ranks call it, and film_record_end().
int film_record_begin(struct film_record **out, struct experiment *e, struct output *output);

// Completes the film: `now` is the end of the run. flows: of all flows, at the first rank; the log:
// fabric_log_entries(). Returns 0, or -errno with the reason in output->diag. NULL is fine.
int film_record_end(struct film_record *r, const struct report_flow *flows, json_t *log);

// Frees it. What has not been completed stays as it is. NULL is fine.
void film_record_free(struct film_record *r);

#define FILM_ESTIMATE_MAX 160
// A line that says how large the film of a file may become; false if it makes none.
bool film_record_estimate(const struct experiment *e, char text[static FILM_ESTIMATE_MAX]);
