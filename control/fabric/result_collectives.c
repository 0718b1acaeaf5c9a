// SPDX-License-Identifier: BSD-3-Clause
#include "result.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool
same_group(const struct collective_statistics *s, const struct report_collective *c)
{
	return s->kind == c->kind && s->ranks == c->ranks && s->bytes == c->bytes &&
	       strcmp(s->name, c->name) == 0;
}

static void
add(struct collective_statistics *s, const struct report_collective *c, ps_t *sum)
{
	s->executions++;
	if (c->step == PS_NEVER)
		return;
	s->min = s->completed == 0 || c->step < s->min ? c->step : s->min;
	s->max = c->step > s->max ? c->step : s->max;
	s->completed++;
	*sum += c->step;
}

static void
finish(struct collective_statistics *s, ps_t sum)
{
	struct report_collective mean = {.kind = s->kind, .ranks = s->ranks, .bytes = s->bytes};

	s->mean = s->completed != 0 ? sum / s->completed : 0;
	mean.step = s->completed != 0 ? s->mean : PS_NEVER;
	report_collective_bandwidth(&mean, &s->algbw_gbps, &s->busbw_gbps);
}

struct collective_statistics *
collective_statistics_compute(const struct report_collective *c, uint32_t count, uint32_t *groups)
{
	struct collective_statistics *out = memory_array(count, sizeof(*out), "collectives");
	ps_t *sums = memory_array(count, sizeof(*sums), "collectives");

	*groups = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t g = 0;

		while (g < *groups && !same_group(&out[g], &c[i]))
			g++;
		if (g == *groups)
			out[(*groups)++] = (struct collective_statistics){.name = c[i].name,
									  .kind = c[i].kind,
									  .ranks = c[i].ranks,
									  .bytes = c[i].bytes};
		add(&out[g], &c[i], &sums[g]);
	}
	for (uint32_t g = 0; g < *groups; g++)
		finish(&out[g], sums[g]);
	free(sums);
	return out;
}
