// SPDX-License-Identifier: BSD-3-Clause
// The kernel runs the XDP program on frames made here (BPF_PROG_TEST_RUN): what it returns, and
// what it counted them as. The switch has 10.0.0.1 and fd00::1. An AF_XDP socket stands in the map,
// or not.
#include "loaded.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/in6.h>

#define LOCAL4 "10.0.0.1"
#define LOCAL6 "fd00::1"
#define OTHER4 "10.0.0.2"
#define OTHER6 "fd00::2"
#define TCP 6
#define UDP 17
#define ICMP6 58
#define FRAGMENTED 0x2000

struct frame {
	uint8_t bytes[256];
	uint32_t length;
};

// ---- frames ----------------------------------------------------------------------------------

static void
put(struct frame *f, const void *bytes, uint32_t count)
{
	memcpy(f->bytes + f->length, bytes, count);
	f->length += count;
}

static void
put16(struct frame *f, uint16_t value)
{
	const uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};

	put(f, bytes, 2);
}

static struct frame
ethernet(const char *to, uint16_t type)
{
	struct frame f = {.length = 12};

	assert_int_equal(sscanf(to, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &f.bytes[0], &f.bytes[1],
				&f.bytes[2], &f.bytes[3], &f.bytes[4], &f.bytes[5]),
			 6);
	f.bytes[6] = 2;
	put16(&f, type);
	return f;
}

static struct frame
unicast(uint16_t type)
{
	return ethernet("02:00:00:00:00:01", type);
}

// With a payload of 46 bytes, which is no more than zeros.
static struct frame
padded(struct frame f)
{
	f.length += 46;
	return f;
}

static struct frame
tagged(struct frame f, uint16_t type)
{
	memmove(f.bytes + 16, f.bytes + 12, f.length - 12);
	f.bytes[12] = (uint8_t)(type >> 8);
	f.bytes[13] = (uint8_t)type;
	f.bytes[14] = 0x60; // priority 3, VLAN 101
	f.bytes[15] = 101;
	f.length += 4;
	return f;
}

static struct frame
ip4_of(const char *to, uint8_t protocol, uint16_t source, uint16_t destination, uint16_t fragment,
       unsigned option_words)
{
	struct frame f = unicast(ETH_P_IP);
	uint8_t header[60] = {(uint8_t)(0x45 + option_words), 0, 0, 64};

	header[6] = (uint8_t)(fragment >> 8);
	header[7] = (uint8_t)fragment;
	header[8] = 64;
	header[9] = protocol;
	assert_int_equal(inet_pton(AF_INET, "10.9.9.9", header + 12), 1);
	assert_int_equal(inet_pton(AF_INET, to, header + 16), 1);
	// Options that look like BGP, for who takes them for the ports.
	for (unsigned i = 0; i < option_words; i++)
		header[21 + 4 * i] = header[23 + 4 * i] = 179;
	put(&f, header, 20 + 4 * option_words);
	put16(&f, source);
	put16(&f, destination);
	f.length += 40;
	return f;
}

static struct frame
ip4(const char *to, uint8_t protocol, uint16_t source, uint16_t destination)
{
	return ip4_of(to, protocol, source, destination, 0, 0);
}

static struct frame
ip6(const char *to, uint8_t next, uint16_t source, uint16_t destination)
{
	struct frame f = unicast(ETH_P_IPV6);
	uint8_t header[40] = {0x60, 0, 0, 0, 0, 44, next, 255};

	assert_int_equal(inet_pton(AF_INET6, "fe80::9", header + 8), 1);
	assert_int_equal(inet_pton(AF_INET6, to, header + 24), 1);
	put(&f, header, sizeof(header));
	put16(&f, source);
	put16(&f, destination);
	f.length += 40;
	return f;
}

static struct frame
icmp6(const char *to, uint8_t type)
{
	return ip6(to, ICMP6, (uint16_t)(type << 8), 0);
}

static struct frame
cut(struct frame f, uint32_t length)
{
	f.length = length;
	return f;
}

// ---- running it ------------------------------------------------------------------------------

static const uint8_t offloaded[6] = {0x01, 0x80, 0xc2, 0, 0, STEER_BFD_ADDRESS_LAST};

