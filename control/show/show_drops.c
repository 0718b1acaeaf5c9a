// SPDX-License-Identifier: BSD-3-Clause
// Dropped packets by reason: how many, the ports they came in by, and advice. Of a live fabric also
// what devices and the kernel lost, by reasons of their own.
#include "show_view.h"

#include "dataplane/base/drop.h"

#include <stdlib.h>
#include <string.h>

extern const struct show_view show_drops;

// What devices and the kernel have lost behind the ports of the answer.
static void
add_devices(const struct show_state *s, json_t *to)
{
	json_t *advice = json_object_get(s->device_drops, "advice");
	json_t *node, *port, *count;
	const char *node_name, *port_name, *reason;

	json_object_foreach(json_object_get(to, "nodes"), node_name, node)
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
	{
		json_t *nodes = json_object_get(s->device_drops, "nodes");
		json_t *lost = json_object_get(json_object_get(nodes, node_name), port_name);

		json_object_update(show_child(port, "drops"), lost);
		json_object_foreach(lost, reason, count) show_set_text(
			show_child(to, "advice"), reason, show_string(advice, reason));
	}
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *advice = show_child(to, "advice");
	bool found = show_each_port(&show_drops, s, q, to);

	for (unsigned int i = 0; i < s->node_count; i++)
		for (unsigned int k = 0; k < s->nodes[i].node->port_count; k++)
			for (unsigned int r = 0; r < DROP_COUNT; r++)
				if (s->nodes[i].node->ports[k].drops[r] != 0 &&
				    show_port_meant(&s->nodes[i], k, q->port))
					show_set_text(advice, drop_name(r), drop_advice(r));
	add_devices(s, to);
	return found;
}

static void
print_reason(const json_t *answer, const char *reason, const char *advice, FILE *to)
{
	char *ports;
	const uintmax_t total = show_list_ports(answer, "drops", reason, &ports);

	fprintf(to, "%s  %ju packet%s, %s %s\n    %s\n", reason, total, total == 1 ? "" : "s",
		strncmp(reason, "device-", strlen("device-")) == 0 ? "lost by the device of"
								   : "came in by",
		ports, advice);
	free(ports);
}

static void
print(const json_t *answer, FILE *to)
{
	json_t *advice = json_object_get(answer, "advice"), *one;
	const char *reason;

	if (json_object_size(advice) == 0)
		fputs("no packet has been dropped\n", to);
	json_object_foreach(advice, reason, one)
		print_reason(answer, reason, show_string(advice, reason), to);
}

const struct show_view show_drops = {
	.name = "drops",
	.arguments = "[PORT]",
	.help = "dropped packets by reason, and what to do",
	.of = "node or port",
	.needs = SHOW_NEEDS_DEVICE_DROPS,
	.collect = collect,
	.port_counters = COUNTERS_DROPS,
	.print = print,
};
