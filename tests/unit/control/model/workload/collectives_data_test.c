// SPDX-License-Identifier: BSD-3-Clause
// That the algorithms do what they are for: flows and gates are carried out here without a network,
// each message taking with it what its sender has at that moment, in many orders of sending and
// arriving, for several times in a row. Then every rank must have what the collective promises.
//
// Of every rank, chunk and time a set of ranks is kept whose contributions are in it. What arrives
// is either complete, or is added, and then must not have been added before.
#include "dataplane/base/random.h"
#include "made.h"

#define RANKS_MAX 9
#define CHANNELS_MAX 3
#define CHUNKS_MAX (RANKS_MAX * CHANNELS_MAX) // channel by channel
#define TIMES 3
#define MESSAGES_MAX 64

struct progress {                 // of one flow
	uint32_t sent, delivered; // of TIMES * count
	uint16_t carried[TIMES * MESSAGES_MAX][CHUNKS_MAX];
};

struct model {
	const struct workload *w;
	const struct collective_spec *c;
	const struct rank_spec *ranks;
	struct progress flows[RANKS_MAX * RANKS_MAX * 2];
	uint32_t time[RANKS_MAX]; // that each rank is at
	uint16_t has[TIMES][RANKS_MAX][CHUNKS_MAX];
	uint16_t all;
	bool gate_alone; // a gate is its inbox without those before it
	bool wrong;      // something was added twice, or sent before it was there
};

static const struct flow_spec *
flow_at(const struct model *m, uint32_t i)
{
	return &m->w->flows[m->c->first_flow + i];
}

static bool
is(const struct model *m, const char *what)
{
	return strcmp(m->c->algorithm, what) == 0 || strcmp(m->c->kind, what) == 0;
}

// ---- what a message carries ---------------------------------------------------------------------

// Which half of which range, step by step, in halving and doubling.
static void
halving_range(const struct model *m, const struct flow_spec *f, uint32_t *first, uint32_t *end)
{
	uint32_t steps = m->ranks[0].inbox_count / 2;
	bool doubling = f->inbox >= steps;
	uint32_t last = doubling ? 2 * steps - 1 - f->inbox : f->inbox;
	uint32_t whose = doubling ? f->from_rank : f->to_rank; // who keeps it, or has it

	*first = 0;
	*end = m->c->rank_count;
	for (uint32_t step = 0; step <= last; step++) {
		uint32_t middle = (*first + *end) / 2;

		if (whose & 1u << step)
			*first = middle;
		else
			*end = middle;
	}
}

static uint64_t
share(uint64_t bytes, uint32_t parts, uint32_t part)
{
	return bytes / parts + (part < bytes % parts);
}

// The chunks [first, end) that message k carries; as many bytes as they have must be sent.
static void
chunks_of(const struct model *m, const struct flow_spec *f, uint32_t k, uint32_t *first,
	  uint32_t *end)
{
	uint32_t chunks = is(m, "tree") ? f->messages.count : m->c->rank_count;
	uint64_t whole = m->c->bytes, bytes = 0;

	if (is(m, "halving-doubling")) {
		halving_range(m, f, first, end);
	} else {
		if (is(m, "ring"))
			*first = (f->messages.first + k * f->messages.step) % f->messages.of;
		else
			*first = is(m, "tree") ? k : f->to_rank;
		*end = *first + 1;
	}
	if (is(m, "ring"))
		whole = share(m->c->bytes, m->ranks[0].inbox_count, f->inbox);
	for (uint32_t chunk = *first; chunk < *end; chunk++)
		bytes += share(whole, chunks, chunk);
	assert_int_equal(flow_message_bytes(&f->messages, k), bytes);
	if (is(m, "ring")) {
		*first += f->inbox * m->c->rank_count;
		*end = *first + 1;
	}
}

// ---- sending and arriving -----------------------------------------------------------------------

static bool
gate_is_open(const struct model *m, const struct flow_spec *f, uint32_t time, uint32_t k)
{
	bool open = true;

	if (m->time[f->from_rank] < time)
		return false;
	for (uint32_t i = 0; f->gate != WORKLOAD_NONE && i < m->c->flow_count; i++) {
		const struct flow_spec *in = flow_at(m, i);

		if (in->to_rank == f->from_rank && in->inbox <= f->gate &&
		    !((m->gate_alone || m->ranks[f->from_rank].inboxes_apart) &&
		      in->inbox < f->gate))
			open &= m->flows[i].delivered >=
				time * in->messages.count + k + f->gate_lead;
	}
	return open;
}

