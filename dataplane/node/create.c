// SPDX-License-Identifier: BSD-3-Clause
#include "create.h"

#include "dataplane/base/glean.h"
#include "dataplane/base/node_log.h"
#include "dataplane/queueing/fair.h"
#include "dataplane/queueing/llr.h"
#include "dataplane/stages/path_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
align_keys(uint32_t count)
{
	return (count + NODE_KEY_BLOCK - 1) / NODE_KEY_BLOCK * NODE_KEY_BLOCK;
}

static void *
aligned_zeroed(size_t bytes)
{
	size_t rounded = (bytes + 63) / 64 * 64;
	void *memory = aligned_alloc(64, rounded);

	if (memory != NULL)
		memset(memory, 0, rounded);
	return memory;
}

static void
port_init(struct node *n, struct port *p, uint8_t index)
{
	const struct pause_clock closed = {
		.since = PS_NEVER, .last_start = PS_NEVER, .last_end = PS_NEVER};

	p->index = index;
	p->queue_cold = &n->queue_cold[PRIORITIES * index];
	p->group_cold = &n->group_cold[PRIORITIES * index];
	p->up = true;
	p->next_send = PS_NEVER;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		p->refresh_at[i] = PS_NEVER;
		p->queue_cold[i].held = closed;
	}
	for (unsigned int i = 0; i < PAUSES; i++)
		p->rx_pause[i] = p->tx_pause[i] = closed;
}

int
node_create(struct node **out, enum node_role role, uint16_t ports, uint32_t index, uint64_t seed,
	    struct packet_pool *packets)
{
	struct node *n;
	uint32_t minima;

	if (ports == 0 || ports > PORTS_MAX)
		return -EINVAL;
	n = aligned_zeroed(sizeof(*n));
	if (n == NULL)
		return -ENOMEM;
	n->key_count = align_keys(1 + 2 * (uint32_t)ports);
	minima = n->key_count > NODE_KEY_BLOCK ? n->key_count / NODE_KEY_BLOCK * 4 : 0;
	n->ports = aligned_zeroed(ports * sizeof(*n->ports));
	n->keys = aligned_zeroed((n->key_count + minima) * sizeof(*n->keys));
	n->depth = aligned_zeroed(PRIORITIES * ports * sizeof(*n->depth));
	n->held = aligned_zeroed(ports);
	n->port_penalty = aligned_zeroed(ports);
	n->queue_cold = aligned_zeroed(PRIORITIES * ports * sizeof(*n->queue_cold));
	n->group_cold = aligned_zeroed(PRIORITIES * ports * sizeof(*n->group_cold));
	n->watchdog_due = PS_NEVER;
	n->pfc_due = PS_NEVER;
	n->credits_due = PS_NEVER;
	n->llr_due = PS_NEVER;
	if (n->ports == NULL || n->keys == NULL || n->depth == NULL || n->held == NULL ||
	    n->port_penalty == NULL || n->queue_cold == NULL || n->group_cold == NULL ||
	    (role != NODE_NIC &&
	     (node_log_create(&n->log, ports) != 0 || glean_create(&n->glean) != 0))) {
		node_destroy(n);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n->key_count + minima; i++)
		n->keys[i] = NODE_KEY_NONE;
	n->departures = 1 + ports;
	n->port_count = ports;
	n->role = (uint8_t)role;
	n->index = index;
	n->packets = packets;
	n->generation = &n->own_generation;
	n->random = random_stream(seed, index);
	n->timer_at = PS_NEVER;
	n->sent = PS_NEVER;
	for (unsigned int i = 0; i < PACKET_KINDS; i++)
		n->buffer.packets[i].limit = UINT32_MAX;
	for (unsigned int i = 0; i < ports; i++)
		port_init(n, &n->ports[i], (uint8_t)i);
	*out = n;
	return 0;
}

void
node_destroy(struct node *n)
{
	if (n == NULL)
		return;
	for (unsigned int i = 0; n->ports != NULL && i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		fair_destroy(p);
		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			while (p->queues[tc].head != NULL)
				packet_free(n->packets, queue_pop(p, tc));
		if (p->partial != NULL)
			packet_free(n->packets, p->partial);
		for (struct rte_mbuf *m = p->pfc_head, *next; m != NULL; m = next) {
			next = packet_meta(m)->next;
			packet_free(n->packets, m);
		}
	}
	spare_free(n->buffer.tenants);
	node_log_destroy(n->log);
	glean_destroy(n->glean);
	spare_free(n->histograms);
	spare_free(n->histogram_due);
	spare_free(n->turns);
	spare_free(n->answers_due);
	spare_free(n->watchdog);
	spare_free(n->credits);
	llr_destroy(n);
	free(n->group_cold);
	free(n->queue_cold);
	paths_destroy(n);
	spare_destroy(&n->spares);
	free(n->port_penalty);
	free(n->held);
	free(n->depth);
	free(n->keys);
	free(n->ports);
	free(n);
}
