// SPDX-License-Identifier: BSD-3-Clause
#include "show_text.h"

#include "show_print.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *what;
	const char *view;
	int (*print)(const json_t *answer, FILE *to);
} texts[] = {
	{"fabric", NULL, show_print_fabric},
	{"interface", NULL, show_print_interface},
	{"interface", SHOW_TEXT_COUNTERS, show_print_counters},
	{"interface", "roce-status", show_print_roce_status},
	{"interface", "roce-counters", show_print_roce_counters},
	{"qos", NULL, show_print_qos},
	{"config", NULL, show_print_config},
	{"pfc", NULL, show_print_pfc},
	{"queue", NULL, show_print_queue},
	{"pool", NULL, show_print_pool},
	{"tenant", NULL, show_print_tenant},
	{"network", NULL, show_print_network},
	{"watchdog", NULL, show_print_watchdog},
	{"histogram", NULL, show_print_histogram},
	{"drops", NULL, show_print_drops},
	{"route", NULL, show_print_route},
	{"neighbour", NULL, show_print_neighbour},
	{"adaptive", NULL, show_print_adaptive},
	{"queue-pairs", NULL, show_print_queue_pairs},
	{"steering", NULL, show_print_steering},
	{"log", NULL, show_print_log},
};

int
show_text_print(const char *what, const char *view, const json_t *answer, FILE *to)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(texts[i].what, what) == 0 &&
		    (view == NULL ? texts[i].view == NULL
				  : texts[i].view != NULL && strcmp(texts[i].view, view) == 0))
			return texts[i].print(answer, to);
	return -ENOENT;
}
