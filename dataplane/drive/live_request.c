// SPDX-License-Identifier: BSD-3-Clause
// What the control thread has workers do between two turns, and waits for: to run a function on
// their nodes, and to take over ports and nodes, or to leave them.
#include "live_internal.h"

#include "dataplane/node/ports.h"

#include <rte_pause.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Waits until a worker has no request.
static void
live_await(const struct live_drive *d, struct live_worker *w)
{
	while (__atomic_load_n(&w->request, __ATOMIC_ACQUIRE) != NULL) {
		struct timespec moment = {.tv_nsec = 20000};

		if (__atomic_load_n(&d->stop, __ATOMIC_ACQUIRE)) {
			live_serve_request(w);
			break;
		}
		nanosleep(&moment, NULL);
	}
}

// Has one worker serve a request and waits until it has.
static void
live_post(struct live_drive *d, struct live_worker *w, struct live_request *request)
{
	live_await(d, w);
	__atomic_store_n(&w->request, request, __ATOMIC_RELEASE);
	live_await(d, w);
}

bool
live_submit(struct live_drive *d, uint32_t worker, struct live_request *request)
{
	struct live_worker *w = &d->workers[worker];

	if (__atomic_load_n(&w->request, __ATOMIC_ACQUIRE) != NULL)
		return false;
	__atomic_store_n(&w->request, request, __ATOMIC_RELEASE);
	return true;
}

bool
live_is_served(const struct live_drive *d, uint32_t worker, const struct live_request *request)
{
	return __atomic_load_n(&d->workers[worker].request, __ATOMIC_ACQUIRE) != request;
}

void
live_call(struct live_drive *d, void (*run)(void *context, struct node *node, ps_t now),
	  void *context)
{
	struct live_request request = {.run = run, .context = context};

	for (uint32_t i = 0; i < d->worker_count; i++)
		live_post(d, &d->workers[i], &request);
}

struct live_halted {
	uint32_t count; // workers: rw (atomic); that stand
	bool over;      // control: wo (release), workers: ro (acquire)
};

static void
live_stand(void *context, struct live_worker *w)
{
	struct live_halted *halted = context;

	(void)w;
	__atomic_add_fetch(&halted->count, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&halted->over, __ATOMIC_ACQUIRE))
		rte_pause();
}

void
live_halt(struct live_drive *d, void (*run)(void *context), void *context)
{
	const struct timespec moment = {.tv_nsec = 20000};
	struct live_halted halted = {0};
	struct live_request request = {.change = live_stand, .context = &halted};

	for (uint32_t i = 0; i < d->worker_count; i++)
		live_await(d, &d->workers[i]);
	for (uint32_t i = 0; i < d->worker_count; i++)
		__atomic_store_n(&d->workers[i].request, &request, __ATOMIC_RELEASE);
	while (__atomic_load_n(&halted.count, __ATOMIC_ACQUIRE) != d->worker_count)
		nanosleep(&moment, NULL);
	run(context);
	__atomic_store_n(&halted.over, true, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < d->worker_count; i++)
		live_await(d, &d->workers[i]);
}

// A port that a worker is to take over or to leave.
struct live_port_change {
	struct live_port *port;
	struct live_port **ports; // a longer list, and then the one before
};

static void
live_take_port(void *context, struct live_worker *w)
{
	struct live_port_change *change = context;
	struct live_port *lp = change->port;
	struct live_port **before = w->ports;

	if (w->port_count > 0) // or there may be no list before
		memcpy(change->ports, before, w->port_count * sizeof(struct live_port *));
	w->ports = change->ports;
	w->ports[w->port_count++] = lp;
	change->ports = before;
	wire_unwatch(lp->port->in);
	lp->port->in = lp->to_node;
	lp->port->out = lp->from_node;
	node_set_carrier(lp->node, lp->port, true, w->published);
}

static void
live_leave_port(void *context, struct live_worker *w)
{
	struct live_port_change *change = context;
	struct live_port *lp = change->port;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->port_count; i++)
		if (w->ports[i] != lp)
			w->ports[kept++] = w->ports[i];
	w->port_count = kept;
	node_set_carrier(lp->node, lp->port, false, w->published);
	for (; wire_count(lp->from_node) != 0; lp->cut_off++)
		packet_free(w->packets, wire_take(lp->from_node));
}

// A node that a worker is to run from now on, or no longer.
struct live_node_change {
	struct node *node;
	// Longer lists, and then those before.
	struct node **nodes;
	uint32_t *places;
	ps_t *due;
};

#define EXCHANGE(a, b)                       \
	do {                                 \
		__typeof__(a) before_ = (a); \
		(a) = (b);                   \
		(b) = before_;               \
	} while (0)

// What is due is found out anew after each request.
static void
live_take_node(void *context, struct live_worker *w)
{
	struct live_node_change *change = context;

	memcpy(change->nodes, w->nodes, w->node_count * sizeof(struct node *));
	EXCHANGE(w->nodes, change->nodes);
	EXCHANGE(w->places, change->places);
	EXCHANGE(w->due, change->due);
	w->nodes[w->node_count++] = change->node;
}

static void
live_leave_node(void *context, struct live_worker *w)
{
	const struct live_node_change *change = context;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->node_count; i++)
		if (w->nodes[i] != change->node)
			w->nodes[kept++] = w->nodes[i];
	w->node_count = kept;
	for (unsigned int k = 0; k < change->node->port_count; k++)
		wire_unwatch(change->node->ports[k].in);
}

int
live_add_node(struct live_drive *d, uint32_t worker, struct node *node)
{
	struct live_worker *w = &d->workers[worker];
	const size_t count = w->node_count + 1;
	struct live_node_change change = {
		.node = node,
		.nodes = calloc(count, sizeof(struct node *)),
		.places = calloc(count, sizeof(*change.places)),
		.due = calloc(count, sizeof(*change.due)),
	};
	struct live_request request = {.change = live_take_node, .context = &change};
	int rc = change.nodes == NULL || change.places == NULL || change.due == NULL ? -ENOMEM : 0;

	if (rc == 0)
		live_post(d, w, &request);
	free(change.nodes);
	free(change.places);
	free(change.due);
	return rc;
}

void
live_remove_node(struct live_drive *d, uint32_t worker, struct node *node)
{
	struct live_node_change change = {.node = node};
	struct live_request request = {.change = live_leave_node, .context = &change};

	live_post(d, &d->workers[worker], &request);
}

static bool
live_has_port(const struct live_worker *w, const struct live_port *port)
{
	for (uint32_t i = 0; i < w->port_count; i++)
		if (w->ports[i] == port)
			return true;
	return false;
}

int
live_add_port(struct live_drive *d, uint32_t worker, struct live_port *port)
{
	struct live_worker *w = &d->workers[worker];
	struct live_port_change change = {.port = port};
	struct live_request request = {.change = live_take_port, .context = &change};

	if (live_has_port(w, port))
		return 0;
	change.ports = calloc(w->port_count + 1, sizeof(struct live_port *));
	if (change.ports == NULL)
		return -ENOMEM;
	port->from_node->limit = LIVE_DEVICE_WIRE;
	live_post(d, w, &request);
	free(change.ports);
	return 0;
}

void
live_remove_port(struct live_drive *d, uint32_t worker, struct live_port *port)
{
	struct live_worker *w = &d->workers[worker];
	struct live_port_change change = {.port = port};
	struct live_request request = {.change = live_leave_port, .context = &change};

	if (live_has_port(w, port))
		live_post(d, w, &request);
}
