// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a distribution of sizes: one whose points never fall and whose inverse agrees with
// them, or errors of one line that say where.
#include "control/model/workload/sizes.h"
#include "text_fuzz.h"

static void
require_inverse(const struct sizes *s)
{
	struct random random = random_stream(1, s->count);
	const struct sizes_point *last = &s->points[s->count - 1];

	require(s->count > 0 && last->share == SIZES_ONE && last->bytes > 0);
	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t share = s->points[i].share << SIZES_FRACTION_BITS;

		require(i == 0 || (s->points[i].bytes >= s->points[i - 1].bytes &&
				   s->points[i].share >= s->points[i - 1].share));
		if (share > 0)
			require(sizes_at(s, share - 1) <= s->points[i].bytes);
		if (s->points[i].share < SIZES_ONE)
			require(sizes_at(s, share) >= s->points[i].bytes);
	}
	for (unsigned i = 0; i < 16; i++) {
		uint64_t bytes = sizes_draw(s, &random);

		require(bytes >= 1 && bytes <= last->bytes);
	}
	require(sizes_mean(s) >= (sizes_sum)2 * SIZES_ONE &&
		sizes_mean(s) <= (sizes_sum)2 * SIZES_ONE * last->bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {0};
	struct sizes sizes;

	if (sizes_parse(&sizes, (const char *)data, size, "f", &diag) != 0) {
		require_messages(&diag);
		diag_free(&diag);
		return 0;
	}
	require(diag.count == 0);
	require_inverse(&sizes);
	sizes_free(&sizes);
	return 0;
}
