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
		text_table_append(t, ", ECN marks %.3g %%", mark * 100);
}

// The port by which it leaves and, if it was sent by another one, that.
static void
put_out(struct text_table *t, const json_t *hop, const json_t *seen)
{
	const char *out = show_string(hop, "out"), *took = show_string(seen, "out");

	text_table_cell(t, "%s", or_dash(out));
	if (*out != '\0' && *took != '\0' && strcmp(out, took) != 0)
		text_table_append(t, ", took %s", took);
}

static void
put_seen(struct text_table *t, const json_t *seen)
{
	put_time(t, seen, "arrived_ps");
	put_time(t, seen, "left_ps");
}

// seen: the same hop of the probe; NULL: it was not seen there, or none was sent.
static void
put_hop(struct text_table *t, const json_t *hop, const json_t *seen)
{
	text_table_cell(t, "%s", show_string(hop, "node"));
	text_table_cell(t, "%s", or_dash(show_string(hop, "in")));
	text_table_cell(t, "%s", or_dash(show_string(hop, "vrf")));
	put_number(t, hop, "group");
	put_route(t, hop);
	put_choice(t, hop);
	put_out(t, hop, seen);
	put_number(t, hop, "queue");
	put_depth(t, hop);
	put_time(t, hop, "wait_ps");
	put_time(t, hop, "serialization_ps");
	put_time(t, hop, "link_ps");
}

// A hop of the probe where it was not computed to be.
static void
put_other_hop(struct text_table *t, const json_t *seen)
{
	text_table_cell(t, "%s", show_string(seen, "node"));
	text_table_cell(t, "%s", or_dash(show_string(seen, "in")));
	for (unsigned i = 0; i < 4; i++)
		text_table_cell(t, "-");
	text_table_cell(t, "%s", or_dash(show_string(seen, "out")));
	put_number(t, seen, "queue");
	for (unsigned i = 0; i < 4; i++)
		text_table_cell(t, "-");
	put_seen(t, seen);
}

static bool
is_same_node(const json_t *hop, const json_t *seen)
{
	return strcmp(show_string(hop, "node"), show_string(seen, "node")) == 0;
}

// Each computed hop with that of the probe; where they part, one below the other. Of a host whose
// NIC is not the fabric's, the probe has no hop.
static void
put_both(struct text_table *t, const json_t *hops, const json_t *probe)
{
	const json_t *seen_hops = json_object_get(probe, "hops"), *hop, *seen;
	size_t i, next = 0;

	json_array_foreach((json_t *)(uintptr_t)hops, i, hop)
	{
		seen = json_array_get(seen_hops, next);
		if (seen != NULL && is_same_node(hop, seen)) {
			put_hop(t, hop, seen);
			put_seen(t, seen);
			next++;
			continue;
		}
		put_hop(t, hop, NULL);
		put_seen(t, NULL);
		if (seen != NULL && i != 0 && i + 1 != json_array_size(hops)) {
			put_other_hop(t, seen);
			next++;
		}
	}
	for (; (seen = json_array_get(seen_hops, next)) != NULL; next++)
		put_other_hop(t, seen);
}

static void
print_hops(const json_t *hops, const json_t *probe, FILE *to)
{
	static const struct text_column columns[] = {
		{"node", TEXT_LEFT},     {"in", TEXT_LEFT},       {"vrf", TEXT_LEFT},
		{"group", TEXT_RIGHT},   {"route", TEXT_LEFT},    {"selected by", TEXT_LEFT},
		{"out", TEXT_LEFT},      {"queue", TEXT_RIGHT},   {"depth", TEXT_LEFT},
		{"wait/us", TEXT_RIGHT}, {"send/us", TEXT_RIGHT}, {"link/us", TEXT_RIGHT},
		{"came/us", TEXT_RIGHT}, {"left/us", TEXT_RIGHT},
	};
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	struct text_table *t = text_table_create(columns, count - (probe == NULL ? 2 : 0));
	const json_t *hop;
	size_t i;

	if (probe != NULL)
		put_both(t, hops, probe);
	else
		json_array_foreach((json_t *)(uintptr_t)hops, i, hop) put_hop(t, hop, NULL);
	text_table_print(t, "", to);
	text_table_destroy(t);
}

