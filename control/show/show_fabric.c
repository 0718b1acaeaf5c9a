// SPDX-License-Identifier: BSD-3-Clause
// The fabric: its nodes, links and workers.
#include "show_view.h"

static json_t *
node_json(const struct report_node *n)
{
	static const char *const roles[] = {
		[NODE_LEAF] = "leaf",
		[NODE_SPINE] = "spine",
		[NODE_SUPER] = "super-spine",
		[NODE_NIC] = "nic",
	};
	uint64_t received = 0, sent = 0, drops = 0;
	unsigned int up = 0;

	for (unsigned int i = 0; i < n->node->port_count; i++) {
		const struct port *p = &n->node->ports[i];

		up += p->up;
		received += p->rx_packets;
		sent += p->tx_packets;
		for (unsigned int r = 0; r < DROP_COUNT; r++)
			drops += p->drops[r];
	}
	return json_pack("{s:s,s:i,s:i,s:I,s:I,s:I}", "role", roles[n->node->role], "ports",
			 (int)n->node->port_count, "ports_up", (int)up, "rx_packets",
			 (json_int_t)received, "tx_packets", (json_int_t)sent, "dropped",
			 (json_int_t)drops);
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");

	(void)q;
	for (unsigned int i = 0; i < s->node_count; i++)
		json_object_set_new(nodes, s->nodes[i].name, node_json(&s->nodes[i]));
	json_object_update(to, s->fabric);
	return true;
}

static const struct show_column worker_columns[] = {
	{"worker on cpu", "cpu", SHOW_COUNT}, {"nodes", .format = SHOW_COUNT},
	{"lag", "lag_ns", SHOW_DURATION},     {"max", "lag_max_ns", SHOW_DURATION},
	{"slips", .format = SHOW_COUNT},      {0},
};

static const struct show_column node_columns[] = {
	{"node", "1", SHOW_NAME},
	{"role", .format = SHOW_TEXT},
	{"ports", .format = SHOW_COUNT},
	{"up", "ports_up", SHOW_COUNT},
	{"rx-packets", "rx_packets", SHOW_COUNT},
	{"tx-packets", "tx_packets", SHOW_COUNT},
	{"dropped", .format = SHOW_COUNT},
	{0},
};

static const struct show_column link_columns[] = {
	{"link", "a", SHOW_TEXT},
	{"", "b", SHOW_TEXT},
	{"rate", "rate_bps", SHOW_RATE},
	{"delay", "delay_ps", SHOW_DELAY},
	{"state", .format = SHOW_TEXT},
	{"changed", .cell = show_changed_link_cell},
	{0},
};

// Times are those of the machine's clock.
static const struct show_column carrier_columns[] = {
	{"interface", .format = SHOW_TEXT},
	{"part", .format = SHOW_FILLED},
	{"sent", .format = SHOW_COUNT},
	{"received", .format = SHOW_COUNT},
	{"lost", .format = SHOW_COUNT},
	{"late", .format = SHOW_COUNT},
	{"duplicate", "duplicates", SHOW_COUNT},
	{"round-trip", "round_trip_ns", SHOW_DURATION},
	{"least", "round_trip_min_ns", SHOW_DURATION},
	{"variation", "delay_variation_ns", SHOW_DURATION},
	{"most", "delay_variation_max_ns", SHOW_DURATION},
	{0},
};

static const struct show_table tables[] = {
	{"workers/*", .columns = worker_columns},
	{"nodes/*", .columns = node_columns},
	{"links/*", .columns = link_columns},
	{"carriers/*", .title = "carried by datagrams\n", .columns = carrier_columns},
};

// Whether huge pages could be had.
static void
print_memory(const json_t *memory, FILE *to)
{
	char resident[TEXT_VALUE_MAX], huge[TEXT_VALUE_MAX];

	if (memory == NULL)
		return;
	fprintf(to, "memory    %s, of it in huge pages %s\n",
		text_bytes(resident, show_number(memory, "resident_bytes")),
		text_bytes(huge, show_number(memory, "huge_bytes")));
}

// What is being written of `record:`.
static void
print_recordings(const json_t *recordings, FILE *to)
{
	const json_t *one;
	size_t i;

	json_array_foreach(recordings, i, one)
	{
		fprintf(to, "record    %s, %s", show_string(one, "file"),
			show_string(one, "state"));
		if (json_object_get(one, "pid") != NULL)
			fprintf(to, ", process %ju", (uintmax_t)show_number(one, "pid"));
		fputc('\n', to);
	}
}

static void
print(const json_t *answer, FILE *to)
{
	char text[TEXT_VALUE_MAX];

	fprintf(to, "fabric    %s, %s\n", show_string(answer, "name"),
		show_string(answer, "state"));
	if (json_object_get(answer, "part") != NULL)
		fprintf(to, "part      %s\n", show_string(answer, "part"));
	fprintf(to, "file      %s\n", show_string(answer, "file"));
	fprintf(to, "time      %s of fabric time, dilation %ju, idle workers %s\n",
		text_duration(text, show_number(answer, "time_ns") * PS_PER_NS),
		(uintmax_t)show_number(answer, "dilation"), show_string(answer, "idle"));
	print_memory(json_object_get(answer, "memory"), to);
	print_recordings(json_object_get(answer, "recordings"), to);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		show_print_table(&tables[i], answer, "\n", "", to);
}

const struct show_view show_fabric = {
	.name = "fabric",
	.arguments = "",
	.help = "the fabric: its workers, nodes and links",
	.of = "node",
	.needs = SHOW_NEEDS_FABRIC,
	.collect = collect,
	.print = print,
};
