// SPDX-License-Identifier: BSD-3-Clause
// A flow is what one address sends to one queue pair of the host. It has two circles of PSNs, each
// a flow here: requests (WRITE, SEND, READ requests, atomics), numbered by their sender, and
// responses to the host's own requests, which carry the numbers of these. What has no such order
// passes at once: acknowledgements that no READ response precedes, NAKs, CNPs, UD, what was trimmed,
// fragments, and what is not RoCEv2.
//
// Flows are learned from packets, in a table of buckets. A new flow in a full bucket takes the place
// of the one that has been idle for longest. The first packet of a flow passes, and the next PSN is
// the expected one. A packet ahead of it is held, in a list sorted by PSN. When the expected packet
// comes, it passes together with those behind it that are now in order.
//
// Nothing is lost here. If the expected packet has not come when the timeout is over since it became
// the first that is missing, or if there is no room to hold another, the held packets pass in order,
// and the flow goes on behind them. For a host that goes back N they are worth only this: it learns
// that something is missing and asks for it. Then its peer sends everything again from there on,
// over the same paths, so from there on order counts again. The flow remembers the first PSN that it
// has skipped, its hole: a packet from there on makes that PSN the expected one. Where no hole is
// known but the host has been given packets out of order, a packet from before the expected one
// shows that the peer has gone back (after its own timeout), but not where to: the first to come
// need not be the first that was sent. Such packets are held until the timeout is over, and then
// pass in order. Any other packet from before the expected one is a duplicate, and passes at once.
//
// Three PSNs are not simply one more than the last. Behind a READ request the next PSN depends on
// the number of its responses, so on the path MTU, which the flow learns from data packets, or from
// which of the five path MTUs explains the next PSN. Between two READs lie the PSNs of WRITEs and
// SENDs, whose acknowledgements are coalesced: once a plain acknowledgement was seen, a response that
// begins a message may follow any other's end. A queue pair that starts anew has a PSN that is far
// from the expected one: then the flow starts anew as well.
#include "reorder.h"

#include "reorder_order.h"
#include "dataplane/base/random.h"
#include "dataplane/base/roce_headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 128u // a power of two
#define WAYS 8u
#define NONE UINT32_MAX

// A PSN further from the expected one is that of a queue pair that has begun anew.
#define SPAN_MAX (1 << 20)
// How far the first packet that comes may be from where the peer has gone back to.
#define BACK_MAX 4096

// Whether the peer has gone back, and where to.
enum back { BACK_NOT, BACK_TO_HOLE, BACK_SOMEWHERE };

struct held {
	struct rte_mbuf *m;
	struct reorder_order order;
	uint32_t before, behind; // of the flow's
};

struct flow {
	struct reorder_key key; // qp 0: no flow
	uint32_t expected;
	uint32_t first;                // the first PSN that came, while is_young
	uint32_t hole;                 // the first PSN that was skipped, while has_hole
	uint32_t read_psn, read_bytes; // of the last packet, if it was a READ request
	uint32_t head, tail;           // of what is held, by PSN; NONE
	uint32_t before, behind;       // of the flows that hold packets
	uint16_t path_mtu;             // 0: not known
	uint32_t doubtful;             // the last hole that was missing again, while has_doubtful
	bool has_hole, has_doubtful, is_young;
	bool strayed;    // the host wants a PSN before the expected one
	enum back back;  // and the expected PSN has not come yet
	bool after_read; // the last packet was a READ request
	bool inside;     // the last response has another behind it
	bool coalesces;  // acknowledgements stand between responses
	ps_t since;      // of the first that is missing, while packets are held
	ps_t used_at;
};

struct reorder {
	struct reorder_counters counters;
	ps_t timeout;
	uint32_t free;        // the first entry that holds nothing
	uint32_t first, last; // flows that hold packets, by `since`
	struct flow flows[BUCKETS * WAYS];
	struct held held[];
};

// Packets that may go on.
struct chain {
	struct rte_mbuf *head, *tail;
};

