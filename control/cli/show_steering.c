// SPDX-License-Identifier: BSD-3-Clause
// Who got the frames of a port that shares its interface with the kernel: a line a class.
#include "show_print.h"

#include "show_values.h"

static const struct text_column columns[] = {
	{"interface", TEXT_LEFT}, {"netdev", TEXT_LEFT},   {"class", TEXT_LEFT},
	{"to", TEXT_LEFT},        {"packets", TEXT_RIGHT}, {"bytes", TEXT_RIGHT},
};

static void
add_classes(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const char *class_name;
	const json_t *class;

	(void)all;
	json_object_foreach((json_t *)(uintptr_t)json_object_get(port, "classes"), class_name,
			    class)
	{
		if (value_get(class, "packets") == 0)
			continue;
		text_table_cell(t, "%s", name);
		value_text(t, port, "netdev");
		text_table_cell(t, "%s", class_name);
		value_text(t, class, "to");
		value_count(t, class, "packets");
		value_bytes(t, class, "bytes");
	}
}

int
show_print_steering(const json_t *answer, FILE *to)
{
	return show_print_ports(answer, columns, COUNT(columns), add_classes, false,
				"no frame has come by a port with the kernel beside it (netdev:)",
				to);
}
