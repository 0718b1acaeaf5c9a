// SPDX-License-Identifier: BSD-3-Clause
#include "show_text.h"

#include "show_print.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *what;
	int (*print)(const json_t *answer, FILE *to);
} texts[] = {
	{"fabric", show_print_fabric}, {"interface", show_print_interface},
	{"pfc", show_print_pfc},       {"queue", show_print_queue},
	{"pool", show_print_pool},     {"drops", show_print_drops},
	{"route", show_print_route},
};

int
show_text_print(const char *what, const json_t *answer, bool qos, FILE *to)
{
	if (qos)
		return show_print_qos(answer, to);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(texts[i].what, what) == 0)
			return texts[i].print(answer, to);
	return -ENOENT;
}
