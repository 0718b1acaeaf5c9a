// SPDX-License-Identifier: BSD-3-Clause
// One hub serves all captures of a fabric. A node of which anything is captured has a tap
// (dataplane/node/capture_tap.h), and each worker that runs such nodes has one ring, into which its
// taps copy packets. The hub empties the rings a few hundred times a second, sorts what it finds by
// time, and passes each packet on to the captures that want it. So a packet is copied once, however
// many captures there are, and a node of which nothing is captured has no tap.
//
// What is captured changes between two turns of a worker (live_call()): then its ring's position
// and the taps' counts belong to one instant, from which on a capture takes packets, or up to
// which. So packets of a capture and those that it lost add up to what its ports counted meanwhile.
//
// Records wait until no worker can make an earlier one: up to the instant that all have published.
// A worker that hangs may hold up the others' records, but only until too many wait.
#include "capture_hub.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES_MAX (64u << 20)

// A node of the fabric, by index.
struct hub_node {
	struct node *node; // that has the tap; not to be looked at, it may be gone
	struct capture_tap *tap;
	uint8_t *wants;                // what the tap is to want, by port
	uint32_t *snaplens;            // the same
	struct capture_count *noted;   // of the tap at the last change, by port
	struct capture_count *carried; // of taps of nodes that stood here before, by port
	uint16_t ports;                // the most that a node here may have
};

// A record that waits for its time.
struct kept {
	ps_t at;
	uint64_t order;
	size_t offset;     // of its slot in the bytes that are kept
	uint32_t captures; // bit per capture that takes it
};

struct capture {
	struct capture_hub *hub;
	struct capture_want want;
	struct topo_ref *ports; // a copy
	uint16_t *places;       // by port of the fabric: 1 + its place; NULL: all are captured
	struct capture_total *totals;    // at the beginning, then of the time between; as `places`
	uint64_t from[LIVE_WORKERS_MAX]; // positions in the rings
	uint64_t to[LIVE_WORKERS_MAX];
	bool ending;
};

struct capture_hub {
	struct live_fabric *live;
	struct capture *captures[CAPTURES_MAX];
	unsigned int count;
	struct hub_node *nodes;
	uint32_t *first; // by node: where its ports begin among those of the fabric
	uint32_t port_count;
	struct capture_ring *rings[LIVE_WORKERS_MAX];
	uint64_t positions[LIVE_WORKERS_MAX]; // at the last change
	struct kept *kept;
	size_t kept_count, kept_room;
	uint8_t *bytes;
	size_t bytes_count, bytes_room;
	uint64_t order;
};

struct capture_hub *
capture_hub_create(struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct capture_hub *hub = memory_new(sizeof(*hub), "captures");

	hub->live = live;
	hub->nodes = memory_array(t->node_count, sizeof(*hub->nodes), "nodes");
	hub->first = memory_array(t->node_count + 1, sizeof(*hub->first), "nodes");
	for (uint32_t i = 0; i < t->node_count; i++) {
		// An edge NIC has a port to the host behind each link.
		hub->nodes[i].ports =
			(uint16_t)(t->nodes[i].port_count * (i < t->first_host ? 1 : 2));
		hub->first[i + 1] = hub->first[i] + hub->nodes[i].ports;
	}
	hub->port_count = hub->first[t->node_count];
	return hub;
}

struct live_fabric *
capture_hub_fabric(const struct capture_hub *hub)
{
	return hub->live;
}

// ---- what taps want -----------------------------------------------------------------------------

static unsigned int
wants_of(const struct capture_want *w)
{
	unsigned int wants = w->which & CAPTURE_WHICH_DROPS ? CAPTURE_WANTS_DROPS : 0;

	if (w->match != NULL)
		return CAPTURE_WANTS_MATCHING;
	if (w->which & (CAPTURE_WHICH_RX | CAPTURE_WHICH_TX))
		wants |= CAPTURE_WANTS_ALL;
	return wants;
}