// ---- all of it ----------------------------------------------------------------------------------

static void
print_packet(const json_t *answer, FILE *to)
{
	const json_t *packet = json_object_get(answer, "packet");
	const char *destination = show_string(packet, "to");

	if (json_object_get(packet, "sl") != NULL) {
		fprintf(to, "%s (%s) to %s (%s): SL %ju, %ju bytes, at %.3f us\n",
			show_string(packet, "host"), show_string(packet, "source"), destination,
			show_string(packet, "destination"), (uintmax_t)show_number(packet, "sl"),
			(uintmax_t)show_number(packet, "bytes"),
			(double)show_number(answer, "at_ps") / PS_IN_US);
		return;
	}
	fprintf(to,
		"%s (%s) to %s%s%s%s: UDP %ju to %ju, DSCP %ju, TTL %ju, %ju bytes, at %.3f us\n",
		show_string(packet, "host"), show_string(packet, "source"), destination,
		*destination != '\0' ? " (" : "", show_string(packet, "destination"),
		*destination != '\0' ? ")" : "", (uintmax_t)show_number(packet, "sport"),
		(uintmax_t)show_number(packet, "dport"), (uintmax_t)show_number(packet, "dscp"),
		(uintmax_t)show_number(packet, "ttl"), (uintmax_t)show_number(packet, "bytes"),
		(double)show_number(answer, "at_ps") / PS_IN_US);
}

static const json_t *
last_hop(const json_t *answer)
{
	const json_t *hops = json_object_get(answer, "hops");

	return json_array_get(hops, json_array_size(hops) - 1);
}

static void
print_end(const json_t *answer, FILE *to)
{
	const json_t *last = last_hop(answer);
	const json_t *drop = json_object_get(last, "drop");
	const char *why = show_string(drop, "why");

	if (drop != NULL)
		fprintf(to, "dropped at %s: %s (%s)\n", show_string(last, "node"),
			show_string(drop, "reason"),
			*why != '\0' ? why : show_string(drop, "advice"));
	else if (strcmp(show_string(answer, "result"), "left") == 0)
		fprintf(to, "leaves by %s.%s to part %s after %.3f us\n", show_string(last, "node"),
			show_string(last, "out"), show_string(answer, "part"),
			(double)show_number(answer, "time_ps") / PS_IN_US);
	else
		fprintf(to, "delivered to %s after %.3f us\n", show_string(last, "node"),
			(double)show_number(answer, "time_ps") / PS_IN_US);
}

// What became of the probe.
static void
print_probe_end(const json_t *probe, FILE *to)
{
	const json_t *last = last_hop(probe), *drop = json_object_get(last, "drop");
	const char *result = show_string(probe, "result");
	const double took = (double)show_number(probe, "time_ps") / PS_IN_US;

	fputs("probe: ", to);
	if (drop != NULL)
		fprintf(to, "dropped at %s after %.3f us: %s (%s)", show_string(last, "node"), took,
			show_string(drop, "reason"), show_string(drop, "advice"));
	else if (strcmp(result, "delivered") == 0)
		fprintf(to, "delivered after %.3f us", took);
	else if (strcmp(result, "left") == 0)
		fprintf(to, "left the fabric by %s.%s after %.3f us: what is behind is not seen",
			show_string(last, "node"), show_string(last, "out"), took);
	else if (last != NULL)
		fprintf(to, "still in flight, last seen at %s after %.3f us",
			show_string(last, "node"), took);
	else
		fputs("not sent yet: the host is paused, or its link is busy", to);
	fputs(show_flag(probe, "as_computed") ? "\n" : "; it took another path\n", to);
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
	const json_t *probe = json_object_get(answer, "probe");

	print_packet(answer, to);
	print_hops(json_object_get(answer, "hops"), probe, to);
	print_end(answer, to);
	if (probe != NULL)
		print_probe_end(probe, to);
	print_paths(answer, to);
}
