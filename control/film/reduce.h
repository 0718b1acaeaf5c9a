// SPDX-License-Identifier: BSD-3-Clause
// A large film made small: the intervals of each point of time become one. Sums, peaks and the
// state at the end of a point are exact.
#pragma once

#include <stdint.h>
#include <stdio.h>

struct film_reduce_limits {
	uint64_t file_bytes;  // of the reduced film
	uint64_t chunk_bytes; // of its values, inflated
	uint64_t work;        // for reading the film: about a byte or a value each
	uint64_t values;      // that are in memory at a time
};

// Those of a film for a report.
extern const struct film_reduce_limits film_reduce_report;

// Reads the film `from`, which may have been cut off, and writes a film to `to` that is as
// doc/film.md says of films with `every`. Returns
//   1: nothing is written, because the film is within the limits of bytes;
//   0: done;
//   -EINVAL: it is not a film, and *wrong is what is wrong, a constant;
//   -EFBIG: it needs more work or memory than allowed;
//   or -errno of reading or writing.
int film_reduce(FILE *from, FILE *to, const struct film_reduce_limits *limits, const char **wrong);