static bool
try_send(struct model *m, uint32_t i)
{
	const struct flow_spec *f = flow_at(m, i);
	struct progress *p = &m->flows[i];
	uint32_t time = p->sent / f->messages.count, k = p->sent % f->messages.count, first, end;

	if (time == TIMES || !gate_is_open(m, f, time, k))
		return false;
	chunks_of(m, f, k, &first, &end);
	for (uint32_t chunk = first; chunk < end; chunk++) {
		p->carried[p->sent][chunk] = m->has[time][f->from_rank][chunk];
		m->wrong |= p->carried[p->sent][chunk] == 0;
	}
	p->sent++;
	return true;
}

// A rank goes on to the next time when its inboxes have all of this one.
static void
advance(struct model *m, uint32_t rank)
{
	bool full = true;

	for (uint32_t i = 0; i < m->c->flow_count; i++) {
		const struct flow_spec *f = flow_at(m, i);

		if (f->to_rank == rank)
			full &= m->flows[i].delivered >= (m->time[rank] + 1) * f->messages.count;
	}
	m->time[rank] += full;
}

static bool
try_deliver(struct model *m, uint32_t i)
{
	const struct flow_spec *f = flow_at(m, i);
	struct progress *p = &m->flows[i];
	uint32_t time = p->delivered / f->messages.count, k = p->delivered % f->messages.count;
	uint32_t first, end;

	if (p->delivered == p->sent)
		return false;
	chunks_of(m, f, k, &first, &end);
	for (uint32_t chunk = first; chunk < end; chunk++) {
		uint16_t carried = p->carried[p->delivered][chunk];
		uint16_t *has = &m->has[time][f->to_rank][chunk];

		if (carried != m->all && is(m, "all-reduce"))
			m->wrong |= (*has & carried) != 0;
		*has |= carried;
	}
	p->delivered++;
	advance(m, f->to_rank);
	return true;
}

// ---- what must come of it -----------------------------------------------------------------------

static uint32_t
count_chunks(const struct model *m)
{
	if (is(m, "ring"))
		return m->c->rank_count * m->ranks[0].inbox_count;
	return is(m, "tree") ? flow_at(m, 0)->messages.count : m->c->rank_count;
}

// Whether the chunk is the rank's own: in a ring, that of its place there.
static bool
owns(const struct model *m, uint32_t rank, uint32_t chunk)
{
	uint32_t n = m->c->rank_count;

	if (!is(m, "ring"))
		return chunk == rank;
	for (uint32_t place = 0; place < n; place++)
		if (flow_at(m, chunk / n * n + place)->from_rank == rank)
			return chunk % n == place;
	return false;
}

// What a rank begins with: of a reduction its contribution to every chunk; else its own chunk, or
// its own of every chunk.
static void
begin(struct model *m)
{
	for (uint32_t t = 0; t < TIMES; t++)
		for (uint32_t r = 0; r < m->c->rank_count; r++)
			for (uint32_t chunk = 0; chunk < count_chunks(m); chunk++)
				m->has[t][r][chunk] = !is(m, "all-gather") ? 1u << r
						      : owns(m, r, chunk)  ? m->all
									   : 0;
}

// All chunks complete; of a reduce-scatter, and of what all others send it, a rank's own.
static bool
is_complete(const struct model *m)
{
	uint32_t chunks = count_chunks(m);
	bool own = is(m, "reduce-scatter") || is(m, "all-to-all"), good = !m->wrong;

	for (uint32_t t = 0; t < TIMES; t++)
		for (uint32_t r = 0; r < m->c->rank_count; r++)
			for (uint32_t chunk = 0; chunk < chunks; chunk++)
				if ((!own || owns(m, r, chunk)) &&
				    (m->c->bytes >= chunks || !is(m, "direct")))
					good &= m->has[t][r][chunk] == m->all;
	for (uint32_t r = 0; r < m->c->rank_count; r++)
		good &= m->time[r] == TIMES || m->ranks[r].inbox_count == 0;
	return good;
}

// Carries out one collective in one order; eager: all is sent at the first moment that its gate
// allows. Returns whether it did what it is for.
static bool
carry_out(const struct workload *w, uint64_t seed, bool eager, bool gate_alone)
{
	struct model *m = calloc(1, sizeof(*m));
	struct random random = random_stream(seed, 1);
	uint32_t idle = 0;
	bool complete;

	assert_non_null(m);
	m->w = w;
	m->gate_alone = gate_alone;
	m->c = &w->collectives[0];
	m->ranks = &w->ranks[m->c->first_rank];
	m->all = (uint16_t)((1u << m->c->rank_count) - 1);
	assert_true(m->c->flow_count <= sizeof(m->flows) / sizeof(m->flows[0]));
	begin(m);
	for (uint32_t r = 0; r < m->c->rank_count; r++)
		if (m->ranks[r].inbox_count == 0)
			m->time[r] = TIMES;
	while (idle < 2000) {
		bool sent = false, did;

		for (uint32_t i = 0; eager && i < m->c->flow_count; i++)
			sent |= try_send(m, i);
		did = random_below(&random, 2) == 0
			      ? try_send(m, random_below(&random, m->c->flow_count))
			      : try_deliver(m, random_below(&random, m->c->flow_count));
		idle = sent || did ? 0 : idle + 1;
	}
	complete = is_complete(m);
	free(m);
	return complete;
}

