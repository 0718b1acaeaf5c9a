// SPDX-License-Identifier: BSD-3-Clause
// Each worker runs the same loop as virtual time, its end of time being the wall clock: the TSC
// divided by the dilation, less what has slipped. Let `published` be the instant up to which a
// worker has taken everything. A worker may run to
//     min(clock, least `published` of the workers whose wires end here + reach)
// `reach` being the least delay of wires between workers, for what those workers may still put
// arrives after that. It runs in steps of at most a window, switches and then NICs, as virtual.c
// does, and visits only nodes that are due (live_nodes.c). Nobody waits at a barrier and nothing is
// delivered into a node's past; a slow worker holds back only its neighbours, which shows as lag:
// how far behind the clock a worker begins a turn, naps that it meant to take aside. When that
// passes the bound, the fabric's clock slips by it: counted, shown. A turn with more to do than
// fits a millisecond ends early, so that devices and the control thread get theirs.
//
// Packets from a device are stamped with the clock, or with where the node stands if that is later.
//
// Workers call the operating system only to send and receive on devices that need it and to sleep
// when idle. They report quiescence to RCU once a turn, so that the control thread can free what it
// replaced.
#include "live_internal.h"

#include "dataplane/device/burst.h"
#include "dataplane/node/ports.h"
#include "dataplane/roce/edge.h"
#include "dataplane/roce/payload.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_pause.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define LIVE_RX_BURST 64
#define LIVE_TX_BURST 64
#define LIVE_NAP_WALL (100 * PS_PER_US)
#define LIVE_NAP_WALL_MIN (20 * PS_PER_US) // shorter ones cost more than they save
#define LIVE_TURN_WALL (1 * PS_PER_MS)
#define LIVE_TIMER_SLACK_NS 1000

static uint64_t
live_wall(const struct live_drive *d)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)(((wide)(rte_rdtsc() - d->tsc_start) * d->ps_per_tsc) >> 32);
}

ps_t
live_clock(const struct live_drive *d)
{
	ps_t raw = live_wall(d) / d->dilation;
	ps_t slip = __atomic_load_n(&d->slip, __ATOMIC_RELAXED);

	return raw > slip ? raw - slip : 0;
}

// Drops a packet of a device as the node would if it had reached it.
static void
live_drop_received(const struct live_worker *w, struct live_port *lp, struct rte_mbuf *m)
{
	const struct node_tap *tap = lp->node->tap;
	struct packet_meta *meta = packet_meta(m);

	lp->port->rx_packets++;
	lp->port->rx_bytes += meta->wire_bytes;
	meta->in_port = lp->port->index;
	meta->tenant = TENANT_NONE;
	meta->priority = 0;
	if (lp->port->tapped && tap->refused != NULL)
		tap->refused(tap->context, lp->node, lp->port, m, w->published);
	node_drop(lp->node, m, DROP_PACKET_MEMORY, w->published);
	if (tap != NULL && tap->flush != NULL)
		tap->flush(tap->context);
}

// Frees packets of a device, so that it can receive into them, by copying their frames. A frame for
// which there is no copy is dropped.
static void
live_copy_received(struct live_worker *w, struct live_port *lp, struct rte_mbuf **packets,
		   uint16_t *count)
{
	uint16_t kept = 0;

	for (uint16_t i = 0; i < *count; i++) {
		struct rte_mbuf *received = packets[i];
		struct rte_mbuf *copy = pool_lifo_copy(w->packets, received);

		if (copy == NULL) {
			live_drop_received(w, lp, received);
			continue;
		}
		packets[kept++] = copy;
		packet_free(w->packets, received);
	}
	*count = kept;
}

static bool
live_receive(struct live_worker *w, struct live_port *lp)
{
	struct rte_mbuf *packets[LIVE_RX_BURST];
	uint16_t count = LIVE_RX_BURST;
	ps_t clock, stamp;
	uint16_t put;

	if (unlikely(lp->paced))
		count = edge_room(lp->node, lp->port, wire_count(lp->to_node), count);
	if (count != 0)
		count = device_rx_burst(lp->device, packets, count);
	if (count == 0)
		return false;
	if (unlikely(pool_lifo_scarce(w->packets)))
		live_copy_received(w, lp, packets, &count);
	if (unlikely(count == 0))
		return true;
	clock = live_clock(w->drive);
	stamp = clock > w->published ? clock : w->published;
	put = (uint16_t)wire_put_burst(lp->to_node, packets, count, stamp);
	for (uint16_t i = put; i < count; i++)
		live_drop_received(w, lp, packets[i]);
	w->next = time_min(w->next, stamp);
	return true;
}