// Runs the program. Returns what it counted the frame as; `verdict` is what it returned.
static enum steer_class
run(struct frame f, uint32_t *verdict)
{
	struct steer_count before[STEER_CLASSES], after[STEER_CLASSES];
	uint8_t out[sizeof(f.bytes)];
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = f.bytes, .data_size_in = f.length,
		    .data_out = out, .data_size_out = sizeof(out));
	enum steer_class found = STEER_CLASSES;

	read_counts(before);
	assert_int_equal(bpf_prog_test_run_opts(program, &options), 0);
	read_counts(after);
	*verdict = options.retval;
	assert_int_equal(options.data_size_out, f.length);
	for (unsigned i = 0; i < STEER_CLASSES; i++) {
		if (after[i].packets == before[i].packets)
			continue;
		assert_int_equal(found, STEER_CLASSES);
		assert_int_equal(after[i].packets - before[i].packets, 1);
		assert_int_equal(after[i].bytes - before[i].bytes, f.length);
		found = i;
	}
	assert_int_not_equal(found, STEER_CLASSES);
	// The frame goes on as it came, tag and all, but for the destination of offloaded BFD.
	if (found == STEER_BFD_OFFLOAD)
		memcpy(f.bytes, offloaded, sizeof(offloaded));
	assert_memory_equal(out, f.bytes, f.length);
	return found;
}

static void
expect(const char *what, struct frame f, enum steer_class class)
{
	uint32_t wanted = class < STEER_UNREAD ? XDP_REDIRECT
			  : class < STEER_ARP  ? XDP_DROP
					       : XDP_PASS;
	uint32_t verdict;
	enum steer_class found = run(f, &verdict);

	if (found != class || verdict != wanted)
		fail_msg("%s: class %d, verdict %u; expected %d, %u", what, found, verdict, class,
			 wanted);
}

// Twice: with one tag it is the same.
static void
expect_both(const char *what, struct frame f, enum steer_class class)
{
	expect(what, f, class);
	expect(what, tagged(f, ETH_P_8021Q), class);
}

static void
what_belongs_to_the_link_is_the_kernels(void **state)
{
	(void)state;
	need_program();
	expect_both("ARP", padded(ethernet("ff:ff:ff:ff:ff:ff", ETH_P_ARP)), STEER_ARP);
	expect_both("ARP reply", padded(unicast(ETH_P_ARP)), STEER_ARP);
	expect_both("LLDP", padded(ethernet("01:80:c2:00:00:0e", ETH_P_LLDP)), STEER_LLDP);
	expect_both("LLDP to a MAC", padded(unicast(ETH_P_LLDP)), STEER_LLDP);
	expect_both("STP", padded(ethernet("01:80:c2:00:00:00", 38)), STEER_LLDP);
	expect_both("LACP", padded(ethernet("01:80:c2:00:00:02", ETH_P_SLOW)), STEER_LLDP);
	expect_both("0f", padded(ethernet("01:80:c2:00:00:0f", 0x1234)), STEER_LLDP);
	expect_both("past 0f", padded(ethernet("01:80:c2:00:00:10", 0x1234)), STEER_OTHER);
	expect_both("01:80:c2:00:01:00", padded(ethernet("01:80:c2:00:01:00", 0x1234)),
		    STEER_OTHER);
	for (uint8_t type = 133; type <= 137; type++) {
		expect_both("ND to all", icmp6("ff02::1", type), STEER_ND);
		expect_both("ND to anyone", icmp6(OTHER6, type), STEER_ND);
	}
	expect_both("MLD report", icmp6("ff02::16", 143), STEER_LINK_LOCAL);
	expect_both("ICMPv6 132", icmp6(OTHER6, 132), STEER_OTHER);
	expect_both("ICMPv6 138", icmp6(OTHER6, 138), STEER_OTHER);
	expect_both("echo to fe80", icmp6("fe80::1", 128), STEER_LINK_LOCAL);
	expect_both("fe80::/10 ends", ip6("febf::1", UDP, 1, 2), STEER_LINK_LOCAL);
	expect_both("past fe80::/10", ip6("fec0::1", UDP, 1, 2), STEER_OTHER);
	expect_both("hop-by-hop to ff02", ip6("ff02::16", 0, 0x3a00, 0), STEER_LINK_LOCAL);
	expect_both("ff05", ip6("ff05::1", UDP, 1, 2), STEER_OTHER);
	expect_both("OSPF", ip4("224.0.0.5", 89, 0, 0), STEER_LINK_LOCAL);
	expect_both("224.0.1.1", ip4("224.0.1.1", UDP, 1, 2), STEER_OTHER);
	expect_both("DHCP", ip4("255.255.255.255", UDP, 68, 67), STEER_LINK_LOCAL);
}

