// SPDX-License-Identifier: BSD-3-Clause
// Each poll gathers the entries of all nodes and sorts them by time, then by node, so that the list
// does not depend on windows or on the order of nodes.
#include "log.h"

#include "control/base/memory.h"
#include "dataplane/base/node_log.h"
#include "gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_MAX 128

struct gathered {
	struct node_log_entry entry;
	uint32_t node;
	uint32_t order;
};

struct fabric_log {
	FILE *to;
	const char *rest;
	bool refills;
	bool muted;     // the line about the rest is printed
	unsigned lines; // that may be printed
	json_t *entries;
	uint64_t forgotten; // removed to make room
	uint64_t overrun;   // lost by nodes
	struct gathered *gathered;
	uint32_t count;
};

struct fabric_log *
fabric_log_create(FILE *to, const char *rest, bool refills)
{
	struct fabric_log *log = memory_new(sizeof(*log), "log");

	log->to = to;
	log->rest = rest;
	log->refills = refills;
	log->lines = FABRIC_LOG_LINES;
	log->entries = json_array();
	return log;
}

void
fabric_log_destroy(struct fabric_log *log)
{
	if (log == NULL)
		return;
	json_decref(log->entries);
	free(log->gathered);
	free(log);
}

static void
add(struct fabric_log *log, uint32_t node, const struct node_log_entry *entry)
{
	log->gathered =
		memory_grow(log->gathered, log->count, sizeof(*log->gathered), "log entries");
	log->gathered[log->count] =
		(struct gathered){.entry = *entry, .node = node, .order = log->count};
	log->count++;
}

static void
use_entry(void *context, const struct gather_piece *piece)
{
	struct node_log_entry entry;

	if (piece->count != sizeof(entry))
		return;
	memcpy(&entry, piece->data, sizeof(entry));
	add(context, piece->index, &entry);
}

// Leaves the entries of all ranks to the first one.
static void
bring_together(struct fabric_log *log, const struct fabric *f)
{
	uint64_t sums[2] = {log->count, log->overrun};
	struct gather *g;

	if (ranks_reduce(f->ranks, RANKS_SUM, sums, 2) != 0)
		return; // the run ends anyway
	log->overrun = sums[1];
	if (sums[0] == 0)
		return;
	g = gather_create(f->ranks, 0);
	for (uint32_t i = 0; gather_sends(g) && i < log->count; i++) {
		gather_at(g, log->gathered[i].node);
		gather_put(g, 0, &log->gathered[i].entry, sizeof(log->gathered[i].entry));
	}
	if (gather_sends(g))
		log->count = 0;
	gather_finish(g, use_entry, log);
	gather_destroy(g);
}

static void
gather(struct fabric_log *log, const struct fabric *f)
{
	free(log->gathered);
	log->gathered = NULL;
	log->count = 0;
	log->overrun = 0;
	for (uint32_t i = 0; i < f->topology->first_host; i++) {
		struct node_log_entry entry;

		if (f->nodes[i] == NULL)
			continue;
		while (node_log_take(f->nodes[i]->log, &entry))
			add(log, i, &entry);
		log->overrun += node_log_lost(f->nodes[i]->log);
	}
	if (ranks_many(f->ranks))
		bring_together(log, f);
}