// Puts into nodes[].wants what all captures want that are not about to end.
static void
collect_wants(struct capture_hub *hub)
{
	for (uint32_t i = 0; i < hub->live->topology->node_count; i++)
		if (hub->nodes[i].wants != NULL) {
			memset(hub->nodes[i].wants, 0, hub->nodes[i].ports);
			memset(hub->nodes[i].snaplens, 0,
			       hub->nodes[i].ports * sizeof(*hub->nodes[i].snaplens));
		}
	for (unsigned int c = 0; c < hub->count; c++) {
		const struct capture *capture = hub->captures[c];
		const uint8_t wants = (uint8_t)wants_of(&capture->want);

		if (capture->ending)
			continue;
		for (uint32_t i = 0; i < hub->live->topology->node_count; i++) {
			struct hub_node *n = &hub->nodes[i];

			for (uint16_t p = 0; p < n->ports; p++) {
				if (capture->places != NULL &&
				    capture->places[hub->first[i] + p] == 0)
					continue;
				if (n->wants == NULL) {
					n->wants = memory_array(n->ports, 1, "ports");
					n->snaplens = memory_array(n->ports, sizeof(*n->snaplens),
								   "ports");
				}
				n->wants[p] |= wants;
				if (capture->want.snaplen > n->snaplens[p])
					n->snaplens[p] = capture->want.snaplen;
			}
		}
	}
}

static bool
is_wanted(const struct hub_node *n)
{
	for (uint16_t p = 0; n->wants != NULL && p < n->ports; p++)
		if (n->wants[p] != 0)
			return true;
	return false;
}

// Keeps what a tap has counted, whose node has left.
static void
carry_counts(struct hub_node *n)
{
	if (n->carried == NULL)
		n->carried = memory_array(n->ports, sizeof(*n->carried), "ports");
	for (uint16_t p = 0; p < n->tap->port_count; p++)
		for (unsigned int kind = 0; kind < CAPTURE_KINDS; kind++) {
			n->carried[p].seen[kind] += n->tap->counts[p].seen[kind];
			n->carried[p].lost[kind] += n->tap->counts[p].lost[kind];
		}
}

static uint32_t
ring_bytes(const struct capture_hub *hub)
{
	const uint32_t bytes = (uint32_t)hub->live->config->live.capture_memory_bytes;

	return UINT32_C(1) << (31 - __builtin_clz(bytes));
}

// Makes the taps and rings that are wanted and not there. A tap that another node had goes to
// *stale: its node may still have it.
static void
make_taps(struct capture_hub *hub, struct capture_tap **stale)
{
	for (uint32_t i = 0; i < hub->live->topology->node_count; i++) {
		struct capture_ring **ring = &hub->rings[hub->live->workers[i]];
		struct node *node = hub->live->fabric->nodes[i];
		struct hub_node *n = &hub->nodes[i];

		if (n->tap != NULL && n->node != node) {
			carry_counts(n);
			stale[i] = n->tap;
			n->tap = NULL;
		}
		n->node = node;
		if (node == NULL || n->tap != NULL || !is_wanted(n))
			continue;
		if (*ring == NULL && capture_ring_create(ring, ring_bytes(hub)) != 0)
			memory_exhausted(1, ring_bytes(hub), "captured packets");
		if (capture_tap_create(&n->tap, *ring, node->port_count) != 0)
			memory_exhausted(node->port_count, sizeof(struct capture_count), "ports");
		free(n->noted);
		n->noted = memory_array(n->ports, sizeof(*n->noted), "ports");
	}
}

// Of the captures that are not about to end, one may have a function.
static void
set_match(const struct capture_hub *hub, struct capture_tap *t)
{
	t->match = NULL;
	for (unsigned int c = 0; c < hub->count; c++) {
		const struct capture_want *w = &hub->captures[c]->want;

		if (hub->captures[c]->ending)
			continue;
		if (w->match != NULL) {
			t->match = w->match;
			t->match_context = w->match_context;
		}
	}
}

// On the worker.
static void
apply_node(void *context, struct node *node, ps_t now)
{
	struct capture_hub *hub = context;
	struct hub_node *n = &hub->nodes[node->index];
	const uint32_t worker = hub->live->workers[node->index];

	(void)now;
	if (n->node != node || n->tap == NULL) {
		if (node->tap != NULL)
			capture_tap_apply(node, NULL);
		return;
	}
	memcpy(n->tap->wants, n->wants, n->tap->port_count);
	memcpy(n->tap->snaplens, n->snaplens, n->tap->port_count * sizeof(*n->snaplens));
	set_match(hub, n->tap);
	capture_tap_apply(node, n->tap);
	memcpy(n->noted, n->tap->counts, n->tap->port_count * sizeof(*n->noted));
	hub->positions[worker] = n->tap->ring->write;
}

