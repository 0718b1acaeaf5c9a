// SPDX-License-Identifier: BSD-3-Clause
// Each window of virtual.c has two phases, switches and then NICs, and within a phase no node
// affects another: what a switch puts on a wire to a switch arrives after the window, and NICs send
// to switches only. So threads run the nodes of a phase side by side. All they have in common is
// - wires between switches, whose two ends may run at once: they are phased (wire.h); the ends of
//   other wires run in different phases;
// - packets, which each thread takes from and frees into a LIFO of its own (packet_shares.h).
//
// A phase is cut into units: a switch, or some NICs. Each thread has units of its own, the same in
// every window, so that they stay in its core's caches. It claims them one by one by adding to a
// counter. When they are complete it waits a little for the others, and then claims what these have
// not come to yet. The thread that completes the last unit of a phase opens the next. So a phase
// waits for units and never for threads: one that the system does not run, because there are more
// threads than cores or because of other programs, holds up at most the unit that it has claimed.
//
// A thread that comes late may mean one phase and claim a unit of a later one. That is as good: the
// counter says which phase it is of, and that phase cannot end before its units are complete.
//
// Threads that find nothing to do spin for some microseconds, then sleep. A new phase wakes
// sleepers as long as fewer threads are awake than there are cores.
//
// Nothing depends on who runs a node, or when in a phase: the outcome is virtual.c's.
#include "parallel_internal.h"

#include "dataplane/node/node_check.h"

#include <rte_cycles.h>
#include <rte_pause.h>

// Before a thread helps others, unless they do not run, it waits for this part of the time that its
// own units took, and for so long.
#define PATIENCE 4
#define PATIENCE_TSC 2000

// ---- units --------------------------------------------------------------------------------------

// How much of the CPU this thread has had, if that is measured.
static uint64_t
cpu_ns(const struct parallel *p)
{
	return unlikely(__atomic_load_n(&p->measured, __ATOMIC_RELAXED))
		       ? parallel_clock_ns(CLOCK_THREAD_CPUTIME_ID)
		       : 0;
}

// Claims a unit of `of` in the phase that its counter is in.
static bool
claim(struct parallel_thread *of, enum phase_kind *kind, uint32_t *unit)
{
	uint64_t at = __atomic_load_n(&of->claims, __ATOMIC_RELAXED);

	if ((uint32_t)at >= of->segments[parallel_phase_kind(at >> 32)].units)
		return false;
	at = __atomic_fetch_add(&of->claims, 1, __ATOMIC_ACQ_REL);
	*kind = parallel_phase_kind(at >> 32);
	*unit = (uint32_t)at;
	return *unit < of->segments[*kind].units;
}

// Returns when the next thing may happen, as node_ops.advance.
static ps_t
run_unit(struct parallel_thread *t, const struct parallel_segment *s, uint32_t unit_nodes,
	 uint32_t unit)
{
	const struct parallel *p = t->parallel;
	struct node **nodes = p->v->nodes;
	uint32_t first = s->first + unit * unit_nodes, end = first + unit_nodes;
	ps_t next = PS_NEVER;

	end = end < s->end ? end : s->end;
	for (uint32_t i = first; i < end; i++) {
		struct node *n = nodes[i];

		virtual_prefetch(nodes, i, end, s->end);
		n->packets = t->packets;
		next = time_min(next, n->ops->advance(n, p->start, p->until));
		if (n->role != NODE_NIC) {
			for (unsigned int k = 0; k < n->port_count; k++)
				if (n->ports[k].out != NULL)
					wire_publish_phased(n->ports[k].out);
			if (p->v->cut != NULL)
				cut_collect(p->v->cut, n, t->index);
		}
		node_check(n, p->until);
	}
	return next;
}

// ---- phases -------------------------------------------------------------------------------------

// More threads awake than cores would only take turns.
static void
wake_some(struct parallel *p)
{
	uint32_t sleepers = __atomic_load_n(&p->sleepers, __ATOMIC_SEQ_CST);
	uint32_t awake = p->thread_count - sleepers;

	if (sleepers == 0 || awake >= p->cores)
		return;
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = awake; i < p->cores && i < p->thread_count; i++)
		pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

