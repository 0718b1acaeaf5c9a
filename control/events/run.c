// SPDX-License-Identifier: BSD-3-Clause
// A run goes from one multiple of TIME_WINDOW_MAX to the next, because a drained run ends at such a
// multiple. Stretches in which nothing happens are skipped at once.
#include "run.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "dataplane/node/adopt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_TIMEOUTS 10
#define CHECKS 8 // of flows, within the time in which they may only retransmit

static void
take_snapshot(void *context, ps_t now)
{
	const struct run *r = context;

	if (r->snapshot != NULL)
		r->snapshot(r->snapshot_context, now);
}

// In virtual time no worker reads tables between windows, but nodes adopt new ones only when they
// next run.
static void
retire_tables(void *context, struct tables **old, uint32_t count)
{
	struct run *r = context;

	for (uint32_t i = 0; i < r->node_count; i++)
		node_take_tables(r->nodes[i], r->drive.now);
	for (uint32_t i = 0; i < count; i++)
		tables_destroy(old[i]);
}

// Between windows all nodes stand still at the drive's time.
static void
change_node(void *context, struct node *node, void (*run)(struct node *node, ps_t now, void *arg),
	    void *arg)
{
	const struct run *r = context;

	run(node, r->drive.now, arg);
}

static ps_t
run_clock(void *context)
{
	const struct run *r = context;

	return r->drive.now;
}

static void
change_nodes(void *context, void (*run)(struct node *node, ps_t now, void *arg), void *arg)
{
	const struct run *r = context;

	for (uint32_t i = 0; i < r->node_count; i++)
		run(r->nodes[i], r->drive.now, arg);
}

static void
log_change(void *context, ps_t now, const char *words)
{
	const struct run *r = context;

	fabric_log_poll(r->log, r->fabric); // what came before
	fabric_log_note(r->log, now, FABRIC_LOG_TENANTS, words);
}

int
run_create(struct run **out, struct fabric *f, ps_t window, uint64_t visit_seed, struct diag *diag)
{
	struct run *r = memory_new(sizeof(*r), "run");
	struct fabric_hooks hooks = {.snapshot = take_snapshot,
				     .retire = retire_tables,
				     .at_node = change_node,
				     .at_nodes = change_nodes,
				     .clock = run_clock,
				     .tell = log_change,
				     .context = r};
	int rc;

	r->fabric = f;
	r->until = PS_NEVER;
	r->stall = f->config->stall_ps;
	r->nodes = fabric_list_nodes(f, &r->node_count);
	r->log =
		fabric_log_create(ranks_first(f->ranks) ? stderr : NULL, "the result's log", false);
	rc = events_create(&r->events, f, &hooks, diag);
	if (rc != 0)
		goto fail;
	rc = virtual_init(&r->drive, r->nodes, r->node_count,
			  window == 0 ? f->lookahead : time_min(window, f->lookahead));
	if (rc != 0)
		goto fail;
	r->drive.visit_seed = visit_seed;
	r->drive.cut = fabric_create_cut(f, r->node_count != 0 ? r->nodes[0]->packets : NULL);
	*out = r;
	return 0;
fail:
	run_destroy(r);
	return rc;
}

void
run_destroy(struct run *r)
{
	if (r == NULL)
		return;
	events_destroy(r->events);
	fabric_log_destroy(r->log);
	cut_destroy(r->drive.cut);
	free(r->nodes);
	free(r);
}

// ---- whether it is over -------------------------------------------------------------------------
// Ranks decide alike: by sums and maxima over all of them.

// Of all ranks together, at the end of a stretch.
struct run_state {
	uint64_t lacked; // memory for packets
	uint64_t interrupted;
	uint64_t progress; // is to be shown
	uint64_t open;     // flows; 0 where nothing depends on it
	ps_t last_sent;
};

static bool
flows_open(const struct run *r)
{
	for (uint32_t h = 0; h < r->fabric->topology->host_count; h++)
		if (r->fabric->nics[h] != NULL && nic_open_flows(r->fabric->nics[h]) != 0)
			return true;
	return false;
}

static ps_t
last_sent(const struct run *r)
{
	ps_t last = 0;

	for (uint32_t i = 0; i < r->node_count; i++)
		if (r->nodes[i]->last_sent > last)
			last = r->nodes[i]->last_sent;
	return last;
}

ps_t
run_last_arrival(const struct run *r)
{
	ps_t last = 0;

	for (uint32_t i = 0; i < r->node_count; i++) {
		for (uint32_t k = 0; k < r->nodes[i]->port_count; k++) {
			const struct port *p = &r->nodes[i]->ports[k];
			ps_t gap, at;

			if (p->tx_packets == 0)
				continue;
			gap = time_of_bytes(p->profile->byte_time, p->profile->gap);
			at = p->tx_free - gap + p->out->delay;
			last = at > last ? at : last;
		}
	}
	return last;
}

