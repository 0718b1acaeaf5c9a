// SPDX-License-Identifier: BSD-3-Clause
// NICs of hosts in planes and rails: who takes part, by which NIC, and what crosses inside a host.
#include "made.h"

// Four hosts with a NIC in each of two planes; handing over takes 1 us and 10 ps a byte.
#define PLANES                                                                                 \
	"fabric:\n"                                                                            \
	"  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2, planes: 2}\n" \
	"hosts: {inside: {rate: 800G, delay: 1us}}\n"

#define RAILS                                                                 \
	"fabric:\n"                                                           \
	"  topology: {kind: rail, leaves: 2, spines: 2, hosts-per-leaf: 4}\n" \
	"hosts: {inside: {rate: 800G, delay: 1us}%s}\n"

static void
assert_flow(const struct made *m, uint32_t i, const char *from, const char *to, ps_t handover)
{
	const struct flow_spec *f = &m->w->flows[i];
	char text[CONFIG_NAME_MAX + 16];

	snprintf(text, sizeof(text), "%s.eth%u", topology_host(m->f.topology, f->src)->name,
		 f->src_port + 1u);
	assert_string_equal(text, from);
	snprintf(text, sizeof(text), "%s.eth%u", topology_host(m->f.topology, f->dst)->name,
		 f->dst_port + 1u);
	assert_string_equal(text, to);
	assert_int_equal(f->handover_ps, handover);
	assert_int_equal(f->inside, f->src == f->dst);
	assert_true(f->inside ||
		    topology_joined(m->f.topology, f->src, f->src_port, f->dst, f->dst_port));
}

static void
test_flow(void **state)
{
	struct made m;

	(void)state;
	make(&m, PLANES,
	     "  - {kind: flow, from: h1, to: h3, size: 100B}\n"
	     "  - {kind: flow, from: h1.eth2, to: h3.eth2, size: 100B}\n"
	     "  - {kind: flow, from: h1.eth1, to: h3.eth2, size: 100B}\n"
	     "  - {kind: flow, from: h1.eth2, to: h3, size: 1KB, op: read}\n"
	     "  - {kind: incast, from: [h2, h4.eth2], to: h3.eth2, size: 1KB}\n"
	     "  - {kind: stream, from: h1.eth2, to: h4.eth1, rate: 1G, until: 1us}\n");
	assert_int_equal(m.error, 0);
	assert_flow(&m, 0, "h1.eth1", "h3.eth1", 0);
	assert_flow(&m, 1, "h1.eth2", "h3.eth2", 0);
	assert_flow(&m, 2, "h1.eth2", "h3.eth2", 1001000);
	assert_flow(&m, 3, "h1.eth1", "h3.eth1", 1010000);
	assert_int_equal(m.w->flows[3].op, CONFIG_OP_READ);
	assert_flow(&m, 4, "h2.eth2", "h3.eth2", 1010000);
	assert_flow(&m, 5, "h2.eth2", "h3.eth2", 0);
	assert_flow(&m, 6, "h4.eth2", "h3.eth2", 0);
	assert_int_equal(m.w->flow_count, 7);
	assert_int_equal(m.w->streams[0].src_port, 0);
	assert_int_equal(m.w->streams[0].dst_port, 0);
	drop(&m);
}