// Has all workers capture what is wanted now.
static void
apply(struct capture_hub *hub)
{
	const uint32_t count = hub->live->topology->node_count;
	struct capture_tap **stale = memory_array(count, sizeof(struct capture_tap *), "nodes");

	collect_wants(hub);
	make_taps(hub, stale);
	live_call(&hub->live->drive, apply_node, hub);
	for (uint32_t i = 0; i < count; i++)
		capture_tap_destroy(stale[i]);
	free(stale);
}

// ---- totals -------------------------------------------------------------------------------------

static void
add_count(const struct capture *c, const struct capture_count *count, struct capture_total *to)
{
	static const struct {
		enum capture_which which;
		enum capture_kind kind;
	} kinds[] = {{CAPTURE_WHICH_RX, CAPTURE_RECEIVED},
		     {CAPTURE_WHICH_TX, CAPTURE_SENT},
		     {CAPTURE_WHICH_DROPS, CAPTURE_DROPPED}};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!(c->want.which & kinds[i].which))
			continue;
		to->seen += count->seen[kinds[i].kind];
		to->lost += count->lost[kinds[i].kind];
	}
}

static struct capture_total
count_port(const struct capture *c, uint32_t node, uint16_t port)
{
	const struct hub_node *n = &c->hub->nodes[node];
	struct capture_total total = {0};

	if (n->carried != NULL)
		add_count(c, &n->carried[port], &total);
	if (n->tap != NULL && port < n->tap->port_count)
		add_count(c, &n->noted[port], &total);
	return total;
}

// Subtracts what totals were from what they are.
static void
update_totals(struct capture *c)
{
	const struct capture_hub *hub = c->hub;

	for (uint32_t i = 0; i < hub->live->topology->node_count; i++)
		for (uint16_t p = 0; p < hub->nodes[i].ports; p++) {
			struct capture_total now = count_port(c, i, p);
			struct capture_total *total = &c->totals[hub->first[i] + p];

			total->seen = now.seen - total->seen;
			total->lost = now.lost - total->lost;
		}
}

struct capture_total
capture_total_at(const struct capture *c, struct topo_ref port)
{
	return c->totals[c->hub->first[port.node] + port.port];
}

struct capture_total
capture_total(const struct capture *c, uint32_t place)
{
	return capture_total_at(c, c->ports[place]);
}

struct capture_total
capture_total_all(const struct capture *c)
{
	struct capture_total all = {0};

	for (uint32_t i = 0; i < c->hub->port_count; i++) {
		if (c->places != NULL && c->places[i] == 0)
			continue;
		all.seen += c->totals[i].seen;
		all.lost += c->totals[i].lost;
	}
	return all;
}

// ---- from rings to captures ---------------------------------------------------------------------

static bool
find_place(const struct capture *c, uint32_t node, uint16_t port, uint32_t *place)
{
	uint16_t found;

	if (port >= c->hub->nodes[node].ports)
		return false;
	if (c->places == NULL) {
		*place = 0;
		return true;
	}
	found = c->places[c->hub->first[node] + port];
	*place = found - 1u;
	return found != 0;
}

// Whether a capture takes a record, and as what.
static bool
wants_slot(const struct capture *c, const struct capture_slot *s, struct captured *out)
{
	const unsigned int which = c->want.which;
	const bool is_drop = s->reason != CAPTURE_NO_REASON;

	out->kind = (enum capture_kind)s->kind;
	out->port = (struct topo_ref){.node = s->node, .port = s->port};
	if (find_place(c, s->node, s->port, &out->place)) {
		if (s->kind == CAPTURE_SENT)
			return which & CAPTURE_WHICH_TX;
		if (which & CAPTURE_WHICH_RX)
			return true;
		out->kind = is_drop ? CAPTURE_DROPPED : CAPTURE_RECEIVED;
		if (is_drop && which & CAPTURE_WHICH_DROPS)
			return true;
	}
	if (!is_drop || !s->placed || !(which & CAPTURE_WHICH_TX) ||
	    !find_place(c, s->node, s->out_port, &out->place))
		return false;
	out->kind = CAPTURE_DROPPED;
	return true;
}

// The captures that take a record of a worker's ring, a bit each.
static uint32_t
find_takers(const struct capture_hub *hub, const struct capture_slot *s, uint32_t worker,
	    uint64_t position)
{
	struct captured ignored;
	uint32_t takers = 0;

	for (unsigned int i = 0; i < hub->count; i++) {
		const struct capture *c = hub->captures[i];

		if (position >= c->from[worker] && position < c->to[worker] &&
		    (s->matched || c->want.match == NULL) && wants_slot(c, s, &ignored))
			takers |= 1u << i;
	}
	return takers;
}