void
parallel_wake_all(struct parallel *p)
{
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

// From its first claim counter on, threads may work; everything else is set before. The opener
// holds a unit of its own, so that the phase does not end before all counters are set.
static void
open_phase(struct parallel *p)
{
	uint32_t phase = p->phase + 1;

	__atomic_store_n(&p->remaining, p->units[parallel_phase_kind(phase)] + 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < p->thread_count; i++)
		__atomic_store_n(&p->threads[i].claims, (uint64_t)phase << 32, __ATOMIC_RELEASE);
	__atomic_store_n(&p->phase, phase, __ATOMIC_SEQ_CST);
}

static void
begin_window(struct parallel *p)
{
	struct virtual_drive *v = p->v;

	virtual_shuffle(v);
	p->start = v->next > v->now ? v->next : v->now;
	p->until = virtual_window_end(v, p->start, p->stop);
	p->next = PS_NEVER;
}

static void
settle_wires(struct parallel *p)
{
	while (p->grown != NULL) {
		struct wire *w = p->grown;

		p->grown = w->next_grown;
		wire_settle(w);
	}
}

// All units of a phase are complete: prepares the next. Returns false when the run is over.
// `packets`: of the thread that calls it.
static bool
turn_to_next_phase(struct parallel *p, struct packet_pool *packets)
{
	struct virtual_drive *v = p->v;

	settle_wires(p);
	if (parallel_phase_kind(p->phase) == PHASE_SWITCHES)
		return true;
	v->windows++;
	v->now = p->until;
	virtual_settle(v, p->next, packets);
	if (v->next >= p->stop)
		return false;
	begin_window(p);
	return true;
}

// This thread has completed so many units.
static void
complete(struct parallel_thread *t, uint32_t units)
{
	struct parallel *p = t->parallel;
	bool opened = false;

	while (__atomic_sub_fetch(&p->remaining, units, __ATOMIC_ACQ_REL) == 0) {
		if (!turn_to_next_phase(p, t->packets)) {
			__atomic_store_n(&p->running, false, __ATOMIC_SEQ_CST);
			if (__atomic_load_n(&p->caller_sleeps, __ATOMIC_SEQ_CST))
				parallel_wake_all(p);
			return;
		}
		open_phase(p);
		opened = true;
		units = 1;
	}
	if (opened)
		wake_some(p);
}

static void
note_grown(struct parallel *p, struct wire *first)
{
	struct wire *last = first;

	while (last->next_grown != NULL)
		last = last->next_grown;
	pthread_mutex_lock(&p->lock);
	last->next_grown = p->grown;
	p->grown = first;
	pthread_mutex_unlock(&p->lock);
}

static void
note_next(struct parallel *p, ps_t next)
{
	ps_t before = __atomic_load_n(&p->next, __ATOMIC_RELAXED);

	while (next < before && !__atomic_compare_exchange_n(&p->next, &before, next, false,
							     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

// Runs the units of `of` that nobody has claimed, and adds to *units and *next. All that a thread
// claims before it says that they are complete are of one phase, which cannot end before.
static void
run_units_of(struct parallel_thread *t, struct parallel_thread *of, uint32_t *units, ps_t *next)
{
	const struct parallel *p = t->parallel;
	enum phase_kind kind;
	uint32_t unit;

	for (; claim(of, &kind, &unit); ++*units)
		*next = time_min(*next,
				 run_unit(t, &of->segments[kind], p->unit_nodes[kind], unit));
}

// `cpu`: as cpu_ns() when it began them. Nothing of the thread's is written behind the report.
static void
report_units(struct parallel_thread *t, uint32_t units, ps_t next, uint64_t cpu)
{
	struct parallel *p = t->parallel;
	struct wire *grown = wire_take_grown();

	if (units == 0)
		return;
	t->units += units;
	t->busy_ns += cpu_ns(p) - cpu;
	if (unlikely(grown != NULL))
		note_grown(p, grown);
	note_next(p, next);
	complete(t, units);
}

// Runs its own units. Returns the TSC cycles that they took.
static uint64_t
work(struct parallel_thread *t)
{
	const uint64_t begun = rte_rdtsc(), cpu = cpu_ns(t->parallel);
	uint32_t units = 0;
	ps_t next = PS_NEVER;
	uint64_t took;

	run_units_of(t, t, &units, &next);
	took = rte_rdtsc() - begun;
	report_units(t, units, next, cpu);
	return took;
}

// Runs those of others.
static void
help(struct parallel_thread *t)
{
	const struct parallel *p = t->parallel;
	const uint64_t cpu = cpu_ns(p);
	const enum phase_kind kind = parallel_phase_kind(t->seen);
	uint32_t units = 0;
	ps_t next = PS_NEVER;

	for (uint32_t i = 1; i < p->thread_count; i++) {
		uint32_t of = t->index + i;

		of -= of < p->thread_count ? 0 : p->thread_count;
		run_units_of(t, &t->parallel->threads[of], &units, &next);
	}
	t->alone = units > (p->units[kind] - t->segments[kind].units) / 2;
	if (units != 0)
		t->helped += units;
	report_units(t, units, next, cpu);
}

// ---- threads ------------------------------------------------------------------------------------

// Whether there may be something to do, or no more.
static bool
is_called(const struct parallel_thread *t)
{
	const struct parallel *p = t->parallel;

	if (__atomic_load_n(&p->phase, __ATOMIC_SEQ_CST) != t->seen)
		return true;
	return t->index == 0 ? !__atomic_load_n(&p->running, __ATOMIC_SEQ_CST)
			     : __atomic_load_n(&p->over, __ATOMIC_SEQ_CST);
}

static void
sleep_until_called(struct parallel_thread *t)
{
	struct parallel *p = t->parallel;

	pthread_mutex_lock(&p->lock);
	__atomic_add_fetch(&p->sleepers, 1, __ATOMIC_SEQ_CST);
	if (t->index == 0)
		__atomic_store_n(&p->caller_sleeps, true, __ATOMIC_SEQ_CST);
	while (!is_called(t))
		pthread_cond_wait(&p->wake, &p->lock);
	if (t->index == 0)
		__atomic_store_n(&p->caller_sleeps, false, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&p->sleepers, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&p->lock);
}

// Returns false if it was not called for so many TSC cycles.
static bool
spin_until_called(const struct parallel_thread *t, uint64_t tsc)
{
	const uint64_t begun = rte_rdtsc();

	while (!is_called(t)) {
		if (rte_rdtsc() - begun > tsc)
			return false;
		rte_pause();
	}
	return true;
}

// Works for the phase that is open, and returns when there may be another.
static void
take_part(struct parallel_thread *t)
{
	struct parallel *p = t->parallel;
	uint64_t took;

	t->seen = __atomic_load_n(&p->phase, __ATOMIC_SEQ_CST);
	took = work(t);
	if (spin_until_called(t, t->alone ? 0 : took / PATIENCE + PATIENCE_TSC))
		return;
	help(t);
	if (!spin_until_called(t, p->spin_tsc))
		sleep_until_called(t);
}

void *
parallel_thread_main(void *arg)
{
	struct parallel_thread *t = arg;
	struct parallel *p = t->parallel;

	while (!__atomic_load_n(&p->over, __ATOMIC_SEQ_CST))
		take_part(t);
	return NULL;
}

void
parallel_run(struct parallel *p, ps_t until)
{
	struct virtual_drive *v = p->v;

	if (v->next < until) {
		p->stop = until;
		begin_window(p);
		__atomic_store_n(&p->running, true, __ATOMIC_SEQ_CST);
		open_phase(p);
		complete(&p->threads[0], 1);
		wake_some(p);
	}
	while (__atomic_load_n(&p->running, __ATOMIC_SEQ_CST))
		take_part(&p->threads[0]);
	if (v->now < until && v->next != PS_NEVER)
		v->now = until;
}