static void
pauses_are_the_dataplanes(void **state)
{
	(void)state;
	need_program();
	expect_both("PFC", padded(ethernet("01:80:c2:00:00:01", ETH_P_PAUSE)), STEER_PAUSE);
	expect_both("PFC to a MAC", padded(unicast(ETH_P_PAUSE)), STEER_PAUSE);
}

static void
what_is_addressed_to_the_switch_is_the_kernels(void **state)
{
	static const uint16_t bfd[] = {3784, 3785, 4784};

	(void)state;
	need_program();
	expect_both("BGP", ip4(LOCAL4, TCP, 40000, 179), STEER_BGP);
	expect_both("BGP answers", ip4(LOCAL4, TCP, 179, 40000), STEER_BGP);
	expect_both("BGP, options", ip4_of(LOCAL4, TCP, 40000, 179, 0, 10), STEER_BGP);
	expect_both("no BGP, options", ip4_of(LOCAL4, TCP, 1, 2, 0, 10), STEER_LOCAL);
	expect_both("BGP, IPv6", ip6(LOCAL6, TCP, 40000, 179), STEER_BGP);
	expect_both("BGP, unnumbered", ip6("fe80::1", TCP, 179, 40000), STEER_BGP);
	expect_both("UDP 179", ip4(LOCAL4, UDP, 179, 179), STEER_LOCAL);
	for (unsigned i = 0; i < 3; i++) {
		expect_both("BFD", ip4(LOCAL4, UDP, 49152, bfd[i]), STEER_BFD);
		expect_both("BFD, IPv6", ip6("fe80::1", UDP, 49152, bfd[i]), STEER_BFD);
		expect_both("from BFD's", ip4(LOCAL4, UDP, bfd[i], 1), STEER_LOCAL);
	}
	expect_both("ping", ip4(LOCAL4, 1, 0x0800, 0), STEER_LOCAL);
	expect_both("ping, IPv6", icmp6(LOCAL6, 128), STEER_LOCAL);
	expect_both("SSH", ip4(LOCAL4, TCP, 40000, 22), STEER_LOCAL);
	expect_both("an unknown protocol", ip4(LOCAL4, 253, 0, 0), STEER_LOCAL);
	expect_both("first fragment", ip4_of(LOCAL4, TCP, 1, 179, FRAGMENTED, 0), STEER_LOCAL);
	expect_both("last fragment", ip4_of(LOCAL4, TCP, 1, 179, 100, 0), STEER_LOCAL);
	expect_both("don't fragment", ip4_of(LOCAL4, TCP, 1, 179, 0x4000, 0), STEER_BGP);
}

static void
set_settings(uint32_t value)
{
	const int map = bpf_object__find_map_fd_by_name(object, STEER_SETTINGS);
	const uint32_t zero = 0;

	assert_int_equal(bpf_map_update_elem(map, &zero, &value, BPF_ANY), 0);
}

// Single hop, to the switch itself, untagged and by unicast.
static void
bfd_is_the_dataplanes_where_it_runs_the_sessions(void **state)
{
	struct frame multicast;

	(void)state;
	need_program();
	set_settings(STEER_SETTING_BFD);
	expect("BFD", ip4(LOCAL4, UDP, 49152, 3784), STEER_BFD_OFFLOAD);
	expect("BFD, options", ip4_of(LOCAL4, UDP, 49152, 3784, 0, 10), STEER_BFD_OFFLOAD);
	expect("BFD, IPv6", ip6(LOCAL6, UDP, 49152, 3784), STEER_BFD_OFFLOAD);
	expect("BFD, unnumbered", ip6("fe80::1", UDP, 49152, 3784), STEER_BFD_OFFLOAD);
	expect("tagged", tagged(ip4(LOCAL4, UDP, 49152, 3784), ETH_P_8021Q), STEER_BFD);
	expect_both("echo", ip4(LOCAL4, UDP, 49152, 3785), STEER_BFD);
	expect_both("multihop", ip4(LOCAL4, UDP, 49152, 4784), STEER_BFD);
	expect_both("BFD of others", ip4(OTHER4, UDP, 49152, 3784), STEER_OTHER);
	expect_both("a fragment", ip4_of(LOCAL4, UDP, 49152, 3784, FRAGMENTED, 0), STEER_LOCAL);
	expect_both("TCP 3784", ip4(LOCAL4, TCP, 49152, 3784), STEER_LOCAL);
	multicast = ip4(LOCAL4, UDP, 49152, 3784);
	memcpy(multicast.bytes, "\x01\x00\x5e\x00\x00\x01", 6);
	expect("multicast", multicast, STEER_BFD);
	set_settings(0);
	expect("BFD, off", ip4(LOCAL4, UDP, 49152, 3784), STEER_BFD);
}

