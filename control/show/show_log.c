// SPDX-License-Identifier: BSD-3-Clause
// What has been told of a fabric since it came up, oldest first: the list of counters.json. What
// happened to no queue belongs to no node or port either.
#include "show_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// True when an entry is of a node, port or queue that `filter` means.
static bool
entry_meant(const json_t *entry, const char *filter)
{
	const char *node = json_string_value(json_object_get(entry, "node"));
	const char *queue = json_string_value(json_object_get(entry, "queue"));
	char name[128], port[64];

	if (filter == NULL || node == NULL || queue == NULL)
		return filter == NULL;
	snprintf(port, sizeof(port), "%.*s", (int)strcspn(queue, "."), queue);
	snprintf(name, sizeof(name), "%.48s.%s", node, port);
	return strcmp(filter, node) == 0 || strcmp(filter, port) == 0 || strcmp(filter, name) == 0;
}

int
show_add_log(const struct show_state *s, const char *filter, bool queues, json_t *to)
{
	json_t *out = json_array();
	json_t *entry;
	size_t i;
	int status = out != NULL ? 0 : -1;

	json_array_foreach(s->log, i, entry)
	{
		if (queues && !json_is_string(json_object_get(entry, "queue")))
			continue;
		if (entry_meant(entry, filter))
			status |= json_array_append(out, entry);
	}
	status |= json_object_set_new(to, "log", out);
	status |= json_object_set_new(to, "log_lost", json_integer((json_int_t)s->log_lost));
	return status == 0 ? 0 : -ENOMEM;
}

int
show_log(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count && !found; i++)
		for (unsigned int k = 0; k < s->nodes[i].node->port_count && !found; k++)
			found = show_port_meant(&s->nodes[i], k, q->port);
	return found ? show_add_log(s, q->port, false, to) : -ENOENT;
}