#define ALGORITHMS 7
static const char *const items[ALGORITHMS] = {
	"all-reduce, algorithm: ring",
	"all-reduce, algorithm: tree, chunk: 3B",
	"all-reduce, algorithm: halving-doubling",
	"all-gather, algorithm: ring",
	"reduce-scatter, algorithm: ring",
	"all-to-all, algorithm: direct",
	"all-to-all, algorithm: shift",
};

static void
make_item(struct made *m, unsigned ranks, unsigned algorithm, unsigned size)
{
	char item[96];

	snprintf(item, sizeof(item), "  - {kind: %s, size: %uB}\n", items[algorithm], size);
	make_leaf(m, ranks, item);
}

static bool
takes(unsigned algorithm, unsigned ranks)
{
	return algorithm != 2 || (ranks & (ranks - 1)) == 0;
}

static void
test_every_rank_has_all(void **state)
{
	(void)state;
	for (unsigned a = 0; a < ALGORITHMS; a++) {
		for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++) {
			const unsigned sizes[] = {1, ranks + 1, 3 * ranks, 25};

			for (unsigned s = 0; s < 4 && takes(a, ranks); s++) {
				struct made m;

				make_item(&m, ranks, a, sizes[s]);
				for (unsigned seed = 0; seed < 6; seed++)
					if (!carry_out(m.w, seed, seed % 2 == 0, false))
						fail_msg("%s, %u ranks, %u bytes, seed %u",
							 items[a], ranks, sizes[s], seed);
				drop(&m);
			}
		}
	}
}

// Hosts of three NICs: rings at once, in other orders.
static void
test_channels(void **state)
{
	static const unsigned rings[] = {0, 3, 4};
	char fabric[128], item[96];
	struct made m;

	(void)state;
	for (unsigned hosts = 1; hosts <= RANKS_MAX / 3; hosts++) {
		snprintf(fabric, sizeof(fabric),
			 "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, "
			 "hosts-per-leaf: %u, planes: 3}\n",
			 hosts);
		for (unsigned i = 0; i < 6; i++) {
			snprintf(item, sizeof(item), "  - {kind: %s, size: %uB}\n",
				 items[rings[i / 2]], i % 2 ? 2 : 100);
			make(&m, fabric, item);
			assert_int_equal(m.error, 0);
			assert_int_equal(m.w->ranks[0].inbox_count, CHANNELS_MAX);
			for (unsigned seed = 0; seed < 6; seed++)
				if (!carry_out(m.w, seed, seed % 2 == 0, false))
					fail_msg("%s, %u hosts, seed %u", item, hosts, seed);
			drop(&m);
		}
	}
}

// Without gates, or with gates that open a message early, what is sent is not yet there.
static void
test_gates_are_needed(void **state)
{
	(void)state;
	for (unsigned a = 0; a < 5; a++) {
		for (unsigned early = 0; early < 2; early++) {
			unsigned wrong = 0;
			struct made m;

			make_item(&m, 8, a, 24);
			for (uint32_t i = 0; i < m.w->flow_count; i++) {
				struct flow_spec *f = &m.w->flows[i];

				if (early == 0)
					f->gate = WORKLOAD_NONE;
				else if (f->gate != WORKLOAD_NONE)
					f->gate_lead--;
			}
			for (unsigned seed = 0; seed < 6; seed++)
				wrong += !carry_out(m.w, seed, true, false);
			if (wrong != 6)
				fail_msg("%s: complete in %u of 6 orders", items[a], 6 - wrong);
			drop(&m);
		}
	}
}

// A partner may be a turn ahead: what the last turn brought is then there before that of the one
// before it, and the next must wait for both.
static void
test_gates_include_those_before(void **state)
{
	unsigned wrong = 0;
	struct made m;

	(void)state;
	make_item(&m, 8, 2, 24);
	for (unsigned seed = 0; seed < 20; seed++)
		wrong += !carry_out(m.w, seed, true, true);
	assert_true(wrong > 0);
	drop(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_rank_has_all),
		cmocka_unit_test(test_channels),
		cmocka_unit_test(test_gates_are_needed),
		cmocka_unit_test(test_gates_include_those_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
