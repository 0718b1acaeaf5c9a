// SPDX-License-Identifier: BSD-3-Clause
// The taps of nodes of which anything is captured, and the rings of their workers.
//
// What is captured changes between two turns of a worker (live_call()): then its ring's position
// and the taps' counts belong to one instant, from which on a capture takes packets, or up to
// which. So packets of a capture and those that it lost add up to what its ports counted meanwhile.
#include "capture_hub_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

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
	for (unsigned int c = 0; c < CAPTURES_MAX; c++) {
		const struct capture *capture = hub->captures[c];
		uint8_t wants;

		if (capture == NULL || capture->ending)
			continue;
		wants = (uint8_t)wants_of(&capture->want);
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

static void
make_ring(struct capture_hub *hub, uint32_t worker)
{
	if (capture_ring_create(&hub->rings[worker], ring_bytes(hub)) != 0)
		memory_exhausted(1, ring_bytes(hub), "captured packets");
	capture_drain_add(hub->drain, worker, hub->rings[worker],
			  &hub->live->drive.workers[worker].published);
}

// Makes the taps and rings that are wanted and not there. A tap that another node had goes to
// *stale: its node may still have it.
static void
make_taps(struct capture_hub *hub, struct capture_tap **stale)
{
	for (uint32_t i = 0; i < hub->live->topology->node_count; i++) {
		const uint32_t worker = hub->live->workers[i];
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
		if (hub->rings[worker] == NULL)
			make_ring(hub, worker);
		if (capture_tap_create(&n->tap, hub->rings[worker], node->port_count) != 0)
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
	for (unsigned int c = 0; c < CAPTURES_MAX; c++) {
		const struct capture *capture = hub->captures[c];

		if (capture == NULL || capture->ending || capture->want.match == NULL)
			continue;
		t->match = capture->want.match;
		t->match_context = capture->want.match_context;
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

void
capture_taps_apply(struct capture_hub *hub)
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

void
capture_taps_follow(struct capture_hub *hub)
{
	for (uint32_t i = 0; i < hub->live->topology->node_count; i++) {
		const struct hub_node *n = &hub->nodes[i];

		if (n->node != hub->live->fabric->nodes[i] && is_wanted(n)) {
			capture_taps_apply(hub);
			return;
		}
	}
}

bool
capture_taps_populate(struct capture_hub *hub)
{
	bool any = false;

	for (uint32_t w = 0; w < hub->live->worker_count; w++)
		if (hub->rings[w] != NULL)
			any |= capture_ring_populate(hub->rings[w]);
	return any;
}

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

struct capture_total
capture_taps_count(const struct capture *c, uint32_t node, uint16_t port)
{
	const struct hub_node *n = &c->hub->nodes[node];
	struct capture_total total = {0};

	if (n->carried != NULL)
		add_count(c, &n->carried[port], &total);
	if (n->tap != NULL && port < n->tap->port_count)
		add_count(c, &n->noted[port], &total);
	return total;
}

void
capture_taps_free(struct capture_hub *hub)
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