// Replaces a packet of the fabric's own by one that the device can send, with all of its frame.
// Returns 0, -EINVAL when it cannot be sent, or -ENOMEM when no packet is free.
static int
live_make_sendable(struct live_worker *w, struct rte_mbuf **slot)
{
	struct rte_mbuf *whole = pool_lifo_alloc_sendable(w->packets);
	struct packet_meta *meta;

	if (whole == NULL)
		return -ENOMEM;
	meta = packet_meta(whole);
	*meta = *packet_meta(*slot);
	meta->data_off = RTE_PKTMBUF_HEADROOM;
	meta->data_len = (uint16_t)meta->wire_bytes;
	meta->flags &= ~(uint32_t)PACKET_NO_PAYLOAD;
	if (meta->data_off + meta->wire_bytes > w->packets->large_room ||
	    payload_copy(*slot, packet_data(whole), meta->wire_bytes) != 0) {
		packet_free(w->packets, whole);
		return -EINVAL;
	}
	packet_free(w->packets, *slot);
	*slot = whole;
	return 0;
}

// Completes the frame of a packet, and has it in memory that the device can send. Returns 0,
// -EMSGSIZE when it is too long for the device, -EINVAL when it cannot be made, or -ENOMEM when it
// has to wait.
static int
live_prepare(struct live_worker *w, struct live_port *lp, struct rte_mbuf **slot)
{
	const struct packet_meta *meta = packet_meta(*slot);
	int rc = 0;

	if (unlikely(meta->wire_bytes > lp->device->frame_max))
		return -EMSGSIZE;
	if (packet_kind(w->packets, *slot) != PACKET_OF_DEVICE)
		rc = live_make_sendable(w, slot);
	else if (unlikely(meta->data_len != meta->wire_bytes) &&
		 payload_write(*slot, w->packets->large_room) != 0)
		rc = -EINVAL;
	return rc;
}

// Sends what has left the port by the time its nodes have reached. What the device does not take
// waits, and when enough waits the port stops (wire_full()).
static bool
live_send(struct live_worker *w, struct live_port *lp)
{
	struct rte_mbuf *packets[LIVE_TX_BURST];
	struct wire *wire = lp->from_node;
	uint32_t head = wire->head;
	uint16_t count = 0, sent;

	while (count < LIVE_TX_BURST && head != wire->tail &&
	       wire->slots[head & wire->mask].arrival <= w->published) {
		struct rte_mbuf **slot = &wire->slots[head & wire->mask].packet;
		int rc = live_prepare(w, lp, slot);

		if (unlikely(rc != 0)) {
			if (count != 0 || rc == -ENOMEM)
				break; // it goes when it is first, or a packet is free
			lp->oversized += rc == -EMSGSIZE;
			lp->unsendable += rc != -EMSGSIZE;
			packet_free(w->packets, wire_take(wire));
			head = wire->head;
			continue;
		}
		device_tx_prepare(*slot);
		packets[count++] = *slot;
		head++;
	}
	if (count == 0)
		return false;
	sent = device_tx_burst(lp->device, packets, count);
	wire_take_burst(wire, sent);
	return sent != 0;
}

// How far this worker may run now.
static ps_t
live_limit(const struct live_worker *w, ps_t clock)
{
	const struct live_drive *d = w->drive;
	const ps_t reach = __atomic_load_n(&d->reach, __ATOMIC_RELAXED);
	ps_t limit = clock;

	for (uint32_t i = 0; i < w->upstream_count; i++) {
		ps_t at = __atomic_load_n(&d->workers[w->upstream[i]].published, __ATOMIC_ACQUIRE);

		limit = time_min(limit, at + reach);
	}
	return limit;
}

// Windows in which nothing happens here are skipped.
static void
live_run_to(struct live_worker *w, ps_t until)
{
	const struct live_drive *d = w->drive;
	const ps_t window = __atomic_load_n(&d->window, __ATOMIC_RELAXED);
	uint64_t began = rte_rdtsc();

	w->next = live_next_due(w);
	while (w->published < until && rte_rdtsc() - began < d->turn_tsc) {
		ps_t start = w->published, edge;

		if (w->next >= until) {
			__atomic_store_n(&w->published, until, __ATOMIC_RELEASE);
			return;
		}
		start = w->next > start ? w->next : start;
		edge = (start / TIME_WINDOW_MAX + 1) * TIME_WINDOW_MAX;
		live_advance_nodes(w, start, time_min(time_min(start + window, edge), until));
		w->next = live_next_due(w);
	}
}

