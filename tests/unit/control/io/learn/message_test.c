// SPDX-License-Identifier: BSD-3-Clause
#include "messages.h"

#include <errno.h>

static const uint8_t gateway1[4] = {10, 0, 1, 2}, gateway2[4] = {10, 0, 2, 2};
static struct made made;
static struct learn_message got;

static int
decode(void)
{
	return learn_decode(made_message(&made), RT_TABLE_MAIN, &got);
}

// As the kernel of a little-endian machine sends `ip route add 10.9.0.0/16 via 10.0.2.2 dev 7`.
static void
test_bytes_of_a_route(void **state)
{
	static const _Alignas(8) uint8_t bytes[] = {
		60, 0,  0,  0, 24,  0, 0, 6, 1, 0, 0, 0, 0, 0, 0, 0, // length, RTM_NEWROUTE, flags
		2,  16, 0,  0, 254, 3, 0, 1, 0, 0, 0, 0,             // AF_INET /16, main, unicast
		8,  0,  15, 0, 254, 0, 0, 0,                         // RTA_TABLE
		8,  0,  1,  0, 10,  9, 0, 0,                         // RTA_DST
		8,  0,  5,  0, 10,  0, 2, 2,                         // RTA_GATEWAY
		8,  0,  4,  0, 7,   0, 0, 0,                         // RTA_OIF
	};

	(void)state;
	assert_int_equal(learn_decode((const struct nlmsghdr *)bytes, RT_TABLE_MAIN, &got), 0);
	assert_int_equal(got.kind, LEARN_ROUTE);
	assert_false(got.gone);
	assert_false(got.replaces);
	assert_int_equal(got.prefix.version, 4);
	assert_int_equal(got.prefix.length, 16);
	assert_memory_equal(got.prefix.address, ((uint8_t[]){10, 9, 0, 0}), 4);
	assert_int_equal(got.metric, 0);
	assert_int_equal(got.way.count, 1);
	assert_int_equal(got.way.hops[0].device, 7);
	assert_int_equal(got.way.hops[0].weight, 1);
	assert_int_equal(got.way.hops[0].gateway.version, 4);
	assert_memory_equal(got.way.hops[0].gateway.bytes, gateway2, 4);
}

static void
make_multipath(uint32_t count)
{
	uint32_t nest;

	made_route4(&made, RTM_NEWROUTE, NLM_F_REPLACE, 0x0a090000, 16);
	made_number(&made, RTA_PRIORITY, 20);
	nest = made_nest(&made, RTA_MULTIPATH);
	for (uint32_t i = 0; i < count; i++)
		made_hop(&made, i + 1, (uint8_t)i, i % 2 ? gateway1 : gateway2);
	made_end(&made, nest);
}

static void
test_multipath(void **state)
{
	(void)state;
	make_multipath(3);
	assert_int_equal(decode(), 0);
	assert_true(got.replaces);
	assert_int_equal(got.metric, 20);
	assert_int_equal(got.way.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(got.way.hops[i].device, i + 1);
		assert_int_equal(got.way.hops[i].weight, i + 1);
		assert_memory_equal(got.way.hops[i].gateway.bytes, i % 2 ? gateway1 : gateway2, 4);
	}
	make_multipath(GROUP_MEMBERS_MAX);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.way.count, GROUP_MEMBERS_MAX);
	make_multipath(1000);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.way.count, LEARN_HOPS_MAX);
}

// RFC 5549: an IPv4 route by an IPv6 gateway.
static void
test_gateway_of_another_family(void **state)
{
	struct {
		uint16_t family;
		uint8_t address[16];
	} via = {AF_INET6, {0xfe, 0x80, [15] = 9}};

	(void)state;
	made_route4(&made, RTM_NEWROUTE, 0, 0x0a090000, 16);
	made_attr(&made, RTA_VIA, &via, sizeof(via));
	made_number(&made, RTA_OIF, 3);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.way.hops[0].gateway.version, 6);
	assert_memory_equal(got.way.hops[0].gateway.bytes, via.address, 16);
	via.family = AF_BRIDGE;
	made_route4(&made, RTM_NEWROUTE, 0, 0x0a090000, 16);
	made_attr(&made, RTA_VIA, &via, sizeof(via));
	assert_int_equal(decode(), -EBADMSG);
}