static void
put_held(const char *from, const char *to, bool held)
{
	const int map = bpf_object__find_map_fd_by_name(object, STEER_HELD);
	const uint8_t value = 1;
	struct steer_endpoints endpoints;

	assert_int_equal(inet_pton(AF_INET6, from, endpoints.from), 1);
	assert_int_equal(inet_pton(AF_INET6, to, endpoints.to), 1);
	if (held)
		assert_int_equal(bpf_map_update_elem(map, &endpoints, &value, BPF_ANY), 0);
	else
		assert_int_equal(bpf_map_delete_elem(map, &endpoints), 0);
}

// From one address to one, on the port itself.
static void
bgp_of_a_lost_neighbour_is_dropped(void **state)
{
	(void)state;
	need_program();
	put_held("fe80::9", "fe80::1", true);
	put_held("::ffff:10.9.9.9", "::ffff:" LOCAL4, true);
	expect("IPv6", ip6("fe80::1", TCP, 40000, 179), STEER_BGP_HELD);
	expect("IPv6, answers", ip6("fe80::1", TCP, 179, 40000), STEER_BGP_HELD);
	expect("IPv4", ip4(LOCAL4, TCP, 40000, 179), STEER_BGP_HELD);
	expect("options", ip4_of(LOCAL4, TCP, 40000, 179, 0, 10), STEER_BGP_HELD);
	expect("tagged", tagged(ip4(LOCAL4, TCP, 40000, 179), ETH_P_8021Q), STEER_BGP);
	expect("another address", ip6("fe80::2", TCP, 40000, 179), STEER_BGP);
	expect("IPv6 to the same port", ip6(LOCAL6, TCP, 40000, 179), STEER_BGP);
	expect("SSH", ip4(LOCAL4, TCP, 40000, 22), STEER_LOCAL);
	expect("ND", icmp6("fe80::1", 135), STEER_ND);
	expect("BFD", ip6("fe80::1", UDP, 49152, 3784), STEER_BFD);
	put_held("fe80::9", "fe80::1", false);
	put_held("::ffff:10.9.9.9", "::ffff:" LOCAL4, false);
	expect("IPv6 again", ip6("fe80::1", TCP, 40000, 179), STEER_BGP);
	expect("IPv4 again", ip4(LOCAL4, TCP, 40000, 179), STEER_BGP);
}

static void
tunnels_end_in_the_dataplane(void **state)
{
	(void)state;
	need_program();
	expect_both("VXLAN", ip4(LOCAL4, UDP, 50000, 4789), STEER_VXLAN);
	expect_both("VXLAN, IPv6", ip6(LOCAL6, UDP, 50000, 4789), STEER_VXLAN);
	expect_both("VXLAN to others", ip4(OTHER4, UDP, 50000, 4789), STEER_OTHER);
	expect_both("TCP 4789", ip4(LOCAL4, TCP, 50000, 4789), STEER_LOCAL);
	expect_both("a fragment", ip4_of(LOCAL4, UDP, 50000, 4789, FRAGMENTED, 0), STEER_LOCAL);
	expect_both("on the link alone", ip6("fe80::1", UDP, 1, 4789), STEER_LINK_LOCAL);
}

static void
everything_else_is_the_dataplanes(void **state)
{
	(void)state;
	need_program();
	expect_both("RoCE", ip4(OTHER4, UDP, 50000, 4791), STEER_OTHER);
	expect_both("RoCE, IPv6", ip6(OTHER6, UDP, 50000, 4791), STEER_OTHER);
	expect_both("BGP of others", ip4(OTHER4, TCP, 1, 179), STEER_OTHER);
	expect_both("BFD of others", ip6(OTHER6, UDP, 1, 3784), STEER_OTHER);
	expect_both("a fragment", ip4_of(OTHER4, UDP, 1, 2, FRAGMENTED, 0), STEER_OTHER);
	expect_both("no protocol", padded(unicast(0x88b5)), STEER_OTHER);
	expect("two tags", tagged(tagged(ip4(LOCAL4, TCP, 1, 179), ETH_P_8021Q), ETH_P_8021Q),
	       STEER_OTHER);
	expect("802.1ad", tagged(padded(unicast(ETH_P_ARP)), ETH_P_8021AD), STEER_OTHER);
}

