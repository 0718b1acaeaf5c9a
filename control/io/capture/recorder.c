// SPDX-License-Identifier: BSD-3-Clause
// A tap sees a sent packet when its transmission starts, stamped with the instant its last bit
// leaves, and a received one when its last bit has arrived; a PFC frame may be seen at the end of
// its window. Stamps in a file must not go backwards, so records are kept until nothing earlier can
// follow (the start of the node's window) and are written sorted.
//
// A tap is called by the thread that runs its node, where the process cannot end with a report. So
// a lack of memory is noted there like that of packets: the record is lost, and the run ends at the
// end of the window.
#include "recorder.h"

#include "control/base/memory.h"
#include "dataplane/roce/payload.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDER_KEPT_MAX 256 // records of a file in memory before some are written

struct record {
	struct capture_record packet; // data and comment are owned
	uint64_t order;
};

struct recorder_file {
	struct recorder_file *next;
	struct recorder_source source;
	struct output *output; // NULL: the caller's own file
	const struct output_file *file;
	struct capture_writer *writer;
	struct record *records;
	uint32_t count;
	uint32_t capacity;
	uint64_t order;
	int error;
};

struct recorder {
	struct recorder_file *files;
	struct node_tap tap;
	uint32_t snaplen;
};

static int
record_compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->packet.stamp != y->packet.stamp)
		return x->packet.stamp < y->packet.stamp ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

// Writes the records stamped before `horizon`.
static void
file_write(struct recorder_file *f, ps_t horizon)
{
	uint32_t written = 0;

	if (f->count == 0)
		return;
	qsort(f->records, f->count, sizeof(*f->records), record_compare);
	for (; written < f->count && f->records[written].packet.stamp < horizon; written++) {
		const struct capture_record *packet = &f->records[written].packet;
		int rc = capture_writer_packet(f->writer, packet);

		if (f->error == 0)
			f->error = rc;
		free((void *)(uintptr_t)packet->data);
		free((void *)(uintptr_t)packet->comment);
	}
	f->count -= written;
	memmove(f->records, f->records + written, f->count * sizeof(*f->records));
}

static bool
file_reserve(struct recorder_file *f)
{
	struct record *records;

	if (f->count < f->capacity)
		return true;
	records = realloc(f->records, 2 * (size_t)f->capacity * sizeof(*records));
	if (records == NULL)
		return false;
	f->records = records;
	f->capacity *= 2;
	return true;
}

// Keeps a packet, and its comment, which the file frees.
static void
file_add(struct recorder *r, struct recorder_file *f, struct rte_mbuf *m,
	 struct capture_record packet)
{
	const bool infiniband = packet_meta(m)->flags & PACKET_INFINIBAND;
	uint32_t length = payload_captured_bytes(m);
	uint8_t *data;

	// Pause frames have no place among InfiniBand's packets.
	if (f->source.infiniband && !infiniband) {
		free((void *)(uintptr_t)packet.comment);
		return;
	}

	packet.infiniband = infiniband;
	packet.orig_len = length;
	packet.data_len = r->snaplen != 0 && length > r->snaplen ? r->snaplen : length;
	packet.data = data = malloc(packet.data_len);
	if (data == NULL || !file_reserve(f)) {
		packet_memory_note_lack();
		free(data);
		free((void *)(uintptr_t)packet.comment);
		return;
	}
	payload_capture(m, data, packet.data_len);
	f->records[f->count++] = (struct record){.packet = packet, .order = f->order++};
	if (f->count >= RECORDER_KEPT_MAX)
		file_write(f, f->source.node->start);
}

static void
port_event(struct recorder *r, const struct node *node, const struct port *port, struct rte_mbuf *m,
	   ps_t at, enum recorder_what what)
{
	const struct capture_record packet = {
		.stamp = at,
		.direction = what == RECORDER_SENT ? CAPTURE_DIRECTION_OUT : CAPTURE_DIRECTION_IN,
	};

	for (struct recorder_file *f = r->files; f != NULL; f = f->next) {
		const struct recorder_source *s = &f->source;

		if (s->node == node && s->what & what && s->port == port->index)
			file_add(r, f, m, packet);
	}
}

