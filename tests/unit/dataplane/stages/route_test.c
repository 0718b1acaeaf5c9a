// SPDX-License-Identifier: BSD-3-Clause
// Which next-hop group a destination has in a VRF, and what has no hops left.
#include "../harness.h"

#include "dataplane/stages/classify.h"
#include "dataplane/stages/route.h"
#include "dataplane/stages/parse.h"

#include <stdlib.h>
#include <string.h>

// Port 1 is in a VRF of its own: 10.0.0.0/8 by group 0, 10.0.1.0/24 by 1, 10.0.1.2/32 by 2,
// fd00::/8 by 0, fd00:0:0:1::/64 by 1, fd00:0:0:1::2/128 by 2. Ports 2 and 3 are in one that has no
// routes.
static struct tables *
three_vrfs(void)
{
	static const struct lpm_prefix ip4[] = {
		{.addr = {10}, .len = 8, .value = 0},
		{.addr = {10, 0, 1}, .len = 24, .value = 1},
		{.addr = {10, 0, 1, 2}, .len = 32, .value = 2},
	};
	static const struct lpm_prefix ip6[] = {
		{.addr = {0xfd}, .len = 8, .value = 0},
		{.addr = {0xfd, [7] = 1}, .len = 64, .value = 1},
		{.addr = {0xfd, [7] = 1, [15] = 2}, .len = 128, .value = 2},
	};
	struct tables *t = harness_tables(4);

	t->vrfs = realloc(t->vrfs, 3 * sizeof(*t->vrfs));
	assert_non_null(t->vrfs);
	memset(&t->vrfs[1], 0, 2 * sizeof(*t->vrfs));
	t->vrf_count = 3;
	assert_int_equal(lpm_build(&t->vrfs[1].ip4, ip4, 3, 32), 0);
	assert_int_equal(lpm_build(&t->vrfs[1].ip6, ip6, 3, 128), 0);
	t->ports[1].vrf = 1;
	t->ports[2].vrf = t->ports[3].vrf = 2;
	return t;
}

struct want {
	unsigned int in;
	uint8_t address[4]; // of IPv6 the bytes 0, 6, 7 and 15, the others 0
	uint8_t ttl;
	int verdict;
	uint32_t group;
};

static void
expect(struct harness *h, const struct want *want, bool ip6)
{
	struct rte_mbuf *m = harness_frame(h, &(struct frame){.to = 1, .ip6 = ip6});
	struct port *in = &h->node->ports[want->in];
	uint8_t *ip = packet_data(m) + 14;

	assert_int_equal(stage_parse(h->node, in, m, 0), STAGE_NEXT);
	assert_int_equal(stage_classify(h->node, in, m, 0, 0), STAGE_NEXT);
	if (ip6) {
		memset(ip + 24, 0, 16);
		ip[24] = want->address[0];
		memcpy(ip + 30, &want->address[1], 2);
		ip[39] = want->address[3];
	} else {
		memcpy(ip + 16, want->address, 4);
	}
	ip[ip6 ? 7 : 8] = want->ttl;
	assert_int_equal(stage_route(h->node, in, m, 0), want->verdict);
	if (want->verdict == STAGE_NEXT)
		assert_int_equal(packet_meta(m)->group, want->group);
	assert_int_equal(ip[ip6 ? 7 : 8], want->ttl); // rewrite's business
	packet_free(h->pool, m);
}

static void
test_ip4(void **state)
{
	static const struct want wants[] = {
		{0, {10, 0, 1, 2}, 64, STAGE_NEXT, 1},
		{0, {10, 0, 3, 255}, 64, STAGE_NEXT, 3},
		{0, {10, 1, 200, 9}, 64, STAGE_NEXT, 4},
		{0, {10, 2, 0, 0}, 64, STAGE_NEXT, 5},
		{0, {10, 0, 4, 0}, 64, DROP_NO_ROUTE, 0},
		{0, {192, 168, 0, 1}, 64, DROP_NO_ROUTE, 0},
		{1, {10, 0, 1, 2}, 64, STAGE_NEXT, 2},
		{1, {10, 0, 1, 3}, 64, STAGE_NEXT, 1},
		{1, {10, 0, 0, 255}, 64, STAGE_NEXT, 0},
		{1, {10, 0, 2, 0}, 64, STAGE_NEXT, 0},
		{1, {10, 255, 255, 255}, 64, STAGE_NEXT, 0},
		{1, {11, 0, 1, 2}, 64, DROP_NO_ROUTE, 0},
		{2, {10, 0, 1, 2}, 64, DROP_NO_ROUTE, 0},
	};
	struct harness h;

	(void)state;
	harness_open(&h, three_vrfs());
	for (unsigned int i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		expect(&h, &wants[i], false);
	harness_close(&h);
}

static void
test_ip6(void **state)
{
	static const struct want wants[] = {
		{0, {0xfd, 0, 1, 2}, 64, STAGE_NEXT, 1},
		{0, {0xfd, 0, 3, 9}, 64, STAGE_NEXT, 3},
		{0, {0xfd, 1, 3, 9}, 64, DROP_NO_ROUTE, 0},
		{0, {0xfd, 0, 4, 2}, 64, DROP_NO_ROUTE, 0},
		{0, {0x20, 0, 1, 2}, 64, DROP_NO_ROUTE, 0},
		{1, {0xfd, 0, 1, 2}, 64, STAGE_NEXT, 2},
		{1, {0xfd, 0, 1, 3}, 64, STAGE_NEXT, 1},
		{1, {0xfd, 0, 2, 2}, 64, STAGE_NEXT, 0},
		{1, {0xfc, 0, 1, 2}, 64, DROP_NO_ROUTE, 0},
		{2, {0xfd, 0, 1, 2}, 64, DROP_NO_ROUTE, 0},
	};
	struct harness h;

	(void)state;
	harness_open(&h, three_vrfs());
	for (unsigned int i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		expect(&h, &wants[i], true);
	harness_close(&h);
}

// A packet that would leave with 0, or came with it, goes nowhere (RFC 1812 section 5.3.1), route
// or not.
static void
test_ttl(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, three_vrfs());
	for (unsigned int ip6 = 0; ip6 < 2; ip6++) {
		const uint8_t first = ip6 ? 0xfd : 10;

		for (unsigned int ttl = 0; ttl < 256; ttl++) {
			const int verdict = ttl <= 1 ? (int)DROP_TTL_EXPIRED : (int)STAGE_NEXT;
			const struct want routed = {0, {first, 0, 1, 2}, (uint8_t)ttl, verdict, 1};

			expect(&h, &routed, ip6);
		}
		expect(&h, &(struct want){2, {first, 0, 1, 2}, 1, DROP_TTL_EXPIRED, 0}, ip6);
	}
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip4),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_ttl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
