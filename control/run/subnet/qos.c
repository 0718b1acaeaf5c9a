// SPDX-License-Identifier: BSD-3-Clause
// Levels, lanes and partitions that a manager has set. Of these a live fabric can change the
// arbitration of its lanes: it is programmed, of all switches at once. The others cannot change
// while it runs, so a line says where they differ. Lines that would say the same again are not
// printed.
#include "subnet_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

#define CALL_MS 10000
#define QUIET_MS 100      // before anything is done
#define QUIET_MAX_MS 5000 // even if there is no quiet; to set up a large subnet takes seconds
#define RETRY_MS 1000     // after a failure

// text: NULL if there is nothing to say any more.
static void
say(struct subnet_qos *q, enum subnet_note note, char *text)
{
	if (text != NULL && (q->said[note] == NULL || strcmp(text, q->said[note]) != 0))
		fprintf(stderr, "%s\n", text);
	free(q->said[note]);
	q->said[note] = text;
}

// "leaf1", "leaf1 and 5 more": for free().
static char *
name_nodes(const struct subnet_qos *q, uint32_t first, uint32_t count)
{
	const char *name = q->agents->nodes[first].name;

	return count == 1 ? memory_text(name) : memory_format("%s and %u more", name, count - 1);
}

// ---- what differs -------------------------------------------------------------------------------

// As OpenSM's option has them: "0,1,2,3,4,5,6,7".
static const char *
list_levels(const uint8_t *levels, char out[static 3 * AGENT_LEVELS_USED])
{
	int length = 0;

	for (unsigned level = 0; level < AGENT_LEVELS_USED; level++)
		length += snprintf(out + length, 3 * AGENT_LEVELS_USED - (size_t)length, "%s%u",
				   level != 0 ? "," : "", agent_lane_of(levels, level));
	return out;
}

static void
compare_levels(struct subnet_qos *q)
{
	char set[3 * AGENT_LEVELS_USED], own[3 * AGENT_LEVELS_USED], *nodes, *text = NULL;
	const struct agent_port *port;
	struct agent_difference found;

	agents_compare_levels(q->agents, &found);
	if (found.nodes != 0) {
		port = &q->agents->nodes[found.first.node].ports[found.first.port];
		nodes = name_nodes(q, found.first.node, found.nodes);
		text = memory_format("%s: the subnet manager maps SL 0 to 7 to VL %s; the fabric "
				     "keeps VL %s, because lanes cannot change while it runs: set "
				     "qos.priority-to-tc in its file",
				     nodes, list_levels(port->levels[found.in], set),
				     list_levels(port->own_levels, own));
		free(nodes);
	}
	say(q, SUBNET_NOTE_LEVELS, text);
}

static char *
list_partitions(const struct agent_port *port)
{
	size_t size;
	char *text;
	FILE *to = memory_stream_open(&text, &size);
	bool some = false;

	for (unsigned i = 0; i < AGENT_PARTITIONS; i++) {
		const uint16_t key = mad_get16(port->partitions + (size_t)2 * i);

		if (key != 0)
			fprintf(to, "%s0x%04x", some ? ", " : "", key);
		some |= key != 0;
	}
	if (!some)
		fputs("none", to);
	fclose(to);
	return text;
}

static void
compare_partitions(struct subnet_qos *q)
{
	char *nodes, *keys, *text = NULL;
	const struct agent_port *port;
	struct agent_difference found;

	agents_compare_partitions(q->agents, &found);
	if (found.nodes != 0) {
		port = &q->agents->nodes[found.first.node].ports[found.first.port];
		nodes = name_nodes(q, found.first.node, found.nodes);
		keys = list_partitions(port);
		text = memory_format("%s: the subnet manager sets P_Key %s; the fabric keeps "
				     "0x%04x, because partitions cannot change while it runs: set "
				     "`tenants:` in its file",
				     nodes, keys, port->partition);
		free(keys);
		free(nodes);
	}
	say(q, SUBNET_NOTE_PARTITIONS, text);
}

