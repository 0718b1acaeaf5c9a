// SPDX-License-Identifier: BSD-3-Clause
#include "trace.h"

#include "control/base/text_table.h"
#include "control/show/show_view.h"

#include <inttypes.h>
#include <string.h>

#define PS_IN_US 1000000.0

// ---- a row for each hop -------------------------------------------------------------------------

static const char *
or_dash(const char *text)
{
	return *text != '\0' ? text : "-";
}

static void
put_route(struct text_table *t, const json_t *hop)
{
	const json_t *route = json_object_get(hop, "route");
	const json_t *encap = json_object_get(route, "encap");

	text_table_cell(t, "%s", or_dash(show_string(route, "prefix")));
	if (json_object_get(encap, "vni") != NULL)
		text_table_append(t, ", vxlan vni %ju to %s", (uintmax_t)show_number(encap, "vni"),
				  show_string(encap, "to"));
	else if (json_object_get(encap, "vlan") != NULL)
		text_table_append(t, ", vlan %ju", (uintmax_t)show_number(encap, "vlan"));
}

static void
put_choice(struct text_table *t, const json_t *hop)
{
	const json_t *route = json_object_get(hop, "route");
	const char *choice = show_string(hop, "choice");
	size_t members = json_array_size(json_object_get(hop, "members"));

	if (members == 0) {
		text_table_cell(t, "-");
		return;
	}
	text_table_cell(t, "%s", show_string(route, "mode"));
	if (strcmp(choice, "hash") == 0)
		text_table_append(t, ": hash 0x%08" PRIx64, show_number(hop, "hash"));
	else if (strcmp(choice, "pin") == 0)
		text_table_append(t, ": pin");
	if (members > 1)
		text_table_append(t, ", 1 of %zu", members);
}

static void
put_number(struct text_table *t, const json_t *hop, const char *key)
{
	if (json_object_get(hop, key) != NULL)
		text_table_cell(t, "%ju", (uintmax_t)show_number(hop, key));
	else
		text_table_cell(t, "-");
}

static void
put_time(struct text_table *t, const json_t *hop, const char *key)
{
	if (json_object_get(hop, key) != NULL)
		text_table_cell(t, "%.3f", (double)show_number(hop, key) / PS_IN_US);
	else
		text_table_cell(t, "-");
}

// Depth, and what it does to the packet.
static void
put_depth(struct text_table *t, const json_t *hop)
{
	const json_t *ecn = json_object_get(hop, "ecn");
	const double mark = json_number_value(json_object_get(ecn, "probability"));
	char bytes[TEXT_VALUE_MAX];

	if (json_object_get(hop, "depth_bytes") == NULL) {
		text_table_cell(t, "-");
		return;
	}
	text_table_cell(t, "%s", text_bytes(bytes, show_number(hop, "depth_bytes")));
	if (show_flag(hop, "paused"))
		text_table_append(t, ", paused");
	if (show_flag(hop, "trimmed"))
		text_table_append(t, ", trimmed");
	if (mark >= 1)
		text_table_append(t, ", marked");
	else if (mark > 0)
		text_table_append(t, ", marked with %.3g %%", mark * 100);
}

static void
put_hop(struct text_table *t, const json_t *hop)
{
	text_table_cell(t, "%s", show_string(hop, "node"));
	text_table_cell(t, "%s", or_dash(show_string(hop, "in")));
	text_table_cell(t, "%s", or_dash(show_string(hop, "vrf")));
	put_number(t, hop, "group");
	put_route(t, hop);
	put_choice(t, hop);
	text_table_cell(t, "%s", or_dash(show_string(hop, "out")));
	put_number(t, hop, "queue");
	put_depth(t, hop);
	put_time(t, hop, "wait_ps");
	put_time(t, hop, "serialization_ps");
	put_time(t, hop, "link_ps");
}

static void
print_hops(const json_t *hops, FILE *to)
{
	static const struct text_column columns[] = {
		{"node", TEXT_LEFT},     {"in", TEXT_LEFT},       {"vrf", TEXT_LEFT},
		{"group", TEXT_RIGHT},   {"route", TEXT_LEFT},    {"next hop by", TEXT_LEFT},
		{"out", TEXT_LEFT},      {"queue", TEXT_RIGHT},   {"depth", TEXT_LEFT},
		{"wait/us", TEXT_RIGHT}, {"send/us", TEXT_RIGHT}, {"link/us", TEXT_RIGHT},
	};
	struct text_table *t = text_table_create(columns, sizeof(columns) / sizeof(columns[0]));
	const json_t *hop;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)hops, i, hop) put_hop(t, hop);
	text_table_print(t, "", to);
	text_table_destroy(t);
}

// ---- all of it ----------------------------------------------------------------------------------

static void
print_packet(const json_t *answer, FILE *to)
{
	const json_t *packet = json_object_get(answer, "packet");
	const char *destination = show_string(packet, "to");

	fprintf(to,
		"%s (%s) to %s%s%s%s: UDP %ju to %ju, DSCP %ju, TTL %ju, %ju bytes, at %.3f us\n",
		show_string(packet, "host"), show_string(packet, "source"), destination,
		*destination != '\0' ? " (" : "", show_string(packet, "destination"),
		*destination != '\0' ? ")" : "", (uintmax_t)show_number(packet, "sport"),
		(uintmax_t)show_number(packet, "dport"), (uintmax_t)show_number(packet, "dscp"),
		(uintmax_t)show_number(packet, "ttl"), (uintmax_t)show_number(packet, "bytes"),
		(double)show_number(answer, "at_ps") / PS_IN_US);
}

static void
print_end(const json_t *answer, FILE *to)
{
	const json_t *hops = json_object_get(answer, "hops");
	const json_t *last = json_array_get(hops, json_array_size(hops) - 1);
	const json_t *drop = json_object_get(last, "drop");
	const char *why = show_string(drop, "why");

	if (drop != NULL)
		fprintf(to, "dropped at %s: %s (%s)\n", show_string(last, "node"),
			show_string(drop, "reason"),
			*why != '\0' ? why : show_string(drop, "advice"));
	else
		fprintf(to, "delivered to %s after %.3f us\n", show_string(last, "node"),
			(double)show_number(answer, "time_ps") / PS_IN_US);
}

// "leaf1 > spine1 spine2 > leaf2"; of many nodes the first ones.
static void
print_paths(const json_t *answer, FILE *to)
{
	const size_t most = 8;
	const json_t *paths = json_object_get(answer, "paths");
	const json_t *hop, *name;
	uint64_t count = show_number(paths, "count"), dropped = show_number(paths, "dropped");
	size_t i, k;

	fprintf(to, "%ju possible path%s", (uintmax_t)count, count == 1 ? "" : "s");
	if (dropped != 0)
		fprintf(to, ", and %ju on which it would be dropped", (uintmax_t)dropped);
	if (show_flag(paths, "loops"))
		fputs(", with loops", to);
	fputs(count != 0 || dropped != 0 ? ":" : "", to);
	json_array_foreach((json_t *)(uintptr_t)json_object_get(paths, "hops"), i, hop)
	{
		fputs(i != 0 ? " >" : "", to);
		json_array_foreach((json_t *)(uintptr_t)hop, k, name)
		{
			if (k < most)
				fprintf(to, " %s", show_text(name));
		}
		if (k > most)
			fprintf(to, " (and %zu more)", k - most);
	}
	fputc('\n', to);
}

void
trace_print(const json_t *answer, FILE *to)
{
	print_packet(answer, to);
	print_hops(json_object_get(answer, "hops"), to);
	print_end(answer, to);
	print_paths(answer, to);
}