static void
test_nexthop_objects(void **state)
{
	const struct nhmsg head = {.nh_family = AF_INET};
	const struct nexthop_grp group[3] = {
		{.id = 5}, {.id = 6, .weight = 2}, {.id = 7, .weight = 255, .resvd1 = 1}};

	(void)state;
	made_start(&made, RTM_NEWNEXTHOP, 0, &head, sizeof(head));
	made_number(&made, NHA_ID, 5);
	made_number(&made, NHA_OIF, 9);
	made_attr(&made, NHA_GATEWAY, gateway1, 4);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NEXTHOP);
	assert_int_equal(got.id, 5);
	assert_int_equal(got.way.hops[0].device, 9);
	assert_memory_equal(got.way.hops[0].gateway.bytes, gateway1, 4);

	made_start(&made, RTM_NEWNEXTHOP, 0, &head, sizeof(head));
	made_number(&made, NHA_ID, 8);
	made_attr(&made, NHA_GROUP, group, sizeof(group));
	assert_int_equal(decode(), 0);
	assert_int_equal(got.way.count, 3);
	assert_int_equal(got.way.hops[1].id, 6);
	assert_int_equal(got.way.hops[1].weight, 3);
	assert_int_equal(got.way.hops[2].weight, 512);

	made_start(&made, RTM_NEWNEXTHOP, 0, &head, sizeof(head));
	made_number(&made, NHA_ID, 9);
	made_attr(&made, NHA_BLACKHOLE, NULL, 0);
	assert_int_equal(decode(), 0);
	assert_true(got.way.blackhole);

	made_attr(&made, NHA_FDB, NULL, 0);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);

	made_start(&made, RTM_DELNEXTHOP, 0, &head, sizeof(head));
	made_number(&made, NHA_ID, 8);
	assert_int_equal(decode(), 0);
	assert_true(got.gone);
	made_start(&made, RTM_NEWNEXTHOP, 0, &head, sizeof(head));
	made_number(&made, NHA_ID, 0);
	assert_int_equal(decode(), -EBADMSG);

	made_route4(&made, RTM_NEWROUTE, 0, 0x0a090000, 16);
	made_number(&made, RTA_NH_ID, 8);
	made_number(&made, RTA_OIF, 4); // what the object stands for, for those who know none
	assert_int_equal(decode(), 0);
	assert_int_equal(got.way.count, 1);
	assert_int_equal(got.way.hops[0].id, 8);
	assert_int_equal(got.way.hops[0].device, 0);
}

// Neighbour 10.0.1.2 at interface 4; mac: NULL: none is said.
static int
decode_neighbour(uint16_t state, uint8_t flags, const uint8_t *mac)
{
	const struct ndmsg head = {
		.ndm_family = AF_INET, .ndm_ifindex = 4, .ndm_state = state, .ndm_flags = flags};

	made_start(&made, RTM_NEWNEIGH, 0, &head, sizeof(head));
	made_attr(&made, NDA_DST, gateway1, 4);
	if (mac != NULL)
		made_attr(&made, NDA_LLADDR, mac, 6);
	return decode();
}

static void
test_neighbours(void **state)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 1, 2}, group[6] = {1, 0, 0x5e, 0, 0, 1};

	(void)state;
	assert_int_equal(decode_neighbour(NUD_REACHABLE, 0, mac), 0);
	assert_int_equal(got.kind, LEARN_NEIGHBOUR);
	assert_true(got.usable);
	assert_int_equal(got.device, 4);
	assert_memory_equal(got.mac, mac, 6);
	assert_int_equal(got.address.version, 4);
	assert_int_equal(decode_neighbour(NUD_FAILED, 0, mac), 0);
	assert_false(got.usable);
	assert_int_equal(decode_neighbour(NUD_NOARP, 0, group), 0);
	assert_false(got.usable);
	assert_int_equal(decode_neighbour(NUD_NOARP, NTF_PROXY, NULL), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);
}

static void
test_links(void **state)
{
	struct ifinfomsg head = {.ifi_index = 3, .ifi_flags = IFF_UP | 0x10000};

	(void)state;
	made_start(&made, RTM_NEWLINK, 0, &head, sizeof(head));
	made_attr(&made, 3, "swp1", 5); // IFLA_IFNAME
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_LINK);
	assert_true(got.usable);
	assert_string_equal(got.name, "swp1");
	head.ifi_flags = IFF_UP;
	made_start(&made, RTM_NEWLINK, 0, &head, sizeof(head));
	made_attr(&made, 3, "swp1", 4); // no NUL
	assert_int_equal(decode(), -EBADMSG);
	head.ifi_family = AF_BRIDGE;
	made_start(&made, RTM_DELLINK, 0, &head, sizeof(head));
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);
}

