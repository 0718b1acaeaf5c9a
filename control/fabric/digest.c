// SPDX-License-Identifier: BSD-3-Clause
// The digest of a run: SHA-256 over the results themselves in a fixed order, not over a text that
// would have to be made of them first. Numbers are 8 bytes, the lowest first; texts follow their
// length. Counters that say that nothing happened are left out, so a counter that is added to the
// program changes no digest as long as it stays at zero. What a result derives from others (link
// loads, percentiles) is not part of it. A snapshot has a digest of its own, which is part of it.
#include "result_internal.h"

#include <string.h>

#define FORMAT "roost digest 2"
#define SNAPSHOT_FORMAT "roost snapshot 1"
#define NO_TEXT UINT64_MAX

void
digest_flush(struct digest *d)
{
	if (gather_sends(d->gather))
		gather_put(d->gather, RESULT_PIECE_DIGEST, d->bytes, d->used);
	else
		SHA256Update(&d->sha, d->bytes, d->used);
	d->used = 0;
}

void
digest_put_bytes(struct digest *d, const void *bytes, size_t count)
{
	digest_flush(d);
	SHA256Update(&d->sha, bytes, count);
}

static void
put(struct digest *d, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	if (d->used + length > sizeof(d->bytes))
		digest_flush(d);
	for (; length > sizeof(d->bytes); from += sizeof(d->bytes), length -= sizeof(d->bytes)) {
		memcpy(d->bytes, from, sizeof(d->bytes));
		d->used = sizeof(d->bytes);
		digest_flush(d);
	}
	memcpy(&d->bytes[d->used], from, length);
	d->used += length;
}

static void
put_number(struct digest *d, uint64_t number)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	put(d, bytes, sizeof(bytes));
}

static void
put_text(struct digest *d, const char *text)
{
	size_t length = text != NULL ? strlen(text) : 0;

	put_number(d, text != NULL ? length : NO_TEXT);
	if (length != 0)
		put(d, text, length);
}

static void
put_flow(struct digest *d, const struct report_flow *f)
{
	put_number(d, f->id);
	put_text(d, f->item);
	put_text(d, f->src);
	put_text(d, f->dst);
	put_text(d, f->tenant);
	put_number(d, f->bytes);
	put_number(d, f->start);
	put_number(d, f->fct);
	put_number(d, f->ideal);
	put_number(d, f->retransmitted);
	put_number(d, f->reorder_max);
}

// Without its ids, which only name it.
static void
put_collective(struct digest *d, const struct report_collective *c)
{
	put_text(d, c->name);
	put_text(d, report_kind_name(c->kind));
	put_number(d, c->iteration);
	put_number(d, c->ranks);
	put_number(d, c->bytes);
	put_number(d, c->start);
	put_number(d, c->step);
}

void
digest_put_counter(struct digest *d, const struct counter_value *value)
{
	if (value->port != d->port) { // the names of a node's ports stay where they are
		put_text(d, NULL);
		put_text(d, value->port);
		d->port = value->port;
	}
	put_text(d, value->name);
	put_text(d, value->group);
	put_text(d, value->of);
	put_number(d, (uint64_t)value->index);
	put_number(d, (uint64_t)value->value);
}

void
digest_put_node(struct digest *d, const struct report_node *n)
{
	put_text(d, n->name);
	for (unsigned int i = 0; i < n->node->port_count; i++) {
		put_text(d, n->ports[i].peer);
		put_number(d, n->ports[i].rate_bps);
	}
	d->port = NULL;
}

static int
put_json(const char *text, size_t length, void *context)
{
	put(context, text, length);
	return 0;
}

static void
put_document(struct digest *d, const json_t *document)
{
	if (document != NULL)
		json_dump_callback(document, put_json, d, JSON_SORT_KEYS | JSON_COMPACT);
	put_text(d, NULL);
}

void
digest_begin(struct digest *d, struct gather *gather)
{
	d->gather = gather;
	d->used = 0;
	SHA256Init(&d->sha);
}

void
digest_put_snapshot(struct digest *d, ps_t now)
{
	if (gather_sends(d->gather))
		return;
	put_text(d, SNAPSHOT_FORMAT);
	put_number(d, now);
}

void
digest_put_run(struct digest *d, const struct report_result *r)
{
	if (gather_sends(d->gather))
		return;
	put_text(d, FORMAT);
	put_number(d, r->now);
	put_number(d, r->last_event);
	put_number(d, r->cnps);
	put_number(d, r->out_of_order);
	put_number(d, r->flow_count);
	for (uint32_t i = 0; i < r->flow_count; i++)
		put_flow(d, &r->flows[i]);
	put_number(d, r->collective_count);
	for (uint32_t i = 0; i < r->collective_count; i++)
		put_collective(d, &r->collectives[i]);
	put_number(d, r->node_count);
}

void
digest_put_lists(struct digest *d, const struct report_result *r)
{
	put_document(d, r->snapshots);
	put_document(d, r->log);
	put_number(d, r->log_lost);
}

void
digest_end(struct digest *d, char digest[static RESULT_DIGEST_MAX])
{
	digest_flush(d);
	SHA256End(&d->sha, digest);
}