static void
keep(struct capture_hub *hub, const struct capture_slot *s, uint32_t takers)
{
	if (hub->kept_count == hub->kept_room) {
		hub->kept_room = hub->kept_room != 0 ? 2 * hub->kept_room : 1024;
		hub->kept = memory_resize(hub->kept, hub->kept_room, sizeof(*hub->kept),
					  "captured packets");
	}
	if (hub->bytes_count + s->bytes > hub->bytes_room) {
		hub->bytes_room = 2 * (hub->bytes_count + s->bytes);
		hub->bytes =
			memory_resize(hub->bytes, hub->bytes_room, 1, "bytes of captured packets");
	}
	memcpy(hub->bytes + hub->bytes_count, s, s->bytes);
	hub->kept[hub->kept_count++] = (struct kept){
		.at = s->at, .order = hub->order++, .offset = hub->bytes_count, .captures = takers};
	hub->bytes_count += s->bytes;
}

// Returns the instant before which nothing can follow.
static ps_t
drain(struct capture_hub *hub)
{
	ps_t horizon = PS_NEVER;

	for (uint32_t w = 0; w < hub->live->worker_count; w++)
		if (hub->rings[w] != NULL)
			horizon = time_min(horizon,
					   __atomic_load_n(&hub->live->drive.workers[w].published,
							   __ATOMIC_ACQUIRE));
	for (uint32_t w = 0; w < hub->live->worker_count; w++) {
		const struct capture_slot *s;
		uint64_t position, end;

		if (hub->rings[w] == NULL)
			continue;
		// A worker may be as fast as this thread: what it adds now is for the next poll.
		end = capture_ring_end(hub->rings[w]);
		while ((s = capture_ring_peek(hub->rings[w], &position)) != NULL &&
		       position < end) {
			uint32_t takers = find_takers(hub, s, w, position);

			if (takers != 0)
				keep(hub, s, takers);
			capture_ring_release(hub->rings[w]);
		}
	}
	return hub->bytes_count <= KEPT_BYTES_MAX ? horizon : PS_NEVER;
}

static int
compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
deliver_to(const struct capture *c, const struct capture_slot *s)
{
	struct captured packet = {
		.at = s->at,
		.reason = s->reason != CAPTURE_NO_REASON ? s->reason : -1,
		.out_port = s->placed ? s->out_port : -1,
		.priority = s->priority,
		.tc = s->tc,
		.depth_bytes = s->depth_bytes,
		.wire_bytes = s->wire_bytes,
		.data_len = s->data_len < c->want.snaplen ? s->data_len : c->want.snaplen,
		.data = s->data,
	};

	if (wants_slot(c, s, &packet))
		c->want.take(c->want.context, &packet);
}

// Moves what remains to the front.
static void
compact(struct capture_hub *hub)
{
	size_t count = 0, bytes = 0;
	uint8_t *remain = NULL;

	for (size_t i = 0; i < hub->kept_count; i++)
		if (hub->kept[i].captures != 0)
			hub->kept[count++] = hub->kept[i];
	hub->kept_count = count;
	for (size_t i = 0; i < count; i++)
		bytes += ((struct capture_slot *)(void *)(hub->bytes + hub->kept[i].offset))->bytes;
	if (count != 0)
		remain = memory_array(bytes, 1, "bytes of captured packets");
	bytes = 0;
	for (size_t i = 0; i < count; i++) {
		const struct capture_slot *s = (void *)(hub->bytes + hub->kept[i].offset);

		memcpy(remain + bytes, s, s->bytes);
		hub->kept[i].offset = bytes;
		bytes += s->bytes;
	}
	free(hub->bytes);
	hub->bytes = remain;
	hub->bytes_count = hub->bytes_room = bytes;
}

// Passes on what some captures (a bit each) take before `horizon`.
static void
deliver(struct capture_hub *hub, uint32_t captures, ps_t horizon)
{
	if (hub->kept_count == 0)
		return;
	qsort(hub->kept, hub->kept_count, sizeof(*hub->kept), compare_kept);
	for (size_t i = 0; i < hub->kept_count && hub->kept[i].at < horizon; i++) {
		struct kept *k = &hub->kept[i];
		const struct capture_slot *s = (void *)(hub->bytes + k->offset);

		for (unsigned int c = 0; c < hub->count; c++)
			if (k->captures & captures & 1u << c)
				deliver_to(hub->captures[c], s);
		k->captures &= ~captures;
	}
	compact(hub);
}