static void
run_nodes(struct run *r, ps_t until)
{
	if (r->parallel != NULL)
		parallel_run(r->parallel, until);
	else
		virtual_run(&r->drive, until);
}

// Runs to `until`, applying events and taking samples on the way; what events change comes before
// all else of their instant.
static int
run_stretch(struct run *r, ps_t until, struct diag *diag)
{
	struct virtual_drive *v = &r->drive;

	for (;;) {
		ps_t stop = time_min(events_next(r->events), until);

		if (events_next(r->events) <= v->now) {
			int rc = ranks_agree(r->fabric->ranks,
					     events_apply(r->events, v->now, diag));

			if (rc != 0)
				return rc;
			virtual_wake(v);
			continue;
		}
		if (v->now >= until)
			return 0;
		if (samples_next(r->samples) <= v->now) {
			samples_take(r->samples, v->now);
			continue;
		}
		if (film_next(r->film) <= v->now) {
			film_take(r->film, v->now);
			continue;
		}
		stop = time_min(stop, time_min(samples_next(r->samples), film_next(r->film)));
		run_nodes(r, stop);
		if (v->error != 0)
			return 0;
		if (v->next == PS_NEVER)
			v->now = stop;
	}
}

// The end of the next stretch in which something may happen.
static ps_t
next_edge(const struct run *r, ps_t fed)
{
	ps_t next = r->drive.next > r->drive.now ? r->drive.next : r->drive.now;
	ps_t event = events_next(r->events);

	next = time_min(next, time_min(event, fed));
	if (next == PS_NEVER && r->streams_until > r->drive.now && r->streams_until != PS_NEVER)
		next = r->streams_until - 1;
	if (next == PS_NEVER || next < r->drive.now)
		next = r->drive.now;
	return time_min((next / TIME_WINDOW_MAX + 1) * TIME_WINDOW_MAX, r->until);
}

// How long flows may only retransmit: not less than some timeouts, of which the next may succeed.
static ps_t
patience(const struct run *r)
{
	ps_t rto = 0;

	for (uint32_t h = 0; h < r->fabric->topology->host_count; h++)
		if (fabric_has_nic(r->fabric, h) && r->fabric->hosts[h].rto_ps > rto)
			rto = r->fabric->hosts[h].rto_ps;
	return r->stall > PATIENCE_TIMEOUTS * rto ? r->stall : PATIENCE_TIMEOUTS * rto;
}

// Sums of all NICs: what flows have achieved, and what they have sent again. Returns 0 or -errno.
static int
sum_flows(const struct run *r, uint64_t *progress, uint64_t *retransmitted)
{
	uint64_t sums[2] = {0};
	int rc;

	for (uint32_t h = 0; h < r->fabric->topology->host_count; h++) {
		struct nic_totals t;

		if (r->fabric->nics[h] == NULL)
			continue;
		nic_totals(r->fabric->nics[h], &t);
		sums[1] += t.sent.retransmitted;
		sums[0] += t.sent.repetitions + t.received.packets - t.received.duplicates +
			   t.stream_received;
	}
	rc = ranks_reduce(r->fabric->ranks, RANKS_SUM, sums, 2);
	*progress = sums[0];
	*retransmitted = sums[1];
	return rc;
}

// Whether flows have only retransmitted for so long that their receivers must be unreachable. Flows
// that neither progress nor retransmit wait for something else.
static bool
flows_futile(struct run *r)
{
	uint64_t progress, retransmitted;
	ps_t now = r->drive.now;

	if (now < r->next_check)
		return false;
	if (r->patience == 0)
		r->patience = patience(r);
	r->next_check = now + r->patience / CHECKS;
	r->drive.error = sum_flows(r, &progress, &retransmitted);
	if (progress != r->flow_progress || r->retransmitting_since == 0) {
		if (progress != r->flow_progress || retransmitted == r->retransmitted)
			r->retransmitting_since = 0;
		else
			r->retransmitting_since = now;
		r->flow_progress = progress;
		r->retransmitted = retransmitted;
		return false;
	}
	return now >= r->retransmitting_since + r->patience;
}

static uint64_t
packets_held(struct run *r)
{
	uint64_t held = fabric_packets_held(r->fabric);
	int rc = ranks_reduce(r->fabric->ranks, RANKS_SUM, &held, 1);

	r->drive.error = r->drive.error != 0 ? r->drive.error : rc;
	return held;
}

// Whether something is to come that does not depend on flows and packets.
static bool
is_awaited(const struct run *r, ps_t fed)
{
	return r->until != PS_NEVER || fed != PS_NEVER || events_due(r->events) != PS_NEVER;
}