// ---- arbitration --------------------------------------------------------------------------------

// Entries that have an effect: of lanes that the fabric uses, with a weight. Returns how many.
static unsigned
write_table(FILE *to, const struct agent_port *port, unsigned table)
{
	unsigned used = 0, count = 0;

	for (unsigned level = 0; level < AGENT_LEVELS_USED; level++)
		used |= 1u << agent_lane_of(port->own_levels, level);
	for (unsigned i = 0; i < agent_entries(port, table); i++) {
		const uint8_t *entry = port->arbitration[table] + (size_t)2 * i;
		const unsigned lane = entry[0] & 0x0f;

		if ((used >> lane & 1) != 0 && entry[1] != 0)
			fprintf(to, "%s%u:%u", count++ == 0 ? "\"" : ",", lane, entry[1]);
	}
	return count;
}

// Tables without any weight would leave the lanes to the schedulers: an entry without one makes
// them what the fabric refuses.
char *
subnet_arbitration_text(const struct agent_port *port)
{
	size_t size;
	char *text;
	FILE *to = memory_stream_open(&text, &size);
	unsigned high, low;

	fputs("{high: ", to);
	high = write_table(to, port, AGENT_HIGH);
	fputs(high != 0 ? "\", low: " : "none, low: ", to);
	low = write_table(to, port, AGENT_LOW);
	fputs(low != 0 ? "\"" : high != 0 ? "none" : "\"0:0\"", to);
	if (port->info[MAD_PORT_INFO_HIGH_LIMIT] == LANE_LIMIT_UNLIMITED)
		fputs(", limit: unlimited}", to);
	else
		fprintf(to, ", limit: %u}", port->info[MAD_PORT_INFO_HIGH_LIMIT]);
	fclose(to);
	return text;
}

static json_t *
make_edit(const struct agent *node, uint8_t port)
{
	char *text = subnet_arbitration_text(&node->ports[port]);
	char *key = memory_format("%s.qos.credit.arbitration", node->name);
	json_t *edit = json_pack("{s:s,s:s,s:s}", "kind", "set", "key", key, "value", text);

	free(key);
	free(text);
	return edit;
}

// Sends a batch, and counts its switches as programmed.
static int
send_edits(const struct subnet_qos *q, json_t *edits, unsigned *count, struct diag *diag)
{
	json_t *params = json_pack("{s:O}", "edits", edits), *answer = NULL;
	const struct api_call call = {q->path, "edit", params, CALL_MS};
	int rc = json_array_size(edits) != 0 ? api_call(&call, &answer, diag) : 0;

	if (rc == 0)
		*count += (unsigned)json_array_size(edits);
	json_decref(answer);
	json_decref(params);
	json_array_clear(edits);
	return rc;
}

// Switches whose tables can be programmed are still `arbitrated`. All go in one change if their
// edits fit in a request. *count: how many have been programmed, even where it fails.
static int
send_arbitration(const struct subnet_qos *q, unsigned *count, struct diag *diag)
{
	json_t *edits = json_array();
	size_t bytes = 0;
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < q->agents->count; n++) {
		const struct agent *node = &q->agents->nodes[n];
		json_t *edit;
		size_t size;

		if (!node->arbitrated)
			continue;
		edit = make_edit(node, agent_common_arbitration(node));
		size = json_dumpb(edit, NULL, 0, 0) + 2;
		if (bytes + size > q->batch_bytes) {
			rc = send_edits(q, edits, count, diag);
			bytes = 0;
		}
		bytes += size;
		json_array_append_new(edits, edit);
	}
	if (rc == 0)
		rc = send_edits(q, edits, count, diag);
	json_decref(edits);
	return rc;
}

// Switches that a line is about.
struct group {
	uint32_t first, count;
};

static void
leave_out(struct agents *agents, uint32_t node, struct group *of)
{
	agents->nodes[node].arbitrated = false;
	if (of->count++ == 0)
		of->first = node;
}

