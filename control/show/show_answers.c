// SPDX-License-Identifier: BSD-3-Clause
// What switches and simulated hosts have answered, by kind: how often, and the ports by which the
// packets came in that they answered.
#include "show_view.h"

#include "dataplane/base/answer_kind.h"

#include <stdlib.h>

extern const struct show_view show_answers;

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *kinds = show_child(to, "kinds");
	bool found = show_each_port(&show_answers, s, q, to);

	for (unsigned int i = 0; i < s->node_count; i++)
		for (unsigned int k = 0; k < s->nodes[i].node->port_count; k++)
			for (unsigned int kind = 0; kind < ANSWER_COUNT; kind++)
				if (s->nodes[i].node->ports[k].answers[kind] != 0 &&
				    show_port_meant(&s->nodes[i], k, q->port))
					show_set_text(kinds, answer_kind_name(kind),
						      answer_kind_help(kind));
	return found;
}

static void
print_kind(const json_t *answer, const char *kind, const char *help, FILE *to)
{
	char *ports;
	const uintmax_t total = show_list_ports(answer, "answers", kind, &ports);

	fprintf(to, "%s  %ju, at %s\n    %s\n", kind, total, ports, help);
	free(ports);
}

static void
print(const json_t *answer, FILE *to)
{
	json_t *kinds = json_object_get(answer, "kinds"), *one;
	const char *kind;

	if (json_object_size(kinds) == 0)
		fputs("no switch has answered anything\n", to);
	json_object_foreach(kinds, kind, one)
		print_kind(answer, kind, show_string(kinds, kind), to);
}

const struct show_view show_answers = {
	.name = "answers",
	.arguments = "[PORT]",
	.help = "ICMP, ARP and neighbour discovery: what switches have answered",
	.of = "node or port",
	.collect = collect,
	.port_counters = COUNTERS_ANSWERS,
	.print = print,
};
