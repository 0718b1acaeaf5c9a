// SPDX-License-Identifier: BSD-3-Clause
// Set-up of virtual time on several threads: which thread has which nodes, the wires between
// switches, and the threads themselves.
#include "parallel_internal.h"

#include "dataplane/base/packet_shares.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SPIN_TSC 50000        // some 20 us
#define SPIN_TSC_CROWDED 1000 // with more threads than cores
#define NIC_UNIT_MAX 32
#define NIC_UNITS 8 // a thread has so many, if they are not larger than that

// Puts nodes of a kind, from `first` to `end`, in the order of their threads, and cuts them into
// units.
static void
cut_segments(struct parallel *p, enum phase_kind kind, const uint16_t *places, struct node **sorted)
{
	struct virtual_drive *v = p->v;
	uint32_t first = kind == PHASE_SWITCHES ? 0 : v->switch_count;
	uint32_t end = kind == PHASE_SWITCHES ? v->switch_count : v->node_count, at = first;
	uint32_t each = (end - first) / (p->thread_count * NIC_UNITS) + 1;

	p->unit_nodes[kind] = kind == PHASE_SWITCHES ? 1
			      : each < NIC_UNIT_MAX  ? each
						     : NIC_UNIT_MAX;
	for (uint32_t t = 0; t < p->thread_count; t++) {
		struct parallel_segment *s = &p->threads[t].segments[kind];

		s->first = at;
		for (uint32_t i = first; i < end; i++)
			if (places[i] == t)
				sorted[at++] = v->nodes[i];
		s->end = at;
		s->units = (s->end - s->first + p->unit_nodes[kind] - 1) / p->unit_nodes[kind];
		p->units[kind] += s->units;
	}
}

static int
place_nodes(struct parallel *p, const uint16_t *places)
{
	struct virtual_drive *v = p->v;
	uint32_t nics = v->node_count - v->switch_count;
	struct node **sorted = calloc(v->node_count + 1, sizeof(struct node *));
	uint16_t *even = calloc(v->node_count + 1, sizeof(*even));

	if (sorted == NULL || even == NULL) {
		free(sorted);
		free(even);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < v->node_count; i++)
		even[i] = (uint16_t)(i < v->switch_count
					     ? (uint64_t)i * p->thread_count / v->switch_count
					     : (uint64_t)(i - v->switch_count) * p->thread_count /
						       nics);
	for (unsigned int kind = 0; kind < PHASE_KINDS; kind++)
		cut_segments(p, kind, places != NULL ? places : even, sorted);
	for (uint32_t i = 0; i < v->node_count; i++)
		v->nodes[i] = sorted[i];
	free(sorted);
	free(even);
	return 0;
}

// Wires that lead from one switch to another; the rest of a switch's wires lead to NICs.
static void
phase_wires(const struct virtual_drive *v, bool phased)
{
	for (uint32_t i = 0; i < v->node_count; i++) {
		struct node *n = v->nodes[i];

		for (unsigned int k = 0; k < n->port_count; k++) {
			struct wire *w = i < v->switch_count ? n->ports[k].out : n->ports[k].in;

			if (w != NULL && !w->cut)
				wire_set_phased(w, phased && i < v->switch_count);
		}
	}
}

uint32_t
parallel_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static int
start_threads(struct parallel *p)
{
	for (p->started = 1; p->started < p->thread_count; p->started++)
		if (pthread_create(&p->threads[p->started].id, NULL, parallel_thread_main,
				   &p->threads[p->started]) != 0)
			return -EAGAIN;
	return 0;
}

static int
check_places(const struct virtual_drive *v, uint32_t threads, const uint16_t *places)
{
	if (threads == 0 || threads > PARALLEL_THREADS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; places != NULL && i < v->node_count; i++)
		if (places[i] >= threads)
			return -EINVAL;
	return 0;
}

static struct parallel *
allocate(struct virtual_drive *v, uint32_t threads)
{
	size_t bytes = sizeof(struct parallel) + threads * sizeof(struct parallel_thread);
	struct parallel *p = aligned_alloc(PARALLEL_LINE, bytes);

	if (p == NULL)
		return NULL;
	memset(p, 0, bytes);
	p->v = v;
	p->thread_count = threads;
	p->cores = parallel_cores();
	p->spin_tsc = threads > p->cores ? SPIN_TSC_CROWDED : SPIN_TSC;
	p->phase = PHASE_NICS; // of a window that is over
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	for (uint32_t i = 0; i < threads; i++) {
		struct parallel_thread *t = &p->threads[i];

		t->parallel = p;
		t->index = i;
		t->seen = p->phase;
		t->claims = (uint64_t)p->phase << 32 | UINT32_MAX;
	}
	return p;
}

int
parallel_create(struct parallel **out, struct virtual_drive *v, uint32_t threads,
		const uint16_t *places, struct packet_pool *packets)
{
	int rc = check_places(v, threads, places);
	struct parallel *p;

	if (rc != 0)
		return rc;
	p = allocate(v, threads);
	if (p == NULL)
		return -ENOMEM;
	rc = packet_shares_create(&p->shares, packets, threads);
	if (rc == 0 && v->cut != NULL)
		rc = cut_set_threads(v->cut, threads);
	if (rc == 0)
		rc = place_nodes(p, places);
	if (rc != 0) {
		parallel_destroy(p);
		return rc;
	}
	p->packets = packets;
	for (uint32_t i = 0; i < threads; i++)
		p->threads[i].packets = packet_shares_get(p->shares, i);
	for (uint32_t i = 0; i < v->node_count; i++)
		v->nodes[i]->packets = p->threads[0].packets;
	phase_wires(v, true);
	rc = start_threads(p);
	if (rc != 0) {
		parallel_destroy(p);
		return rc;
	}
	*out = p;
	return 0;
}

void
parallel_measure(struct parallel *p)
{
	__atomic_store_n(&p->measured, true, __ATOMIC_RELAXED);
}

void
parallel_read_work(const struct parallel *p, uint32_t thread, struct parallel_work *out)
{
	const struct parallel_thread *t = &p->threads[thread];
	clockid_t clock = CLOCK_THREAD_CPUTIME_ID;

	if (thread != 0)
		pthread_getcpuclockid(t->id, &clock);
	*out = (struct parallel_work){
		.units = t->units,
		.helped = t->helped,
		.busy_s = 1e-9 * (double)t->busy_ns,
		.cpu_s = 1e-9 * (double)parallel_clock_ns(clock),
	};
}

void
parallel_destroy(struct parallel *p)
{
	if (p == NULL)
		return;
	__atomic_store_n(&p->over, true, __ATOMIC_SEQ_CST);
	parallel_wake_all(p);
	for (uint32_t i = 1; i < p->started; i++)
		pthread_join(p->threads[i].id, NULL);
	if (p->v->cut != NULL)
		cut_set_threads(p->v->cut, 1);
	if (p->packets != NULL) {
		phase_wires(p->v, false);
		for (uint32_t i = 0; i < p->v->node_count; i++)
			p->v->nodes[i]->packets = p->packets;
	}
	packet_shares_destroy(p->shares);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
