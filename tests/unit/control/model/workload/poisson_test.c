// SPDX-License-Identifier: BSD-3-Clause
// Poisson arrivals: their load, spacing, destinations and priorities.
#include "made.h"

#include <unistd.h>

#define HOSTS 8
#define RATE 100e9
#define LEAF8                                                                        \
	"fabric:\n  seed: %u\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, " \
	"hosts-per-leaf: 8}\n"

static void
make_seed(struct made *m, unsigned seed, const char *items)
{
	char fabric[160];

	snprintf(fabric, sizeof(fabric), LEAF8, seed);
	make(m, fabric, items);
	assert_int_equal(m->error, 0);
}

// 100 ms at 40 % of 100G from 8 hosts: 101,000 flows each, of 39,424 B in the mean; the load of so
// many is within 1 % but once in 10^9.
static void
test_load(void **state)
{
	static const char *const items =
		"  - {kind: poisson, load: 40%, sizes: rpc, at: 5us, until: 100005us}\n";
	uint64_t bytes = 0, pairs[HOSTS][HOSTS] = {{0}};
	double load, chi = 0;
	struct made m;

	(void)state;
	make_seed(&m, 1, items);
	for (uint32_t i = 0; i < m.w->flow_count; i++) {
		const struct flow_spec *f = &m.w->flows[i];

		assert_true(f->start_ps >= 5000000 && f->start_ps < 100005000000);
		assert_true(i == 0 || f->start_ps >= f[-1].start_ps);
		assert_int_not_equal(f->src, f->dst);
		pairs[f->src][f->dst]++;
		bytes += f->bytes;
	}
	load = bytes * 8 / (HOSTS * RATE * .1);
	assert_true(load > .4 * .99 && load < .4 * 1.01);
	// 56 pairs, each as likely: chi-square with 55 degrees of freedom is below 94 but once in a
	// thousand.
	for (unsigned a = 0; a < HOSTS; a++) {
		for (unsigned b = 0; b < HOSTS; b++) {
			double mean = m.w->flow_count / 56.0, off = pairs[a][b] - mean;

			chi += a != b ? off * off / mean : 0;
		}
	}
	assert_true(chi < 94);
	drop(&m);
}

// Gaps at one NIC are exponential: mean and standard deviation are equal, and e^-1 of them are
// longer than the mean.
static void
test_gaps(void **state)
{
	double sum = 0, squares = 0, mean, deviation;
	unsigned count = 0, longer = 0;
	struct made m;

	(void)state;
	// 1000 B at 25G are 320 ns; of 100G a quarter.
	make_seed(&m, 3, "  - {kind: poisson, load: 25%, sizes: one.cdf, until: 20ms}\n");
	for (uint32_t i = 0, last = UINT32_MAX; i < m.w->flow_count; i++) {
		const struct flow_spec *f = &m.w->flows[i];
		double gap;

		if (f->src != 2)
			continue;
		gap = last == UINT32_MAX ? 0 : (double)(f->start_ps - m.w->flows[last].start_ps);
		last = i;
		sum += gap;
		squares += gap * gap;
		longer += gap > 320000;
		count++;
	}
	mean = sum / count;
	deviation = squares / count - mean * mean;
	assert_in_range(count, 62500 - 4 * 250, 62500 + 4 * 250);
	assert_true(mean > .98 * 320000 && mean < 1.02 * 320000);
	assert_true(deviation > .95 * mean * mean && deviation < 1.05 * mean * mean);
	assert_true(longer > .36 * count && longer < .376 * count);
	drop(&m);
}

static void
test_seed(void **state)
{
	static const char *const items = "  - {kind: poisson, load: 50%, sizes: hadoop, until: "
					 "500us, hosts: [h1, h2, h3]}\n";
	static const char *const more = "  - {kind: poisson, load: 50%, sizes: hadoop, until: "
					"500us, hosts: [h1, h2, h3, h4]}\n";
	struct made m, again, other, four;

	(void)state;
	make_seed(&m, 1, items);
	make_seed(&again, 1, items);
	make_seed(&other, 2, items);
	make_seed(&four, 1, more);
	assert_true(m.w->flow_count > 10);
	assert_int_equal(m.w->flow_count, again.w->flow_count);
	for (uint32_t i = 0; i < m.w->flow_count; i++) {
		const struct flow_spec *a = &m.w->flows[i], *b = &again.w->flows[i];

		assert_true(a->src == b->src && a->dst == b->dst && a->bytes == b->bytes &&
			    a->start_ps == b->start_ps);
	}
	assert_true(other.w->flows[0].start_ps != m.w->flows[0].start_ps);
	// What one host draws does not depend on how many others there are.
	for (uint32_t i = 0, k = 0; i < m.w->flow_count; i++, k++) {
		while (four.w->flows[k].src == 3)
			k++;
		assert_int_equal(four.w->flows[k].src, m.w->flows[i].src);
		assert_int_equal(four.w->flows[k].start_ps, m.w->flows[i].start_ps);
		assert_int_equal(four.w->flows[k].bytes, m.w->flows[i].bytes);
	}
	drop(&m);
	drop(&again);
	drop(&other);
	drop(&four);
}