static void
say_of(struct subnet_qos *q, enum subnet_note note, const struct group *group, const char *what)
{
	char *nodes;

	if (group->count == 0)
		return;
	nodes = name_nodes(q, group->first, group->count);
	say(q, note, memory_format("%s: the subnet manager sets %s", nodes, what));
	free(nodes);
}

// Leaves out what cannot be programmed, and says so of switches. NICs take turns as they do.
// Returns whether all ports of each switch have the same tables.
static bool
sort_out(struct subnet_qos *q)
{
	struct group hosts = {0}, fixed = {0}, mixed = {0};

	for (uint32_t n = 0; n < q->agents->count; n++) {
		const struct agent *node = &q->agents->nodes[n];

		if (!node->arbitrated)
			continue;
		if (node->kind == AGENT_HOST)
			leave_out(q->agents, n, &hosts);
		else if (q->path == NULL || !node->programmable)
			leave_out(q->agents, n, &fixed);
		else if (agent_common_arbitration(node) == 0)
			leave_out(q->agents, n, &mixed);
	}
	say_of(q, SUBNET_NOTE_NO_TABLES, &fixed,
	       q->path != NULL ? "arbitration tables; without credits the fabric keeps its "
				 "schedulers: set `preset: infiniband` in its file, or "
				 "qos.flow-control: credit and buffer.cell: 64"
			       : "arbitration tables; the file keeps its own: set "
				 "qos.credit.arbitration there");
	say_of(q, SUBNET_NOTE_MIXED, &mixed,
	       "different arbitration tables at ports of one switch; a switch of the fabric has "
	       "one pair of tables for all ports, and keeps it");
	return mixed.count == 0;
}

static void
program(struct subnet_qos *q, int64_t now)
{
	const bool alike = sort_out(q);
	struct diag diag = {0};
	unsigned count = 0;
	int rc = send_arbitration(q, &count, &diag);

	if (count != 0) {
		printf("programmed the arbitration of %u %s\n", count,
		       count == 1 ? "switch" : "switches");
		fflush(stdout);
		if (alike)
			say(q, SUBNET_NOTE_MIXED, NULL);
	}
	if (rc != 0)
		say(q, SUBNET_NOTE_REFUSED,
		    memory_format("the arbitration of %s stays as it is: %s",
				  count == 0 ? "lanes" : "the other switches",
				  diag.errors != 0 ? diag_first_error(&diag) : strerror(-rc)));
	else if (count != 0)
		say(q, SUBNET_NOTE_REFUSED, NULL);
	// What the fabric refuses, it refuses again.
	if (rc == 0 || rc == -EREMOTEIO || rc == -EINVAL)
		for (uint32_t n = 0; n < q->agents->count; n++)
			q->agents->nodes[n].arbitrated = false;
	else
		q->due_at = q->retry_at = now + RETRY_MS;
	diag_free(&diag);
}

static void
set_due(struct subnet_qos *q, int64_t now)
{
	if (q->due_at == 0)
		q->due_max = now + QUIET_MAX_MS;
	q->due_at = now + QUIET_MS < q->due_max ? now + QUIET_MS : q->due_max;
	if (q->due_at < q->retry_at)
		q->due_at = q->retry_at;
}

int
subnet_qos_follow(struct subnet_qos *q, int64_t now)
{
	// Between the ports of a switch a manager may set much that is already so.
	if (q->seen != q->agents->lane_changes || (q->due_at != 0 && q->sets != q->agents->sets))
		set_due(q, now);
	q->seen = q->agents->lane_changes;
	q->sets = q->agents->sets;
	if (q->due_at != 0 && now >= q->due_at) {
		q->due_at = 0;
		compare_levels(q);
		compare_partitions(q);
		program(q, now);
	}
	return q->due_at == 0 ? -1 : q->due_at > now ? (int)(q->due_at - now) : 0;
}

void
subnet_qos_free(struct subnet_qos *q)
{
	for (unsigned i = 0; i < SUBNET_NOTES; i++)
		free(q->said[i]);
}