// At the start of a turn: how late it is.
static void
live_note_lag(struct live_worker *w)
{
	struct live_drive *d = w->drive;
	ps_t clock = live_clock(d);
	ps_t meant = w->published > w->nap_end ? w->published : w->nap_end;
	uint64_t wall = clock > meant ? (clock - meant) * d->dilation : 0;

	w->lag_wall_ps = wall;
	if (wall > w->lag_wall_max_ps)
		w->lag_wall_max_ps = wall;
	if (unlikely(wall > d->max_lag_wall)) {
		ps_t slip = __atomic_load_n(&d->slip, __ATOMIC_RELAXED);
		ps_t wanted = live_wall(d) / d->dilation - meant;

		// Of several workers that lag, the one furthest behind decides.
		while (wanted > slip &&
		       !__atomic_compare_exchange_n(&d->slip, &slip, wanted, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		if (wanted > slip)
			w->slips++;
	}
}

void
live_serve_request(struct live_worker *w)
{
	struct live_request *request = __atomic_load_n(&w->request, __ATOMIC_ACQUIRE);

	if (likely(request == NULL))
		return;
	if (request->change != NULL)
		request->change(request->context, w);
	else
		for (uint32_t i = 0; i < w->node_count; i++)
			request->run(request->context, w->nodes[i], w->published);
	// It may have made something due, or exchanged wires.
	live_bind_wires(w);
	live_make_all_due(w);
	__atomic_store_n(&w->request, NULL, __ATOMIC_RELEASE);
}

// Sleeps until the worker's next event or for a nap, whichever is sooner: devices and other workers
// do not wake it. Who is held back by others, or would hold them back, stays awake.
static void
live_nap(struct live_worker *w)
{
	struct live_drive *d = w->drive;
	ps_t clock = live_clock(d);
	uint64_t wall = __atomic_load_n(&d->nap_wall, __ATOMIC_RELAXED);
	struct timespec nap;

	if (w->next <= clock || live_limit(w, clock) < clock)
		return;
	if ((w->next - clock) < wall / d->dilation)
		wall = (w->next - clock) * d->dilation;
	if (wall < LIVE_NAP_WALL_MIN)
		return;
	w->nap_end = clock + wall / d->dilation;
	nap = (struct timespec){.tv_sec = 0, .tv_nsec = (long)(wall / PS_PER_NS)};
	nanosleep(&nap, NULL);
}

static bool
live_turn(struct live_worker *w)
{
	bool busy = false;
	ps_t until;

	live_note_lag(w);
	w->nap_end = 0;
	for (uint32_t i = 0; i < w->port_count; i++)
		busy |= live_receive(w, w->ports[i]);
	until = live_limit(w, live_clock(w->drive));
	live_take_notes(w);
	busy |= w->next < until;
	live_run_to(w, until);
	for (uint32_t i = 0; i < w->port_count; i++)
		busy |= live_send(w, w->ports[i]);
	live_serve_request(w);
	rte_rcu_qsbr_quiescent(w->drive->rcu, w->index);
	return busy;
}

static int
live_worker_main(void *arg)
{
	struct live_worker *w = arg;
	struct live_drive *d = w->drive;

	prctl(PR_SET_TIMERSLACK, LIVE_TIMER_SLACK_NS); // naps end when they should
	rte_rcu_qsbr_thread_register(d->rcu, w->index);
	rte_rcu_qsbr_thread_online(d->rcu, w->index);
	while (!__atomic_load_n(&d->stop, __ATOMIC_ACQUIRE)) {
		if (live_turn(w))
			continue;
		if (d->sleep_when_idle)
			live_nap(w);
		else
			rte_pause();
	}
	rte_rcu_qsbr_thread_offline(d->rcu, w->index);
	rte_rcu_qsbr_thread_unregister(d->rcu, w->index);
	return 0;
}

// A worker that sleeps longer than half of what others may run ahead of it would hold them back.
static uint64_t
longest_nap(const struct live_drive *d)
{
	if (d->worker_count == 1)
		return LIVE_NAP_WALL;
	return time_min(LIVE_NAP_WALL, time_min(d->window, d->reach) * d->dilation / 2);
}

int
live_init(struct live_drive *d, uint32_t workers, ps_t window, uint32_t dilation, ps_t max_lag_wall,
	  bool sleep_when_idle)
{
	__extension__ typedef unsigned __int128 wide;
	size_t bytes = rte_rcu_qsbr_get_memsize(LIVE_WORKERS_MAX);

	if (workers == 0 || workers > LIVE_WORKERS_MAX || window == 0 || dilation == 0)
		return -EINVAL;
	memset(d, 0, sizeof(*d));
	d->worker_count = workers;
	d->window = d->reach = time_min(window, TIME_WINDOW_MAX);
	d->dilation = dilation;
	d->max_lag_wall = max_lag_wall;
	d->sleep_when_idle = sleep_when_idle;
	d->ps_per_tsc = (uint64_t)(((wide)PS_PER_S << 32) / rte_get_tsc_hz());
	d->turn_tsc = rte_get_tsc_hz() / (PS_PER_S / LIVE_TURN_WALL);
	for (uint32_t i = 0; i < workers; i++) {
		d->workers[i].drive = d;
		d->workers[i].index = i;
	}
	d->rcu = rte_zmalloc("rcu", bytes, RTE_CACHE_LINE_SIZE);
	if (d->rcu == NULL)
		return -ENOMEM;
	return rte_rcu_qsbr_init(d->rcu, LIVE_WORKERS_MAX) == 0 ? 0 : -EINVAL;
}

int
live_start(struct live_drive *d)
{
	int rc = 0;

	d->nap_wall = longest_nap(d);
	for (uint32_t i = 0; rc == 0 && i < d->worker_count; i++)
		rc = live_prepare_nodes(&d->workers[i]);
	if (rc != 0)
		return rc;
	for (uint32_t i = 0; i < d->worker_count; i++)
		for (uint32_t k = 0; k < d->workers[i].port_count; k++)
			d->workers[i].ports[k]->from_node->limit = LIVE_DEVICE_WIRE;
	d->tsc_start = rte_rdtsc();
	for (uint32_t i = 0; i < d->worker_count; i++) {
		rc = rte_eal_remote_launch(live_worker_main, &d->workers[i], d->workers[i].lcore);
		if (rc != 0)
			return rc;
	}
	return 0;
}

void
live_stop(struct live_drive *d)
{
	__atomic_store_n(&d->stop, true, __ATOMIC_RELEASE);
	rte_eal_mp_wait_lcore();
}

void
live_destroy(struct live_drive *d)
{
	for (uint32_t i = 0; i < d->worker_count; i++)
		live_forget_nodes(&d->workers[i]);
	rte_free(d->rcu);
	d->rcu = NULL;
}

static void
pass_change(void *context, struct node *node, ps_t now)
{
	(void)context;
	(void)node;
	(void)now;
}

// Whether a worker is further than the workers before it let it be.
static bool
is_ahead(const struct live_drive *d, const struct live_worker *w)
{
	// Its own first: the others only come closer.
	ps_t own = __atomic_load_n(&w->published, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < w->upstream_count; i++)
		if (own > __atomic_load_n(&d->workers[w->upstream[i]].published, __ATOMIC_ACQUIRE) +
				  d->reach)
			return true;
	return false;
}

void
live_set_window(struct live_drive *d, ps_t window, ps_t reach)
{
	const struct timespec moment = {.tv_nsec = 20000};
	bool shorter;

	window = time_min(window, TIME_WINDOW_MAX);
	reach = time_min(reach, TIME_WINDOW_MAX);
	shorter = window < d->window || reach < d->reach;
	__atomic_store_n(&d->window, window, __ATOMIC_RELAXED);
	__atomic_store_n(&d->reach, reach, __ATOMIC_RELAXED);
	__atomic_store_n(&d->nap_wall, longest_nap(d), __ATOMIC_RELAXED);
	if (!shorter)
		return;
	// Every turn that has begun with the old ones ends before its worker answers.
	live_call(d, pass_change, NULL);
	for (uint32_t i = 0; i < d->worker_count; i++)
		while (is_ahead(d, &d->workers[i]) && !__atomic_load_n(&d->stop, __ATOMIC_ACQUIRE))
			nanosleep(&moment, NULL);
}

void
live_synchronize(struct live_drive *d)
{
	rte_rcu_qsbr_synchronize(d->rcu, RTE_QSBR_THRID_INVALID);
}