static bool
is_over(struct run *r, ps_t fed, const struct run_state *t, enum run_end *end)
{
	ps_t now = r->drive.now;

	if (now >= r->until) {
		*end = RUN_TIME;
		return true;
	}
	if (is_awaited(r, fed))
		return false;
	if (!t->open && packets_held(r) == 0) {
		*end = RUN_DRAINED;
		return now >= r->streams_until;
	}
	if (r->drive.next == PS_NEVER || flows_futile(r) ||
	    (now > t->last_sent + r->stall && packets_held(r) != 0)) {
		*end = RUN_STALLED;
		return true;
	}
	return false;
}

// Returns 0, or -errno when a rank is gone.
static int
combine_states(const struct run *r, ps_t fed, struct run_state *t)
{
	uint64_t values[5] = {packet_memory_lacked(), r->interrupted != NULL && r->interrupted(),
			      r->progress_due != NULL && r->progress_due(r->progress_context)};
	int rc;

	if (!is_awaited(r, fed)) {
		values[3] = flows_open(r);
		values[4] = last_sent(r);
	}
	rc = ranks_reduce(r->fabric->ranks, RANKS_MOST, values, 5);
	*t = (struct run_state){.lacked = values[0],
				.interrupted = values[1],
				.progress = values[2],
				.open = values[3],
				.last_sent = values[4]};
	return rc;
}

// ---- running ------------------------------------------------------------------------------------

static int
fail_of_ranks(struct run *r, int rc, struct diag *diag)
{
	char text[TEXT_VALUE_MAX];

	r->drive.error = rc;
	return diag_fail(diag, EIO, "roost: rank %u: %s at %s of fabric time",
			 r->fabric->ranks->index,
			 rc == -ENOMEM   ? "out of memory for packets of other ranks"
			 : rc == -EPROTO ? "another rank sent what makes no sense"
					 : "another rank has ended",
			 text_duration(text, r->drive.now));
}

static int
fail_of_memory(const struct run *r, struct diag *diag)
{
	char text[TEXT_VALUE_MAX];

	return diag_fail(diag, ENOMEM,
			 "roost: out of memory for packets at %s of fabric time: the run ends",
			 text_duration(text, r->drive.now));
}

static int
start_threads(struct run *r, struct diag *diag)
{
	uint16_t *places;
	int rc;

	if (r->threads <= 1 || r->node_count == 0)
		return 0;
	places = fabric_place_nodes(r->fabric, r->nodes, r->node_count, r->threads);
	rc = parallel_create(&r->parallel, &r->drive, r->threads, places, r->nodes[0]->packets);
	free(places);
	if (rc == 0) {
		if (r->work != NULL)
			parallel_measure(r->parallel);
		return 0;
	}
	if (!r->threads_required) {
		r->threads = 1;
		return 0;
	}
	return diag_fail(diag, EAGAIN, "-j: cannot start %u threads: %s; use fewer", r->threads,
			 strerror(-rc));
}

static int
run_to_end(struct run *r, enum run_end *end, struct diag *diag)
{
	ps_t fed = 0;

	for (;;) {
		ps_t edge = next_edge(r, fed);
		struct run_state state;
		int rc;

		if (r->outside.feed != NULL) {
			fed = r->outside.feed(r->outside.context, edge);
			virtual_wake(&r->drive);
		} else {
			fed = PS_NEVER;
		}
		rc = run_stretch(r, edge, diag);
		if (r->drive.error != 0)
			return fail_of_ranks(r, r->drive.error, diag);
		fabric_log_poll(r->log, r->fabric);
		if (rc != 0)
			return rc;
		rc = combine_states(r, fed, &state);
		if (rc != 0)
			return fail_of_ranks(r, rc, diag);
		if (state.lacked)
			return fail_of_memory(r, diag);
		if (r->outside.drain != NULL)
			r->outside.drain(r->outside.context);
		if (state.progress)
			r->progress(r->progress_context, r->drive.now);
		if (is_over(r, fed, &state, end))
			return 0;
		if (r->drive.error != 0)
			return fail_of_ranks(r, r->drive.error, diag);
		if (state.interrupted) {
			*end = RUN_INTERRUPTED;
			return 0;
		}
	}
}

int
run_all(struct run *r, enum run_end *end, struct diag *diag)
{
	int rc = ranks_agree(r->fabric->ranks, start_threads(r, diag));

	if (rc == 0)
		rc = run_to_end(r, end, diag);
	for (uint32_t i = 0; r->parallel != NULL && r->work != NULL && i < r->threads; i++)
		parallel_read_work(r->parallel, i, &r->work[i]);
	parallel_destroy(r->parallel);
	r->parallel = NULL;
	return rc;
}