int
reorder_create(struct reorder **out, uint32_t packets, ps_t timeout)
{
	struct reorder *r;

	if (packets == 0 || packets > REORDER_PACKETS_MAX || timeout == 0)
		return -EINVAL;
	r = calloc(1, sizeof(*r) + packets * sizeof(*r->held));
	if (r == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < packets; i++)
		r->held[i].behind = i + 1 < packets ? i + 1 : NONE;
	r->timeout = timeout;
	r->first = r->last = NONE;
	*out = r;
	return 0;
}

void
reorder_destroy(struct reorder *r)
{
	free(r);
}

const struct reorder_counters *
reorder_counters(const struct reorder *r)
{
	return &r->counters;
}

ps_t
reorder_next(const struct reorder *r)
{
	return r->first == NONE ? PS_NEVER : r->flows[r->first].since + r->timeout;
}

// ---- lists --------------------------------------------------------------------------------------

static void
pass(struct chain *chain, struct rte_mbuf *m)
{
	packet_meta(m)->next = NULL;
	if (chain->head == NULL)
		chain->head = m;
	else
		packet_meta(chain->tail)->next = m;
	chain->tail = m;
}

// With the packet that it has now, the flow begins to wait for one that is missing, or for another.
static void
wait_anew(struct reorder *r, struct flow *f)
{
	uint32_t index = (uint32_t)(f - r->flows);

	f->since = f->used_at;
	f->before = r->last;
	f->behind = NONE;
	if (r->last == NONE)
		r->first = index;
	else
		r->flows[r->last].behind = index;
	r->last = index;
}

static void
wait_no_more(struct reorder *r, struct flow *f)
{
	if (f->before == NONE)
		r->first = f->behind;
	else
		r->flows[f->before].behind = f->behind;
	if (f->behind == NONE)
		r->last = f->before;
	else
		r->flows[f->behind].before = f->before;
}

// Holds a packet at its place. Duplicates stand behind each other.
static void
hold(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o)
{
	const uint32_t index = r->free;
	struct held *h = &r->held[index];
	uint32_t behind = NONE, before = f->tail;

	r->free = h->behind;
	if (f->head == NONE)
		wait_anew(r, f);
	while (before != NONE && psn_diff(r->held[before].order.psn, o->psn) > 0) {
		behind = before;
		before = r->held[before].before;
	}
	*h = (struct held){.m = m, .order = *o, .before = before, .behind = behind};
	if (before == NONE)
		f->head = index;
	else
		r->held[before].behind = index;
	if (behind == NONE)
		f->tail = index;
	else
		r->held[behind].before = index;
	r->counters.held++;
	r->counters.waiting++;
}

// The first packet that the flow holds; it holds it no longer.
static struct rte_mbuf *
take_first(struct reorder *r, struct flow *f)
{
	const uint32_t index = f->head;
	struct held *h = &r->held[index];

	f->head = h->behind;
	if (f->head == NONE)
		f->tail = NONE;
	else
		r->held[f->head].before = NONE;
	h->behind = r->free;
	r->free = index;
	r->counters.waiting--;
	return h->m;
}

// ---- the order of a flow ------------------------------------------------------------------------

static bool
is_near(uint32_t psn, uint32_t other)
{
	int32_t distance = psn_diff(psn, other);

	return distance <= SPAN_MAX && distance >= -SPAN_MAX;
}

static uint32_t
responses(uint32_t bytes, uint32_t path_mtu)
{
	return bytes == 0 ? 1 : (uint32_t)(((uint64_t)bytes + path_mtu - 1) / path_mtu);
}

// Whether a PSN may follow the READ request that was last. Learns the path MTU from it, unless
// several explain it.
static bool
follows_read(struct flow *f, uint32_t psn)
{
	uint32_t found = 0, count = 0;

	for (uint32_t mtu = 256; mtu <= 4096; mtu *= 2) {
		if (psn_add(f->read_psn, (int32_t)responses(f->read_bytes, mtu)) == psn) {
			found = mtu;
			count++;
		}
	}
	if (count == 1)
		f->path_mtu = (uint16_t)found;
	return count != 0;
}

// Whether the packet may pass now.
static bool
is_next(struct flow *f, const struct reorder_order *o)
{
	if (o->psn == f->expected)
		return true;
	if (f->read_bytes != 0)
		return follows_read(f, o->psn);
	return o->kind == REORDER_RESPONSE && o->begins && f->coalesces && !f->inside;
}

