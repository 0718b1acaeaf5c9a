// SPDX-License-Identifier: BSD-3-Clause
// The digest of a run: SHA-256 over the results themselves in a fixed order, not over a text that
// would have to be made of them first. Numbers are 8 bytes, the lowest first; texts follow their
// length. Counters that say that nothing happened are left out, so a counter that is added to the
// program changes no digest as long as it stays at zero. What a result derives from others (link
// loads, percentiles) is not part of it.
#include "result.h"

#include <sha2.h>
#include <string.h>

#define FORMAT "roost digest 2"
#define NO_TEXT UINT64_MAX

struct digest {
	SHA2_CTX sha;
	const char *port; // of the last counter
	size_t used;
	uint8_t bytes[8192]; // not yet in `sha`
};

static void
put(struct digest *d, const void *bytes, size_t length)
{
	if (d->used + length > sizeof(d->bytes)) {
		SHA256Update(&d->sha, d->bytes, d->used);
		d->used = 0;
	}
	if (length > sizeof(d->bytes)) {
		SHA256Update(&d->sha, bytes, length);
		return;
	}
	memcpy(&d->bytes[d->used], bytes, length);
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

static void
put_counter(void *context, const struct counter_value *value)
{
	struct digest *d = context;

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

static void
put_node(struct digest *d, const struct report_node *n, ps_t now)
{
	put_text(d, n->name);
	for (unsigned int i = 0; i < n->node->port_count; i++) {
		put_text(d, n->ports[i].peer);
		put_number(d, n->ports[i].rate_bps);
	}
	d->port = NULL;
	counters_walk(n, now, put_counter, d);
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
result_digest(const struct report_result *r, char digest[static RESULT_DIGEST_MAX])
{
	struct digest d = {.used = 0};

	SHA256Init(&d.sha);
	put_text(&d, FORMAT);
	put_number(&d, r->now);
	put_number(&d, r->last_event);
	put_number(&d, r->cnps);
	put_number(&d, r->out_of_order);
	put_number(&d, r->flow_count);
	for (uint32_t i = 0; i < r->flow_count; i++)
		put_flow(&d, &r->flows[i]);
	put_number(&d, r->collective_count);
	for (uint32_t i = 0; i < r->collective_count; i++)
		put_collective(&d, &r->collectives[i]);
	put_number(&d, r->node_count);
	for (uint32_t i = 0; i < r->node_count; i++)
		put_node(&d, &r->nodes[i], r->now);
	put_document(&d, r->snapshots);
	put_document(&d, r->log);
	put_number(&d, r->log_lost);
	SHA256Update(&d.sha, d.bytes, d.used);
	SHA256End(&d.sha, digest);
}