// Nodes that stand for a host since the last change get their taps.
static void
follow_nodes(struct capture_hub *hub)
{
	for (uint32_t i = 0; i < hub->live->topology->node_count; i++) {
		const struct hub_node *n = &hub->nodes[i];

		if (n->node != hub->live->fabric->nodes[i] && is_wanted(n)) {
			apply(hub);
			return;
		}
	}
}

void
capture_hub_poll(struct capture_hub *hub)
{
	if (hub->count == 0)
		return;
	follow_nodes(hub);
	deliver(hub, UINT32_MAX, drain(hub));
}

int
capture_hub_wait_ms(const struct capture_hub *hub, int wait_ms)
{
	return hub->count != 0 && (wait_ms < 0 || wait_ms > CAPTURE_POLL_MS) ? CAPTURE_POLL_MS
									     : wait_ms;
}

// ---- captures -----------------------------------------------------------------------------------

int
capture_hub_begin(struct capture_hub *hub, const struct capture_want *want, struct capture **out)
{
	struct capture *c;

	*out = NULL;
	for (unsigned int i = 0; i < hub->count; i++)
		if (hub->captures[i]->want.match != NULL && want->match != NULL)
			return -EBUSY;
	if (hub->count == CAPTURES_MAX)
		return -EBUSY;
	c = memory_new(sizeof(*c), "a capture");
	*c = (struct capture){.hub = hub, .want = *want};
	c->totals = memory_array(hub->port_count, sizeof(*c->totals), "ports");
	if (want->ports != NULL) {
		c->ports = memory_copy(want->ports, want->count, sizeof(*c->ports), "ports");
		c->places = memory_array(hub->port_count, sizeof(*c->places), "ports");
	}
	for (uint32_t i = 0; want->ports != NULL && i < want->count; i++)
		c->places[hub->first[c->ports[i].node] + c->ports[i].port] = (uint16_t)(i + 1);
	hub->captures[hub->count++] = c;
	apply(hub);
	update_totals(c);
	memcpy(c->from, hub->positions, sizeof(c->from));
	memset(c->to, 0xff, sizeof(c->to));
	*out = c;
	return 0;
}

static void
free_taps(struct capture_hub *hub)
{
	for (uint32_t i = 0; i < hub->live->topology->node_count; i++) {
		struct hub_node *n = &hub->nodes[i];

		capture_tap_destroy(n->tap);
		free(n->wants);
		free(n->snaplens);
		free(n->noted);
		free(n->carried);
		*n = (struct hub_node){.ports = n->ports};
	}
	for (uint32_t w = 0; w < LIVE_WORKERS_MAX; w++) {
		capture_ring_destroy(hub->rings[w]);
		hub->rings[w] = NULL;
		hub->positions[w] = 0;
	}
}

void
capture_hub_end(struct capture_hub *hub, struct capture *c)
{
	unsigned int index = 0;
	ps_t horizon;

	if (c == NULL)
		return;
	while (hub->captures[index] != c)
		index++;
	c->ending = true;
	apply(hub);
	memcpy(c->to, hub->positions, sizeof(c->to));
	// The totals were those at the beginning.
	update_totals(c);
	horizon = drain(hub);
	deliver(hub, 1u << index, PS_NEVER);
	deliver(hub, UINT32_MAX, horizon);
	hub->captures[index] = NULL;
	hub->count--;
	if (index != hub->count) {
		hub->captures[index] = hub->captures[hub->count];
		for (size_t i = 0; i < hub->kept_count; i++)
			if (hub->kept[i].captures & 1u << hub->count)
				hub->kept[i].captures =
					(hub->kept[i].captures & ~(1u << hub->count)) | 1u << index;
	}
	if (hub->count == 0)
		free_taps(hub);
}

void
capture_free(struct capture *c)
{
	if (c == NULL)
		return;
	free(c->ports);
	free(c->places);
	free(c->totals);
	free(c);
}

void
capture_hub_destroy(struct capture_hub *hub)
{
	if (hub == NULL)
		return;
	while (hub->count != 0) {
		struct capture *c = hub->captures[0];

		capture_hub_end(hub, c);
		capture_free(c);
	}
	free(hub->kept);
	free(hub->bytes);
	free(hub->nodes);
	free(hub->first);
	free(hub);
}