static void
recorder_received(void *context, struct node *node, struct port *port, struct rte_mbuf *m, ps_t at)
{
	port_event(context, node, port, m, at, RECORDER_RECEIVED);
}

static void
recorder_sent(void *context, struct node *node, struct port *port, struct rte_mbuf *m, ps_t at)
{
	port_event(context, node, port, m, at, RECORDER_SENT);
}

static void
recorder_dropped(void *context, struct node *node, struct rte_mbuf *m, enum drop_reason reason,
		 ps_t at)
{
	struct recorder *r = context;
	const struct packet_meta *meta = packet_meta(m);

	for (struct recorder_file *f = r->files; f != NULL; f = f->next) {
		struct capture_record packet = {.stamp = at};
		char *comment;

		if (f->source.node != node || f->source.what != 0)
			continue;
		if (asprintf(&comment, "reason=%s port=%s priority=%u depth=%llu",
			     drop_name(reason), f->source.port_names[meta->in_port], meta->priority,
			     (unsigned long long)node_drop_depth(node, m, reason)) < 0) {
			packet_memory_note_lack();
			continue;
		}
		packet.comment = comment;
		file_add(r, f, m, packet);
	}
}

struct recorder *
recorder_create(uint32_t snaplen)
{
	struct recorder *r = memory_new(sizeof(*r), "a recorder");

	r->snaplen = snaplen;
	r->tap = (struct node_tap){
		.received = recorder_received,
		.sent = recorder_sent,
		.dropped = recorder_dropped,
		.context = r,
	};
	return r;
}

static int
add_file(struct recorder *r, const struct recorder_source *source, const char *path,
	 struct recorder_file **out)
{
	struct capture_writer *writer;
	struct recorder_file *f;
	int rc = capture_writer_open(
		&writer, path, source->infiniband ? PCAPNG_LINKTYPE_ERF : PCAPNG_LINKTYPE_ETHERNET,
		source->interface, r->snaplen);

	if (rc != 0)
		return rc;
	*out = f = memory_new(sizeof(*f), "a capture");
	*f = (struct recorder_file){
		.next = r->files,
		.source = *source,
		.writer = writer,
		.records = memory_array(RECORDER_KEPT_MAX, sizeof(*f->records), "captured packets"),
		.capacity = RECORDER_KEPT_MAX,
	};
	r->files = f;
	source->node->tap = &r->tap;
	if (source->what != 0)
		source->node->ports[source->port].tapped = true;
	return 0;
}

int
recorder_add(struct recorder *r, const struct recorder_source *source, struct output *output,
	     const char *name)
{
	const struct output_file *file;
	struct recorder_file *f;
	int rc = output_add(output, name, &file);

	if (rc != 0)
		return rc;
	rc = add_file(r, source, file->temporary, &f);
	if (rc != 0)
		return output_fail(output, file, rc);
	f->output = output;
	f->file = file;
	return 0;
}

int
recorder_add_path(struct recorder *r, const struct recorder_source *source, const char *path)
{
	struct recorder_file *f;

	return add_file(r, source, path, &f);
}

int
recorder_close(struct recorder *r)
{
	int first = 0;

	if (r == NULL)
		return 0;
	for (struct recorder_file *f = r->files, *next; f != NULL; f = next) {
		int rc;

		next = f->next;
		file_write(f, PS_NEVER);
		rc = capture_writer_close(f->writer);
		if (f->error != 0)
			rc = f->error;
		if (rc != 0 && first == 0)
			first = f->output != NULL ? output_fail(f->output, f->file, rc) : rc;
		free(f->records);
		free(f);
	}
	free(r);
	return first;
}