// The packet passes, and with it the expected PSN moves on.
static void
advance(struct flow *f, const struct reorder_order *o)
{
	f->expected = psn_add(o->psn, 1);
	f->inside = o->continues;
	if (o->payload != 0)
		f->path_mtu = o->payload;
	f->read_bytes = 0;
	f->after_read = o->read_bytes != 0;
	if (o->read_bytes != 0 && f->path_mtu != 0) {
		f->expected = psn_add(o->psn, (int32_t)responses(o->read_bytes, f->path_mtu));
	} else if (o->read_bytes != 0) {
		f->read_psn = o->psn;
		f->read_bytes = o->read_bytes;
	}
	f->back = BACK_NOT;
	f->is_young = f->is_young && is_near(f->expected, f->first);
	f->has_hole = f->has_hole && is_near(f->expected, f->hole);
	f->has_doubtful = f->has_doubtful && is_near(f->expected, f->doubtful);
}

// Passes held packets that are in order now, or before; the flow waits for what is missing then.
static void
pass_held(struct reorder *r, struct flow *f, struct chain *chain)
{
	if (f->head == NONE)
		return;
	while (f->head != NONE) {
		const struct reorder_order *o = &r->held[f->head].order;
		bool old = psn_diff(o->psn, f->expected) < 0;

		if (!old && !is_next(f, o))
			break;
		if (!old)
			advance(f, o);
		pass(chain, take_first(r, f));
		r->counters.released++;
	}
	wait_no_more(r, f);
	if (f->head != NONE)
		wait_anew(r, f);
}

// Passes a packet, whether or not one before it is missing.
static void
pass_over(struct flow *f, struct rte_mbuf *m, const struct reorder_order *o, struct chain *chain)
{
	pass(chain, m);
	if (psn_diff(o->psn, f->expected) < 0)
		return; // a duplicate
	if (!is_next(f, o)) {
		// Missing for the second time, it may never have been there: its PSN was one of a
		// READ's.
		if (f->back != BACK_NOT || f->after_read)
			f->path_mtu = 0;
		if (f->back == BACK_TO_HOLE) {
			f->doubtful = f->expected;
			f->has_doubtful = true;
		} else if (f->back == BACK_NOT && !f->has_hole) {
			f->hole = f->expected;
			f->has_hole = true;
		}
		// What the peer sends again from somewhere on begins with what the host wants.
		f->strayed = f->back != BACK_SOMEWHERE;
	}
	advance(f, o);
}

// Goes on without what is missing: all that is held passes, and in its place among them a packet
// that is not (NULL: none).
static void
skip(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o,
     struct chain *chain)
{
	bool waits = f->head != NONE;

	while (f->head != NONE) {
		const struct reorder_order *first = &r->held[f->head].order;

		if (m != NULL && psn_diff(first->psn, o->psn) > 0) {
			pass_over(f, m, o, chain);
			m = NULL;
		}
		pass_over(f, take_first(r, f), first, chain);
	}
	if (m != NULL)
		pass_over(f, m, o, chain);
	if (waits)
		wait_no_more(r, f);
}

// ---- the table ----------------------------------------------------------------------------------

static struct flow *
bucket_of(struct reorder *r, const struct reorder_key *key)
{
	uint64_t words[2];

	memcpy(words, key->source, sizeof(words));
	return &r->flows[(random_mix(words[0] ^ random_mix(words[1] ^ random_mix(key->qp))) &
			  (BUCKETS - 1)) *
			 WAYS];
}

static struct flow *
find(struct reorder *r, const struct reorder_key *key)
{
	struct flow *bucket = bucket_of(r, key);

	for (uint32_t i = 0; i < WAYS; i++)
		if (bucket[i].key.qp == key->qp &&
		    memcmp(bucket[i].key.source, key->source, sizeof(key->source)) == 0)
			return &bucket[i];
	return NULL;
}