static void
what_cannot_be_read_is_the_dataplanes(void **state)
{
	struct frame bgp = ip4(LOCAL4, TCP, 1, 179);
	struct frame bgp6 = ip6(LOCAL6, TCP, 1, 179);
	struct frame nd = icmp6("ff02::1", 135);
	struct frame wrong;

	(void)state;
	need_program();
	// Up to the ports it cannot be known as BGP, before the IP header's end as nothing.
	for (uint32_t length = 14; length <= bgp.length; length++)
		expect("BGP cut short", cut(bgp, length),
		       length < 34   ? STEER_OTHER
		       : length < 38 ? STEER_LOCAL
				     : STEER_BGP);
	for (uint32_t length = 14; length <= bgp6.length; length++)
		expect("BGP over IPv6 cut short", cut(bgp6, length),
		       length < 54   ? STEER_OTHER
		       : length < 58 ? STEER_LOCAL
				     : STEER_BGP);
	for (uint32_t length = 14; length <= nd.length; length++)
		expect("ND cut short", cut(nd, length),
		       length < 54    ? STEER_OTHER
		       : length == 54 ? STEER_LINK_LOCAL
				      : STEER_ND);
	for (uint32_t length = 14; length < 18; length++)
		expect("cut in its tag", cut(tagged(bgp, ETH_P_8021Q), length), STEER_OTHER);
	expect("ARP of no length", cut(unicast(ETH_P_ARP), 14), STEER_ARP);
	wrong = bgp;
	wrong.bytes[14] = 0x44; // a header of four words
	expect("IPv4 header too short", wrong, STEER_OTHER);
	wrong.bytes[14] = 0x4f; // of fifteen: past the end
	expect("IPv4 options past the end", cut(wrong, 60), STEER_LOCAL);
	wrong.bytes[14] = 0x65;
	expect("IPv4 of version 6", wrong, STEER_OTHER);
	wrong = bgp6;
	wrong.bytes[14] = 0x40;
	expect("IPv6 of version 4", wrong, STEER_OTHER);
}

// Of an address that the switch had, nothing is left.
static void
addresses_come_and_go(void **state)
{
	int map = bpf_object__find_map_fd_by_name(object, STEER_LOCAL4);
	struct frame ping = ip4(OTHER4, 1, 0x0800, 0);
	uint8_t address[4], one = 1;

	(void)state;
	need_program();
	assert_int_equal(inet_pton(AF_INET, OTHER4, address), 1);
	expect("before", ping, STEER_OTHER);
	assert_int_equal(bpf_map_update_elem(map, address, &one, BPF_ANY), 0);
	expect("while", ping, STEER_LOCAL);
	assert_int_equal(bpf_map_delete_elem(map, address), 0);
	expect("after", ping, STEER_OTHER);
}

static void
without_a_reader_nothing_is_forwarded(void **state)
{
	uint32_t queue = 0;

	(void)state;
	need_program();
	assert_int_equal(bpf_map_delete_elem(sockets, &queue), 0);
	expect("RoCE", ip4(OTHER4, UDP, 50000, 4791), STEER_UNREAD);
	expect("PFC", padded(ethernet("01:80:c2:00:00:01", ETH_P_PAUSE)), STEER_UNREAD);
	expect("BGP", ip4(LOCAL4, TCP, 1, 179), STEER_BGP);
	assert_int_equal(bpf_map_update_elem(sockets, &queue, &xsk, BPF_ANY), 0);
	expect("RoCE", ip4(OTHER4, UDP, 50000, 4791), STEER_OTHER);
}

static int
load(void **state)
{
	uint8_t ip4[4], ip6[16];

	(void)state;
	if (inet_pton(AF_INET, LOCAL4, ip4) != 1 || inet_pton(AF_INET6, LOCAL6, ip6) != 1)
		return -EINVAL;
	return load_program(ip4, ip6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_belongs_to_the_link_is_the_kernels),
		cmocka_unit_test(pauses_are_the_dataplanes),
		cmocka_unit_test(what_is_addressed_to_the_switch_is_the_kernels),
		cmocka_unit_test(bfd_is_the_dataplanes_where_it_runs_the_sessions),
		cmocka_unit_test(bgp_of_a_lost_neighbour_is_dropped),
		cmocka_unit_test(tunnels_end_in_the_dataplane),
		cmocka_unit_test(everything_else_is_the_dataplanes),
		cmocka_unit_test(what_cannot_be_read_is_the_dataplanes),
		cmocka_unit_test(addresses_come_and_go),
		cmocka_unit_test(without_a_reader_nothing_is_forwarded),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