static void
test_mix(void **state)
{
	unsigned of[CONFIG_PRIORITIES] = {0};
	double off;
	struct made m;

	(void)state;
	make_seed(&m, 1,
		  "  - {kind: poisson, load: 25%, sizes: one.cdf, until: 4ms, mix: {3: 90%, 0: "
		  "9.5%, 7: 0.5%}}\n");
	for (uint32_t i = 0; i < m.w->flow_count; i++)
		of[m.w->flows[i].priority]++;
	off = of[3] - .9 * m.w->flow_count;
	assert_int_equal(of[0] + of[3] + of[7], m.w->flow_count);
	assert_true(off * off < 16 * .9 * .1 * m.w->flow_count);
	off = of[7] - .005 * m.w->flow_count;
	assert_true(off * off < 16 * .005 * m.w->flow_count);
	drop(&m);
}

#define TWO "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}\n"

static void
test_refused(void **state)
{
	(void)state;
	assert_refused(TWO, "  - {kind: poisson, load: 50%, sizes: one.cdf, until: 1000s}\n",
		       "t.yaml:4:5: workload.until: about 12500000000 flows of 1000.0 bytes on "
		       "average by then; at most 16777216");
	assert_refused(TWO, "  - {kind: poisson, load: 50%, sizes: non.cdf, until: 1us}\n",
		       "t.yaml:4:39: workload.sizes: non.cdf cannot be read");
	assert_refused(FIXTURE_DEMO, "  - {kind: poisson, load: 90%, sizes: rpc, until: 1ms}\n",
		       "traffic between tenants that no route joins");
}

// The tests run where a file one.cdf is: all flows are of 1000 bytes.
static int
enter(void **state)
{
	char *folder = strdup("/tmp/roost-poisson-XXXXXX");
	FILE *to;

	if (mkdtemp(folder) == NULL || chdir(folder) != 0)
		return -1;
	*state = folder;
	to = fopen("one.cdf", "w");
	fprintf(to, "1000 100\n");
	return fclose(to);
}

static int
leave(void **state)
{
	unlink("one.cdf");
	rmdir(*state);
	free(*state);
	return 0;
}

// Prefill hosts send to decode hosts, which request.
static void
test_receivers(void **state)
{
	static const char eight[] = "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, "
				    "hosts-per-leaf: 8}\n";
	uint32_t to[8] = {0}, from[8] = {0};
	struct made m;

	(void)state;
	make_leaf(&m, 8,
		  "  - {kind: poisson, load: 40%, sizes: rpc, until: 2ms, hosts: h1-h3, receivers: "
		  "[h3, h7-h8], op: read}\n");
	for (uint32_t i = 0; i < m.w->flow_count; i++) {
		assert_int_not_equal(m.w->flows[i].src, m.w->flows[i].dst);
		assert_int_equal(m.w->flows[i].op, CONFIG_OP_READ);
		from[m.w->flows[i].src]++;
		to[m.w->flows[i].dst]++;
	}
	assert_true(from[0] > 0 && from[1] > 0 && from[2] > 0);
	assert_int_equal(from[0] + from[1] + from[2], m.w->flow_count);
	assert_true(to[2] > 0 && to[6] > to[2] && to[7] > to[2]);
	assert_int_equal(to[2] + to[6] + to[7], m.w->flow_count);
	drop(&m);
	// One sender is enough.
	make_leaf(&m, 2,
		  "  - {kind: poisson, load: 40%, sizes: rpc, until: 2ms, hosts: h1, receivers: "
		  "h2}\n");
	drop(&m);
	assert_refused(eight,
		       "  - {kind: poisson, load: 40%, sizes: rpc, until: 2ms, hosts: [h1, h2], "
		       "receivers: h2}\n",
		       "all NICs that receive belong to one host, which sends too");
	assert_refused(eight,
		       "  - {kind: poisson, load: 40%, sizes: rpc, until: 2ms, receivers: h9}\n",
		       "workload.receivers");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load),    cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_seed),    cmocka_unit_test(test_mix),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_receivers),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