// A place for a new flow: empty, or of the one that has been idle for longest. If all hold packets,
// those of that one pass.
static struct flow *
make(struct reorder *r, const struct reorder_key *key, const struct reorder_order *o,
     struct chain *chain)
{
	struct flow *bucket = bucket_of(r, key), *oldest = bucket;

	for (uint32_t i = 0; i < WAYS && oldest->key.qp != 0; i++) {
		struct flow *f = &bucket[i];
		bool holds = f->head != NONE, oldest_holds = oldest->head != NONE;

		if (f->key.qp == 0 || (!holds && oldest_holds) ||
		    (holds == oldest_holds && f->used_at < oldest->used_at))
			oldest = f;
	}
	if (oldest->key.qp != 0 && oldest->head != NONE) {
		r->counters.overflows++;
		skip(r, oldest, NULL, NULL, chain);
	}
	*oldest = (struct flow){
		.key = *key,
		.expected = o->psn,
		.first = o->psn,
		.is_young = true,
		.head = NONE,
		.tail = NONE,
	};
	return oldest;
}

// ---- packets ------------------------------------------------------------------------------------

// A packet from before the expected one. Returns false if it is a duplicate.
static bool
go_back(struct reorder *r, struct flow *f, uint32_t psn)
{
	if (f->has_doubtful && psn == f->doubtful) {
		f->expected = psn;
		f->back = BACK_NOT;
	} else if (f->has_hole && psn_diff(psn, f->hole) >= 0) {
		f->expected = f->hole;
		f->back = BACK_TO_HOLE;
	} else if (f->strayed) {
		f->expected = psn_add(psn, -BACK_MAX);
		f->back = BACK_SOMEWHERE;
	} else if (f->is_young && psn_diff(psn, f->first) < 0) {
		f->expected = f->first = psn;
		f->back = BACK_NOT;
	} else {
		return false;
	}
	f->has_hole = f->has_doubtful = f->strayed = f->inside = false;
	f->read_bytes = 0;
	if (f->head != NONE) {
		wait_no_more(r, f);
		wait_anew(r, f);
	}
	return true;
}

// The queue pair has begun anew, as far as its PSNs tell.
static void
begin_anew(struct reorder *r, struct flow *f, uint32_t psn, struct chain *chain)
{
	skip(r, f, NULL, NULL, chain);
	f->expected = f->first = psn;
	f->is_young = true;
	f->has_hole = f->has_doubtful = f->strayed = f->inside = false;
	f->back = BACK_NOT;
	f->read_bytes = 0;
}

static void
take_in_flow(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o,
	     bool has_room, struct chain *chain)
{
	int32_t distance = psn_diff(o->psn, f->expected);

	if (!is_near(o->psn, f->expected)) {
		begin_anew(r, f, o->psn, chain);
	} else if (distance < 0 && (o->ack || !go_back(r, f, o->psn))) {
		pass(chain, m);
		return;
	}
	if (is_next(f, o)) {
		advance(f, o);
		pass(chain, m);
		pass_held(r, f, chain);
	} else if (has_room && r->free != NONE) {
		hold(r, f, m, o);
	} else {
		r->counters.overflows++;
		skip(r, f, m, o, chain);
	}
}

struct rte_mbuf *
reorder_take(struct reorder *r, struct rte_mbuf *m, bool has_room, ps_t now)
{
	struct chain chain = {NULL, NULL};
	struct reorder_key key;
	struct flow *f = NULL;
	struct reorder_order o = reorder_read(m, &key);

	if (o.kind != REORDER_NONE)
		f = find(r, &key);
	// Acknowledgements alone need no order, so they make no flow.
	if (f == NULL && (o.kind == REORDER_NONE || o.ack)) {
		pass(&chain, m);
		return chain.head;
	}
	if (f == NULL)
		f = make(r, &key, &o, &chain);
	f->used_at = now;
	f->coalesces |= o.ack;
	take_in_flow(r, f, m, &o, has_room, &chain);
	return chain.head;
}

struct rte_mbuf *
reorder_expire(struct reorder *r, ps_t now)
{
	struct chain chain = {NULL, NULL};

	while (reorder_next(r) <= now) {
		r->counters.timeouts++;
		skip(r, &r->flows[r->first], NULL, NULL, &chain);
	}
	return chain.head;
}
