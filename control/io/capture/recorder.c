// SPDX-License-Identifier: BSD-3-Clause
// A tap sees a sent packet when its transmission starts, stamped with the instant its last bit
// leaves, and a received one when its last bit has come; a PFC frame may be shown at the end of its
// window. So that stamps in a file never go backwards, records are kept until nothing earlier can
// follow (the start of the node's window) and written sorted.
#include "recorder.h"

#include "dataplane/roce/payload.h"
#include "writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDER_KEPT_MAX 256 // records of a file in memory before it tries to write some

struct record {
	ps_t stamp;
	uint64_t order;
	enum capture_direction direction;
	uint32_t data_len;
	uint32_t orig_len;
	char *comment;
	uint8_t *data;
};

struct recorder_file {
	struct recorder_file *next;
	struct recorder_source source;
	struct output *output;
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

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
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
	for (; written < f->count && f->records[written].stamp < horizon; written++) {
		struct record *r = &f->records[written];
		int rc = capture_writer_packet_directed(f->writer, r->direction, r->stamp, r->data,
							r->data_len, r->orig_len, r->comment);

		if (rc != 0 && f->error == 0)
			f->error = rc;
		free(r->data);
		free(r->comment);
	}
	f->count -= written;
	memmove(f->records, f->records + written, f->count * sizeof(*f->records));
}

static void
file_add(struct recorder *r, struct recorder_file *f, struct rte_mbuf *m,
	 enum capture_direction direction, ps_t stamp, const char *comment)
{
	const struct packet_meta *meta = packet_meta(m);
	uint32_t length = meta->wire_bytes;
	struct record record = {.stamp = stamp, .order = f->order++, .direction = direction};

	if (f->count == f->capacity) {
		uint32_t capacity = f->capacity == 0 ? RECORDER_KEPT_MAX : 2 * f->capacity;
		struct record *records = realloc(f->records, capacity * sizeof(*records));

		if (records == NULL)
			goto fail;
		f->records = records;
		f->capacity = capacity;
	}
	if (r->snaplen != 0 && length > r->snaplen)
		length = r->snaplen;
	record.orig_len = meta->wire_bytes;
	record.data_len = length;
	record.data = malloc(length);
	record.comment = comment == NULL ? NULL : strdup(comment);
	if (record.data == NULL || (comment != NULL && record.comment == NULL))
		goto fail;
	payload_copy(m, record.data, length);
	f->records[f->count++] = record;
	return;
fail:
	free(record.data);
	free(record.comment);
	f->error = -ENOMEM;
}

static void
file_settle(struct recorder_file *f)
{
	if (f->count >= RECORDER_KEPT_MAX)
		file_write(f, f->source.node->start);
}

static void
port_event(struct recorder *r, const struct node *node, const struct port *port, struct rte_mbuf *m,
	   ps_t at, enum recorder_what what)
{
	for (struct recorder_file *f = r->files; f != NULL; f = f->next) {
		const struct recorder_source *s = &f->source;

		if (s->node != node || !(s->what & what) || s->port != port->index)
			continue;
		file_add(r, f, m,
			 what == RECORDER_SENT ? CAPTURE_DIRECTION_OUT : CAPTURE_DIRECTION_IN, at,
			 NULL);
		file_settle(f);
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

// Bytes queued where the packet was to go; 0 when it was dropped before that was known.
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
		char comment[128];

		if (f->source.node != node || f->source.what != 0)
			continue;
		snprintf(comment, sizeof(comment), "reason=%s port=%s priority=%u depth=%llu",
			 drop_name(reason), f->source.port_names[meta->in_port], meta->priority,
			 (unsigned long long)drop_depth(node, meta, reason));
		file_add(r, f, m, CAPTURE_DIRECTION_NONE, at, comment);
		file_settle(f);
	}
}

int
recorder_create(struct recorder **out, uint32_t snaplen)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return -ENOMEM;
	r->snaplen = snaplen;
	r->tap = (struct node_tap){
		.received = recorder_received,
		.sent = recorder_sent,
		.dropped = recorder_dropped,
		.context = r,
	};
	*out = r;
	return 0;
}

int
recorder_add(struct recorder *r, const struct recorder_source *source, struct output *output,
	     const char *name)
{
	struct recorder_file *f = calloc(1, sizeof(*f));
	char err[OUTPUT_ERR_BYTES];
	int rc;

	if (f == NULL)
		return -ENOMEM;
	f->source = *source;
	f->output = output;
	rc = output_add(output, name, &f->file);
	if (rc != 0) {
		free(f);
		return rc;
	}
	rc = capture_writer_open(&f->writer, f->file->temporary, source->interface, r->snaplen, err,
				 sizeof(err));
	if (rc != 0) {
		output_fail(output, f->file, rc);
		free(f);
		return rc;
	}
	f->next = r->files;
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