// A node's own entries are in order already.
static int
gathered_compare(const void *a, const void *b)
{
	const struct gathered *x = a, *y = b;

	if (x->entry.at != y->entry.at)
		return x->entry.at < y->entry.at ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

// Takes an entry over.
static void
keep_entry(struct fabric_log *log, json_t *entry)
{
	if (json_array_append_new(log->entries, entry) != 0) { // not UTF-8
		log->forgotten++;
		return;
	}
	if (json_array_size(log->entries) <= FABRIC_LOG_KEPT)
		return;
	json_array_remove(log->entries, 0);
	log->forgotten++;
}

// node, queue: where it happened, or NULL.
static void
keep(struct fabric_log *log, ps_t at, const char *node, const char *queue, const char *what,
     const char *message)
{
	keep_entry(log, json_pack("{s:I,s:s?,s:s?,s:s,s:s}", "at_ns", (json_int_t)(at / PS_PER_NS),
				  "node", node, "queue", queue, "what", what, "message", message));
}

// Milliseconds without trailing zeros: "300", "0.1".
static const char *
milliseconds(ps_t t, char text[static 32])
{
	int length = snprintf(text, 32, "%" PRIu64 ".%06" PRIu64, t / PS_PER_MS,
			      t % PS_PER_MS / PS_PER_NS);

	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	text[length] = '\0';
	return text;
}

// The text of an entry.
static const char *
describe(const struct node_log_entry *e, char text[static MESSAGE_MAX])
{
	static const char *const actions[] = {[WATCHDOG_DROP] = "drops",
					      [WATCHDOG_FORWARD] = "forwards",
					      [WATCHDOG_ALERT] = "alerts only"};
	char span[32], how[64] = "restored by hand";

	milliseconds(e->span, span);
	if (e->kind == NODE_LOG_STORM) {
		snprintf(text, MESSAGE_MAX, "PFC storm: %s, paused for %s ms", actions[e->action],
			 span);
		return text;
	}
	if (e->kind == NODE_LOG_RESTORE_QUIET)
		snprintf(how, sizeof(how), "restored after %s ms of quiet", span);
	else if (e->kind == NODE_LOG_RESTORE_CHANGED)
		snprintf(how, sizeof(how), "restored, no longer watched");
	snprintf(text, MESSAGE_MAX, "%s, %" PRIu64 " packet%s dropped", how, e->packets,
		 e->packets == 1 ? "" : "s");
	return text;
}

static void
print(struct fabric_log *log, const char *where, ps_t at, const char *message)
{
	if (log->to == NULL)
		return;
	if (log->lines == 0) {
		if (!log->muted)
			fprintf(log->to, "roost: the rest is in %s\n", log->rest);
		log->muted = true;
		return;
	}
	log->lines--;
	if (isatty(fileno(log->to)))
		fputs("\r\033[K", log->to); // overwrites the progress line
	fprintf(log->to, "%s: %" PRIu64 ".%06" PRIu64 " ms: %s\n", where, at / PS_PER_MS,
		at % PS_PER_MS / PS_PER_NS, message);
}

void
fabric_log_poll(struct fabric_log *log, const struct fabric *f)
{
	gather(log, f);
	if (log->count == 0) {
		if (log->refills && log->lines < FABRIC_LOG_LINES &&
		    ++log->lines == FABRIC_LOG_LINES)
			log->muted = false;
		return;
	}
	qsort(log->gathered, log->count, sizeof(*log->gathered), gathered_compare);
	for (uint32_t i = 0; i < log->count; i++) {
		const struct node_log_entry *e = &log->gathered[i].entry;
		const struct topo_node *node = &f->topology->nodes[log->gathered[i].node];
		char queue[TOPOLOGY_NAME_MAX], where[2 * TOPOLOGY_NAME_MAX], message[MESSAGE_MAX];

		snprintf(queue, sizeof(queue), "%s.%u", node->ports[e->port].name, e->tc);
		snprintf(where, sizeof(where), "%s.%s", node->name, queue);
		describe(e, message);
		keep(log, e->at, node->name, queue,
		     e->kind == NODE_LOG_STORM ? "watchdog-storm" : "watchdog-restore", message);
		print(log, where, e->at, message);
	}
	if (log->to != NULL)
		fflush(log->to);
}

void
fabric_log_note(struct fabric_log *log, ps_t at, enum fabric_log_kind kind, const char *message)
{
	static const struct {
		const char *what, *heading;
	} kinds[] = {
		[FABRIC_LOG_REFUSED] = {"event-refused", "event refused"},
		[FABRIC_LOG_TENANTS] = {"tenants", "applied"},
		[FABRIC_LOG_CONFIGURATION] = {"configuration", "configuration"},
		[FABRIC_LOG_ROUTES] = {"routes", "routes"},
		[FABRIC_LOG_WATCHER] = {"watcher", "watcher"},
		[FABRIC_LOG_BFD] = {"bfd", "bfd"},
		[FABRIC_LOG_LINK] = {"link", "link"},
		[FABRIC_LOG_RECORD] = {"record", "record"},
	};

	keep(log, at, NULL, NULL, kinds[kind].what, message);
	print(log, kinds[kind].heading, at, message);
	if (log->to != NULL)
		fflush(log->to);
}

void
fabric_log_port(struct fabric_log *log, ps_t at, const struct topo_node *node, uint16_t port,
		enum fabric_log_port_kind kind, const char *message)
{
	static const char *const kinds[] = {
		[FABRIC_LOG_LINK_DOWN] = "link-down",
		[FABRIC_LOG_LINK_UP] = "link-up",
		[FABRIC_LOG_DEVICE_DROPS] = "device-drops",
		[FABRIC_LOG_TRANSMIT] = "transmit",
	};
	const char *name = node->ports[port].name;
	char where[2 * TOPOLOGY_NAME_MAX];

	snprintf(where, sizeof(where), "%s.%s", node->name, name);
	keep_entry(log, json_pack("{s:I,s:s,s:n,s:s,s:s,s:s}", "at_ns",
				  (json_int_t)(at / PS_PER_NS), "node", node->name, "queue", "port",
				  name, "what", kinds[kind], "message", message));
	print(log, where, at, message);
	if (log->to != NULL)
		fflush(log->to);
}

json_t *
fabric_log_entries(const struct fabric_log *log)
{
	return log->entries;
}

uint64_t
fabric_log_lost(const struct fabric_log *log)
{
	return log->overrun + log->forgotten;
}

uint64_t
fabric_log_total(const struct fabric_log *log)
{
	return json_array_size(log->entries) + log->forgotten;
}
