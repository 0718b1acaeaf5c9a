// SPDX-License-Identifier: BSD-3-Clause
// What is configured of switches: every key with its value and where that came from (settings.h).
#include "settings.h"
#include "show_part.h"

#include <errno.h>

// {"nodes": {NODE: {"values": {KEY: ...}, "preset", "mode", ...}}}.
int
show_config(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];
		const struct show_switch *w = show_find_switch(s, n);
		json_t *one;

		if (w == NULL || !show_node_meant(n, q->port))
			continue;
		found = true;
		one = json_pack("{s:o}", "values", settings_list(w->settings, w->marks, w->preset));
		if (json_object_set_new(nodes, n->name, one) != 0 || show_add_preset(one, w) != 0)
			return -ENOMEM;
	}
	return found ? 0 : -ENOENT;
}
