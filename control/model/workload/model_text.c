// SPDX-License-Identifier: BSD-3-Clause
#include "model_text.h"

#include "model_sizes.h"

#include <stdio.h>

#define PPM 1000000

// Without communication one micro-batch takes the sum over all stages, and each further one what
// the stage takes that takes longest. With p equal stages and m micro-batches that is m + p - 1
// times both passes of one stage (Narayanan et al., SC'21, section 2.2.1).
static double
computing_time(const struct config_model *m, bool slice)
{
	struct config_model whole = *m;
	uint32_t batches = slice ? model_micro_batches(m) : m->batch.micro_batches;
	double longest = 0, sum = 0;

	if (!slice)
		whole.simulate = (struct config_slice){.share_ppm = PPM};
	for (uint32_t stage = 0; stage < m->parallel.pp; stage++) {
		double one =
			(double)model_compute_ps(&whole, model_stage_flops(&whole, stage, slice));

		longest = one > longest ? one : longest;
		sum += one;
	}
	return sum + (batches - 1) * longest;
}

static const char *
time_text(double value, char text[static 32])
{
	static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
	unsigned unit = 0;

	while (value >= 1000 && unit < 4) {
		value /= 1000;
		unit++;
	}
	snprintf(text, 32, "%.4g %s", value, units[unit]);
	return text;
}

void
model_text(const struct config_work *work, uint32_t ranks, char text[static MODEL_TEXT_MAX])
{
	const struct config_model *m = &work->model;
	const struct config_slice *slice = &m->simulate;
	uint32_t layers = model_stage(m, 0).count;
	char whole[32], part[32];
	int used;

	used = snprintf(text, MODEL_TEXT_MAX,
			"%.100s: %.4g billion parameters, dp %u; a step computes for %s",
			work->name.text != NULL ? work->name.text : "model",
			(double)model_parameters(m) / 1e9, ranks / m->parallel.tp / m->parallel.pp,
			time_text(computing_time(m, false), whole));
	if (model_stage_slice(m, 0).count == layers &&
	    model_micro_batches(m) == m->batch.micro_batches && slice->share_ppm == PPM)
		return;
	snprintf(text + used, MODEL_TEXT_MAX - (size_t)used,
		 ", its simulated part for %s: %u of %u layers of a stage, %u of %u micro-batches, "
		 "%g%% of bytes and computing",
		 time_text(computing_time(m, true), part), model_stage_slice(m, 0).count, layers,
		 model_micro_batches(m), m->batch.micro_batches, slice->share_ppm * 100.0 / PPM);
}
