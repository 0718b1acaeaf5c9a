// SPDX-License-Identifier: BSD-3-Clause
// A tap sees a sent packet when its transmission starts, stamped with the instant its last bit
// leaves, and a received one when its last bit has arrived; a PFC frame may be seen at the end of
// its window. Stamps in a file must not go backwards, so records are kept until nothing earlier can
// follow (the start of the node's window) and are written sorted.
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
	struct output *output;
	const struct output_file *file;
	struct capture_writer *writer;
	struct record *records;
	uint32_t count;
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

// Keeps a packet, and its comment, which the file frees.
static void
file_add(struct recorder *r, struct recorder_file *f, struct rte_mbuf *m,
	 struct capture_record packet)
{
	uint32_t length = packet_meta(m)->wire_bytes;
	uint8_t *data;

	packet.orig_len = length;
	packet.data_len = r->snaplen != 0 && length > r->snaplen ? r->snaplen : length;
	packet.data = data = memory_array(packet.data_len, 1, "bytes of a captured packet");
	payload_copy(m, data, packet.data_len);
	f->records = memory_grow(f->records, f->count, sizeof(*f->records), "captured packets");
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

// Bytes in the queue of a dropped packet; 0 if it was dropped before a queue was chosen.
static uint64_t
drop_depth(const struct node *node, const struct packet_meta *meta, enum drop_reason reason)
{
	bool placed = reason == DROP_HEADROOM || reason == DROP_INGRESS_POOL ||
		      reason == DROP_EGRESS_POOL || reason == DROP_TENANT_SHARE ||
		      reason == DROP_RED || reason == DROP_WATCHDOG;

	if (!placed)
		return 0;
	return (uint64_t)node->depth[meta->tc * node->port_count + meta->out_port] *
	       node->current->cell;
}

static void
recorder_dropped(void *context, struct node *node, struct rte_mbuf *m, enum drop_reason reason,
		 ps_t at)
{
	struct recorder *r = context;
	const struct packet_meta *meta = packet_meta(m);

	for (struct recorder_file *f = r->files; f != NULL; f = f->next) {
		struct capture_record packet = {.stamp = at};

		if (f->source.node != node || f->source.what != 0)
			continue;
		packet.comment = memory_format("reason=%s port=%s priority=%u depth=%llu",
					       drop_name(reason),
					       f->source.port_names[meta->in_port], meta->priority,
					       (unsigned long long)drop_depth(node, meta, reason));
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

int
recorder_add(struct recorder *r, const struct recorder_source *source, struct output *output,
	     const char *name)
{
	const struct output_file *file;
	struct capture_writer *writer;
	struct recorder_file *f;
	int rc = output_add(output, name, &file);

	if (rc != 0)
		return rc;
	rc = capture_writer_open(&writer, file->temporary, source->interface, r->snaplen);
	if (rc != 0)
		return output_fail(output, file, rc);
	f = memory_new(sizeof(*f), "a capture");
	*f = (struct recorder_file){
		.next = r->files,
		.source = *source,
		.output = output,
		.file = file,
		.writer = writer,
	};
	r->files = f;
	source->node->tap = &r->tap;
	if (source->what != 0)
		source->node->ports[source->port].tapped = true;
	return 0;
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
			first = output_fail(f->output, f->file, rc);
		free(f->records);
		free(f);
	}
	free(r);
	return first;
}