// What is no route of this VRF's is passed over; what drops is a blackhole.
static void
test_of_no_concern(void **state)
{
	struct rtmsg head = {
		.rtm_family = AF_INET, .rtm_table = RT_TABLE_MAIN, .rtm_type = RTN_UNICAST};
	const uint8_t drops[] = {RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT, RTN_THROW};
	const uint8_t others[] = {RTN_UNSPEC,  RTN_LOCAL,     RTN_BROADCAST,
				  RTN_ANYCAST, RTN_MULTICAST, RTN_NAT};

	(void)state;
	for (unsigned i = 0; i < sizeof(drops); i++) {
		head.rtm_type = drops[i];
		made_start(&made, RTM_NEWROUTE, 0, &head, sizeof(head));
		assert_int_equal(decode(), 0);
		assert_int_equal(got.kind, LEARN_ROUTE);
		assert_true(got.way.blackhole);
	}
	for (unsigned i = 0; i < sizeof(others); i++) {
		head.rtm_type = others[i];
		made_start(&made, RTM_NEWROUTE, 0, &head, sizeof(head));
		assert_int_equal(decode(), 0);
		assert_int_equal(got.kind, LEARN_NOTHING);
	}
	head.rtm_type = RTN_UNICAST;
	made_start(&made, RTM_NEWROUTE, 0, &head, sizeof(head));
	made_number(&made, RTA_TABLE, 1001);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);
	assert_int_equal(learn_decode(made_message(&made), 1001, &got), 0);
	assert_int_equal(got.kind, LEARN_ROUTE);
	head.rtm_flags = RTM_F_CLONED;
	made_start(&made, RTM_NEWROUTE, 0, &head, sizeof(head));
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);
	head = (struct rtmsg){.rtm_family = AF_MPLS, .rtm_table = RT_TABLE_MAIN};
	made_start(&made, RTM_NEWROUTE, 0, &head, sizeof(head));
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);
	made_start(&made, 4711, 0, NULL, 0);
	assert_int_equal(decode(), 0);
	assert_int_equal(got.kind, LEARN_NOTHING);
}

static void
test_prefixes_that_are_none(void **state)
{
	(void)state;
	made_route4(&made, RTM_NEWROUTE, 0, 0x0a090001, 16); // host bits
	assert_int_equal(decode(), -EBADMSG);
	made_route4(&made, RTM_NEWROUTE, 0, 0x0a090000, 33);
	assert_int_equal(decode(), -EBADMSG);
	made_route4(&made, RTM_NEWROUTE, 0, 0, 0);
	((struct rtmsg *)(made.bytes + NLMSG_HDRLEN))->rtm_dst_len = 8; // and no address
	assert_int_equal(decode(), -EBADMSG);
	made_route4(&made, RTM_NEWROUTE, 0, 0x0a000000, 8);
	((struct rtmsg *)(made.bytes + NLMSG_HDRLEN))->rtm_family = AF_INET6;
	assert_int_equal(decode(), -EBADMSG); // 4 bytes are no IPv6 address
}

// Cut at each byte, on a page's edge as far as the sanitizer sees: refused or, where what is left
// is whole, something else; never read beyond.
static void
test_truncated(void **state)
{
	uint32_t whole;

	(void)state;
	make_multipath(3);
	whole = made.length;
	for (uint32_t length = 0; length < whole; length++) {
		struct nlmsghdr *cut = test_malloc(length < 16 ? 16 : length);

		memcpy(cut, made.bytes, length < 16 ? 16 : length);
		cut->nlmsg_len = length;
		if (learn_decode(cut, RT_TABLE_MAIN, &got) == 0) {
			assert_int_equal(got.kind, LEARN_ROUTE);
			assert_true(got.way.count < 3);
			assert_int_equal((length - NLMSG_HDRLEN) % 4, 0);
		}
		test_free(cut);
	}
}

// Each length of an attribute, and of a next hop, that is not the true one.
static void
test_lengths_that_lie(void **state)
{
	uint32_t refused = 0, nest = NLMSG_HDRLEN + sizeof(struct rtmsg) + 8 + 8;
	const uint32_t places[] = {NLMSG_HDRLEN + sizeof(struct rtmsg), nest, nest + 4,
				   nest + 4 + 8};

	(void)state;
	for (unsigned p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
		for (uint32_t lie = 0; lie < 65536; lie += lie < 256 ? 1 : 97) {
			uint16_t value = (uint16_t)lie, truth;

			make_multipath(3);
			memcpy(&truth, made.bytes + places[p], 2);
			memcpy(made.bytes + places[p], &value, 2);
			if (learn_decode(made_message(&made), RT_TABLE_MAIN, &got) != 0)
				refused++;
			else if (lie != truth)
				assert_true(got.way.count <=
					    made.length / sizeof(struct rtnexthop));
		}
	}
	assert_true(refused > 2000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_of_a_route),
		cmocka_unit_test(test_multipath),
		cmocka_unit_test(test_gateway_of_another_family),
		cmocka_unit_test(test_nexthop_objects),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_of_no_concern),
		cmocka_unit_test(test_prefixes_that_are_none),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_lengths_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
