// SPDX-License-Identifier: BSD-3-Clause
// The order in which events happen, for all who follow them. An event with `for:` is two steps, the
// second undoing the first.
#include "config.h"

#include "control/base/memory.h"

#include <stdlib.h>

static int
step_compare(const void *left, const void *right)
{
	const struct config_step *a = left, *b = right;

	if (a->at_ps != b->at_ps)
		return a->at_ps < b->at_ps ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

struct config_step *
config_list_steps(const struct config *config, unsigned *count)
{
	struct config_step *steps =
		memory_array(2 * (size_t)config->event_count, sizeof(*steps), "steps of events");

	*count = 0;
	for (unsigned i = 0; i < config->event_count; i++) {
		const struct config_event *event = &config->events[i];

		steps[*count] = (struct config_step){event->at_ps, *count, false, event};
		(*count)++;
		if (event->for_ps == 0)
			continue;
		steps[*count] =
			(struct config_step){event->at_ps + event->for_ps, *count, true, event};
		(*count)++;
	}
	qsort(steps, *count, sizeof(*steps), step_compare);
	return steps;
}