// NIC by NIC, and none within a host. By two hosts; then in a list of a host, one NIC and a host.
static void
test_shift(void **state)
{
	struct made m;

	(void)state;
	make(&m, PLANES,
	     "  - {kind: shift, size: 1KB, by: 2}\n"
	     "  - {kind: shift, size: 1KB, hosts: [h1, h2.eth2, h3]}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 13);
	assert_flow(&m, 0, "h1.eth1", "h3.eth1", 0);
	assert_flow(&m, 1, "h1.eth2", "h3.eth2", 0);
	assert_flow(&m, 7, "h4.eth2", "h2.eth2", 0);
	assert_flow(&m, 8, "h1.eth2", "h2.eth2", 1010000);
	assert_flow(&m, 9, "h1.eth2", "h2.eth2", 0);
	assert_flow(&m, 10, "h2.eth1", "h3.eth1", 1010000);
	assert_flow(&m, 11, "h3.eth1", "h1.eth1", 0);
	assert_flow(&m, 12, "h3.eth2", "h1.eth2", 0);
	drop(&m);
}

static void
test_permutation(void **state)
{
	unsigned to[8] = {0}, crossing = 0;
	struct made m;

	(void)state;
	make(&m, PLANES, "  - {kind: permutation, size: 1KB}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 8);
	for (uint32_t i = 0; i < 8; i++) {
		const struct flow_spec *f = &m.w->flows[i];

		assert_int_equal(f->src, i / 2);
		assert_int_not_equal(f->dst, f->src);
		to[f->dst * 2 + f->dst_port]++;
		crossing += f->handover_ps != 0;
		assert_int_equal(f->handover_ps, f->src_port == i % 2 ? 0 : 1010000);
	}
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(to[i], 1);
	assert_true(crossing > 0);
	drop(&m);
	assert_refused(PLANES, "  - {kind: permutation, size: 1KB, hosts: [h1, h2.eth1]}\n",
		       "h1 has more than half of the 3 NICs");
}

// Four ranks in a ring: two of each host, one step in two inside it. Two ranks of a host reach
// another one's by the planes in which that is.
static void
test_collective(void **state)
{
	struct made m;

	(void)state;
	make(&m, PLANES,
	     "  - {kind: all-reduce, size: 4002B, hosts: [h1, h4]}\n"
	     "  - {kind: all-to-all, size: 40B, hosts: [h1.eth1, h2.eth2]}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->collectives[0].rank_count, 4);
	assert_int_equal(m.w->ranks[1].host, 0);
	assert_int_equal(m.w->ranks[1].port, 1);
	// Two channels, each by the NIC that it came by; the largest chunk: 501 B
	assert_flow(&m, 0, "h1.eth1", "h1.eth2", 1005010);
	assert_flow(&m, 1, "h1.eth1", "h4.eth1", 1005010);
	assert_flow(&m, 2, "h4.eth1", "h4.eth2", 1005010);
	assert_flow(&m, 3, "h4.eth1", "h1.eth1", 1005010);
	assert_flow(&m, 4, "h1.eth2", "h1.eth1", 1005010);
	assert_flow(&m, 5, "h1.eth2", "h4.eth2", 1005010);
	assert_flow(&m, 6, "h4.eth2", "h4.eth1", 1005010);
	assert_flow(&m, 7, "h4.eth2", "h1.eth2", 1005010);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(m.w->flows[4 * i + 1].from_rank, 1 - i);
		assert_int_equal(m.w->flows[4 * i + 1].to_rank, 2 + i);
		assert_int_equal(m.w->flows[4 * i].bytes + m.w->flows[4 * i + 2].bytes,
				 m.w->flows[4 * i + 1].bytes + m.w->flows[4 * i + 3].bytes);
	}
	assert_flow(&m, 8, "h1.eth2", "h2.eth2", 1000200);
	assert_flow(&m, 9, "h2.eth1", "h1.eth1", 1000200);
	drop(&m);
	assert_refused(PLANES,
		       "  - {kind: poisson, load: 1%, sizes: rpc, until: 1us, hosts: "
		       "[h1.eth1, h1.eth2]}\n",
		       "all NICs belong to one host");
	assert_refused(PLANES, "  - {kind: flow, from: h1.eth1, to: h1.eth2, size: 1B}\n",
		       "h1 would send to itself");
	assert_refused(PLANES, "  - {kind: flow, from: h1.eth3, to: h2, size: 1B}\n",
		       "workload.from: h1 has no port eth3; it has eth1 .. eth2");
}

// Rails are joined by spines: only with pxn does anything cross inside.
static void
test_rails(void **state)
{
	static const char *const item = "  - {kind: flow, from: h1.eth1, to: h3.eth2, size: 1KB}\n";
	char text[256];
	struct made m;

	(void)state;
	snprintf(text, sizeof(text), RAILS, "");
	make(&m, text, item);
	assert_int_equal(m.error, 0);
	assert_flow(&m, 0, "h1.eth1", "h3.eth2", 0);
	drop(&m);
	snprintf(text, sizeof(text), RAILS, ", pxn: on");
	make(&m, text, item);
	assert_int_equal(m.error, 0);
	assert_flow(&m, 0, "h1.eth2", "h3.eth2", 1010000);
	drop(&m);
}

// But for rings, which leave each host by the NIC that they came by; not by one that does not take
// part.
static void
test_rings_on_rails(void **state)
{
	char text[256];
	struct made m;

	(void)state;
	snprintf(text, sizeof(text), RAILS, "");
	make(&m, text,
	     "  - {kind: all-gather, size: 4002B, hosts: [h1, h3]}\n"
	     "  - {kind: all-gather, size: 40B, hosts: [h1.eth1, h3.eth2]}\n");
	assert_int_equal(m.error, 0);
	assert_flow(&m, 0, "h1.eth1", "h1.eth2", 1005010);
	assert_flow(&m, 1, "h1.eth1", "h3.eth1", 1005010);
	assert_flow(&m, 3, "h3.eth1", "h1.eth1", 1005010);
	assert_flow(&m, 5, "h1.eth2", "h3.eth2", 1005010);
	assert_flow(&m, 7, "h3.eth2", "h1.eth2", 1005010);
	assert_flow(&m, 8, "h1.eth1", "h3.eth2", 0);
	assert_flow(&m, 9, "h3.eth2", "h1.eth1", 0);
	drop(&m);
}

// In chunks of 10 bytes, bytes for another NIC may be sent on when the first one is there; to
// another rank of the host the message counts.
static void
test_chunks(void **state)
{
	static const char *const items = "  - {kind: flow, from: h1.eth1, to: h2.eth2, size: 1KB}\n"
					 "  - {kind: flow, from: h1.eth1, to: h2.eth2, size: 7B}\n"
					 "  - {kind: all-to-all, size: 40B, hosts: [h1.eth1, "
					 "h1.eth2, h3.eth2], pairs: %s}\n";
	static const char *const planes = "fabric:\n"
					  "  topology: {kind: leaf-spine, leaves: 2, spines: 1, "
					  "hosts-per-leaf: 2, planes: 2}\n"
					  "hosts: {inside: {rate: %s, delay: 1us, chunk: 10B}}\n";
	char text[256], fabric[256];
	struct made m;

	(void)state;
	snprintf(fabric, sizeof(fabric), planes, "800G");
	snprintf(text, sizeof(text), items, "listed");
	make(&m, fabric, text);
	assert_int_equal(m.error, 0);
	assert_flow(&m, 0, "h1.eth2", "h2.eth2", 1000100);
	assert_flow(&m, 1, "h1.eth2", "h2.eth2", 1000070);
	// 13 bytes each, from rank 0 to 1 and to 2.
	assert_flow(&m, 2, "h1.eth1", "h1.eth2", 1000130);
	assert_flow(&m, 5, "h1.eth2", "h3.eth2", 1000100);
	drop(&m);
	snprintf(text, sizeof(text), items, "generated");
	make(&m, fabric, text);
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->ranks[0].handover_ps, 1000140);
	assert_int_equal(m.w->ranks[0].forward_ps, 1000100);
	drop(&m);
	snprintf(fabric, sizeof(fabric), planes, "99G");
	assert_refused(fabric, "  - {kind: flow, from: h1, to: h2, size: 1KB}\n",
		       "hosts.inside.chunk: h1.eth1 sends at 100G, faster than chunks come at an "
		       "inside.rate of 99G");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),        cmocka_unit_test(test_shift),
		cmocka_unit_test(test_permutation), cmocka_unit_test(test_collective),
		cmocka_unit_test(test_rails),       cmocka_unit_test(test_rings_on_rails),
		cmocka_unit_test(test_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
