// SPDX-License-Identifier: BSD-3-Clause
// Distributions of flow sizes: `bytes cumulative_percent` a line, `#` comments, linear between
// points. All integers, so that every machine draws the same sizes.
#pragma once

#include "dataplane/base/embedded.h"
#include "dataplane/base/random.h"
#include "control/config/config.h"

// Of a share: percent to 7 digits after the point.
#define SIZES_ONE UINT64_C(1000000000)
// A share's bits after the point where sizes are looked up.
#define SIZES_FRACTION_BITS 32

struct sizes_point {
	uint64_t bytes;
	uint64_t share; // of the sizes up to `bytes`, of SIZES_ONE
};

struct sizes {
	struct sizes_point *points; // neither member ever falls; the last share is SIZES_ONE
	uint32_t count;
};

// Reads a distribution from memory; name: the file's, in messages. Returns 0, or
// -EINVAL with the errors ("NAME:line:column: ...") in diag; sizes_free() is due only after 0.
int sizes_parse(struct sizes *out, const char *text, size_t length, const char *name,
		struct diag *diag);
// The same from the file of that name, beside the configuration file or as it is written, or one
// built into the program (conf/sizes without .cdf). That there is none is an error at pos.
int sizes_load(struct sizes *out, const char *config_file, const char *beside,
	       const struct config_name *name, struct diag *diag);
void sizes_free(struct sizes *sizes);
extern const struct embedded_file embedded_sizes[]; // conf/sizes

// The size at a share of SIZES_ONE << SIZES_FRACTION_BITS, exclusive: the least whole n such that
// more than `share` of all sizes are at most n. At least 1.
uint64_t sizes_at(const struct sizes *sizes, uint64_t share);
uint64_t sizes_draw(const struct sizes *sizes, struct random *random);

// Twice the mean of what sizes_draw() gives, times SIZES_ONE; exact.
__extension__ typedef unsigned __int128 sizes_sum;
sizes_sum sizes_mean(const struct sizes *sizes);
