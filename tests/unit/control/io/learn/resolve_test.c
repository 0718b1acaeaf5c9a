// SPDX-License-Identifier: BSD-3-Clause
// Two ports, swp1 (ifindex 11) and swp2 (12), beside eth0 (13) that is none; the neighbour N of
// 10.0.1.0/24 on swp1 has MAC 02:00:00:00:01:N, likewise on swp2.
#include "messages.h"

#include "control/io/learn/resolve.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

static struct topo_port ports[] = {{.name = "swp1"}, {.name = "swp2"}};
static const struct topo_node place = {.port_count = 2, .ports = ports};

struct fixture {
	struct rib *rib;
	struct resolve_vrf vrf;
	unsigned wanted, refused;
	enum resolve_refusal why;
	char last[INET6_ADDRSTRLEN];
};

static void
want(void *context, uint32_t device, const struct learn_address *address)
{
	struct fixture *f = context;

	assert_true(device == 11 || device == 12);
	inet_ntop(address->version == 4 ? AF_INET : AF_INET6, address->bytes, f->last,
		  sizeof(f->last));
	f->wanted++;
}

static void
refuse(void *context, const struct config_prefix *prefix, enum resolve_refusal why)
{
	struct fixture *f = context;

	assert_true(prefix->length == 16 || prefix->length == 24);
	f->refused++;
	f->why = why;
}

// Behind swp2 is a switch.
static bool
leads_on(void *context, uint16_t port)
{
	(void)context;
	return port == 1;
}

static void
say(struct fixture *f, const struct learn_message *m)
{
	assert_int_equal(rib_apply(f->rib, RIB_NETLINK, m, false), 0);
}

static void
link(struct fixture *f, uint32_t device, const char *name, bool up)
{
	struct learn_message m = {.kind = LEARN_LINK, .device = device, .usable = up};

	snprintf(m.name, sizeof(m.name), "%s", name);
	say(f, &m);
}

static struct learn_address
address_of(const char *text)
{
	struct learn_address a = {.version = strchr(text, ':') == NULL ? 4 : 6};

	assert_int_equal(inet_pton(a.version == 4 ? AF_INET : AF_INET6, text, a.bytes), 1);
	return a;
}

static void
neighbour(struct fixture *f, uint32_t device, const char *address, uint8_t last)
{
	struct learn_message m = {.kind = LEARN_NEIGHBOUR,
				  .device = device,
				  .usable = last != 0,
				  .address = address_of(address),
				  .mac = {2, 0, 0, 0, (uint8_t)(device - 10), last}};

	say(f, &m);
}

struct hop {
	uint32_t device;
	const char *gateway; // NULL: on the link
	uint32_t weight, id;
};

static void
set_way(struct learn_message *m, const struct hop *hops, uint32_t count)
{
	m->way.count = count;
	for (uint32_t i = 0; i < count; i++) {
		m->way.hops[i] =
			(struct learn_hop){.id = hops[i].id,
					   .device = hops[i].device,
					   .weight = hops[i].weight == 0 ? 1 : hops[i].weight};
		if (hops[i].gateway != NULL)
			m->way.hops[i].gateway = address_of(hops[i].gateway);
	}
}

static void
route(struct fixture *f, const char *address, uint8_t length, const struct hop *hops,
      uint32_t count)
{
	struct learn_address a = address_of(address);
	struct learn_message m = {.kind = LEARN_ROUTE, .replaces = true};

	m.prefix = (struct config_prefix){.version = a.version, .length = length};
	memcpy(m.prefix.address, a.bytes, 16);
	set_way(&m, hops, count);
	say(f, &m);
}

#define ROUTE(f, address, length, ...)                               \
	route(f, address, length, (const struct hop[]){__VA_ARGS__}, \
	      sizeof((const struct hop[]){__VA_ARGS__}) / sizeof(struct hop))

static void
nexthop(struct fixture *f, uint32_t id, const struct hop *hops, uint32_t count)
{
	struct learn_message m = {.kind = LEARN_NEXTHOP, .id = id};

	set_way(&m, hops, count);
	say(f, &m);
}

static int
open_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->vrf = (struct resolve_vrf){.index = 3, .encap = CONFIG_ENCAP_PLAIN, .vid = 77};
	f->rib = rib_create(&place);
	link(f, 11, "swp1", true);
	link(f, 12, "swp2", true);
	link(f, 13, "eth0", true);
	*state = f;
	return 0;
}

static int
close_fixture(void **state)
{
	struct fixture *f = *state;

	rib_destroy(f->rib);
	free(f);
	return 0;
}

// "10.9.0.0/16 tag 77 0:2*3 1:2; ..." port, last byte of the MAC, weight unless 1.
static void
expect(struct fixture *f, const char *wanted)
{
	const struct resolve_hooks hooks = {
		.want = want, .refuse = refuse, .leads_on = leads_on, .context = f};
	struct route_list list = {0};
	char *text = NULL, address[INET6_ADDRSTRLEN];
	size_t size;
	FILE *to = open_memstream(&text, &size);

	f->wanted = f->refused = 0;
	resolve_routes(f->rib, &f->vrf, &hooks, &list);
	for (uint32_t i = 0; i < list.count; i++) {
		const struct route *r = &list.routes[i];
		const struct route_group none = {0};
		const struct route_group *g = r->group == ROUTES_BLACKHOLE ? &none
									   : &list.groups[r->group];

		assert_int_equal(r->vrf, 3);
		inet_ntop(r->prefix.version == 4 ? AF_INET : AF_INET6, r->prefix.address, address,
			  sizeof(address));
		fprintf(to, "%s%s/%u", i != 0 ? "; " : "", address, r->prefix.length);
		if (r->encap != ROUTES_PLAIN) {
			assert_int_equal(list.encaps[r->encap].kind, CONFIG_ENCAP_VLAN);
			fprintf(to, " tag %u", list.encaps[r->encap].id);
		}
		if (r->group == ROUTES_BLACKHOLE)
			fputs(" drops", to);
		else if (g->count == 0)
			fputs(" asks", to);
		for (uint32_t k = 0; k < g->count; k++) {
			const struct route_member *m = &list.members[g->first + k];

			fprintf(to, " %u:%u", m->port, m->mac[5]);
			if (m->weight != 1)
				fprintf(to, "*%u", m->weight);
		}
	}
	fclose(to);
	assert_string_equal(text, wanted);
	free(text);
	routes_clear(&list);
}

static void
test_group(void **state)
{
	struct fixture *f = *state;

	neighbour(f, 11, "10.0.1.2", 2);
	neighbour(f, 12, "10.0.2.2", 2);
	ROUTE(f, "10.9.0.0", 16, {12, "10.0.2.2", 3, 0}, {11, "10.0.1.2", 1, 0});
	expect(f, "10.9.0.0/16 0:2 1:2*3");
	assert_int_equal(f->wanted, 0);
	// One that is not resolved is left out and asked for; with none the route asks.
	neighbour(f, 12, "10.0.2.2", 0);
	expect(f, "10.9.0.0/16 0:2");
	assert_int_equal(f->wanted, 1);
	assert_string_equal(f->last, "10.0.2.2");
	neighbour(f, 11, "10.0.1.2", 0);
	expect(f, "10.9.0.0/16 asks");
	assert_int_equal(f->wanted, 2);
	// An interface that is down takes its members out, and is not asked on.
	neighbour(f, 11, "10.0.1.2", 9);
	link(f, 12, "swp2", false);
	expect(f, "10.9.0.0/16 0:9");
	assert_int_equal(f->wanted, 0);
	link(f, 11, "swp1", false);
	expect(f, "");
}

// A neighbour at each port and a route by it, and the network at swp2.
static void
route_by_each(struct fixture *f)
{
	neighbour(f, 11, "10.0.1.2", 2);
	neighbour(f, 12, "10.0.2.2", 2);
	ROUTE(f, "10.0.2.0", 24, {12, NULL, 1, 0});
	ROUTE(f, "10.8.0.0", 16, {12, "10.0.2.2", 1, 0});
	ROUTE(f, "10.9.0.0", 16, {11, "10.0.1.2", 1, 0});
}

// To switches go packets with the tag of the VRF's VLAN, to others without.
static void
test_vlan(void **state)
{
	struct fixture *f = *state;

	f->vrf.encap = CONFIG_ENCAP_VLAN;
	route_by_each(f);
	expect(f, "10.0.2.0/24 asks; 10.0.2.2/32 tag 77 1:2; 10.8.0.0/16 tag 77 1:2; "
		  "10.9.0.0/16 0:2");
	assert_int_equal(f->refused, 0);
	ROUTE(f, "10.7.0.0", 16, {12, "10.0.2.2", 1, 0}, {11, "10.0.1.2", 1, 0});
	ROUTE(f, "10.8.0.0", 16, {12, "10.0.2.9", 1, 0});
	expect(f, "10.0.2.0/24 asks; 10.0.2.2/32 tag 77 1:2; 10.8.0.0/16 asks; 10.9.0.0/16 0:2");
	assert_int_equal(f->refused, 1);
	assert_int_equal(f->why, RESOLVE_TAG_OF_SOME);
}

// Through a tunnel no learned route leads; it is said once, whatever else is asked meanwhile.
static void
test_vxlan(void **state)
{
	const struct learn_address far = address_of("10.0.2.9");
	struct fixture *f = *state;

	f->vrf.encap = CONFIG_ENCAP_VXLAN;
	route_by_each(f);
	expect(f, "10.9.0.0/16 0:2");
	assert_int_equal(f->refused, 2);
	assert_int_equal(f->why, RESOLVE_NO_FAR_END);
	assert_int_equal(resolve_device(f->rib, &far), 12);
	expect(f, "10.9.0.0/16 0:2");
	assert_int_equal(f->refused, 0);
}

static void
test_other_interfaces(void **state)
{
	struct fixture *f = *state;

	neighbour(f, 13, "192.168.0.1", 1);
	neighbour(f, 11, "10.0.1.2", 2);
	ROUTE(f, "0.0.0.0", 0, {13, "192.168.0.1", 1, 0});
	expect(f, "");
	ROUTE(f, "0.0.0.0", 0, {13, "192.168.0.1", 1, 0}, {11, "10.0.1.2", 1, 0});
	expect(f, "0.0.0.0/0 0:2");
}

// RFC 5549, as unnumbered BGP has it.
static void
test_ip4_by_ip6(void **state)
{
	struct fixture *f = *state;

	ROUTE(f, "10.9.0.0", 16, {11, "fe80::1", 1, 0});
	expect(f, "10.9.0.0/16 asks");
	assert_string_equal(f->last, "fe80::1");
	neighbour(f, 11, "fe80::1", 7);
	expect(f, "10.9.0.0/16 0:7");
}

static void
test_connected(void **state)
{
	struct fixture *f = *state;
	struct learn_address a = address_of("10.0.1.77");

	ROUTE(f, "10.0.1.0", 24, {11, NULL, 1, 0});
	ROUTE(f, "fe80::", 64, {11, NULL, 1, 0});
	ROUTE(f, "fd01::", 64, {12, NULL, 1, 0});
	neighbour(f, 11, "10.0.1.2", 2);
	neighbour(f, 12, "10.0.1.3", 3); // on another interface than the network
	neighbour(f, 11, "10.7.7.7", 4); // on none
	neighbour(f, 11, "fe80::1", 5);  // nobody routes to it
	neighbour(f, 12, "fd01::9", 6);
	expect(f, "10.0.1.0/24 asks; 10.0.1.2/32 0:2; fd01::/64 asks; fd01::9/128 1:6");
	assert_int_equal(resolve_device(f->rib, &a), 11);
	// A longer prefix that leads elsewhere goes before the neighbour; one that leads there does
	// not.
	ROUTE(f, "10.0.1.2", 32, {12, "fd01::9", 1, 0});
	expect(f, "10.0.1.0/24 asks; 10.0.1.2/32 1:6; fd01::/64 asks; fd01::9/128 1:6");
	ROUTE(f, "10.0.1.2", 32, {11, NULL, 1, 0});
	expect(f, "10.0.1.0/24 asks; 10.0.1.2/32 0:2; fd01::/64 asks; fd01::9/128 1:6");
	ROUTE(f, "10.0.1.64", 26, {12, "fd01::9", 1, 0});
	assert_int_equal(resolve_device(f->rib, &a), 0);
}

static void
test_nexthop_objects(void **state)
{
	struct fixture *f = *state;

	neighbour(f, 11, "10.0.1.2", 2);
	neighbour(f, 12, "10.0.2.2", 2);
	ROUTE(f, "10.9.0.0", 16, {0, NULL, 1, 9});
	expect(f, ""); // not known yet
	nexthop(f, 5, (const struct hop[]){{11, "10.0.1.2", 1, 0}}, 1);
	nexthop(f, 6, (const struct hop[]){{12, "10.0.2.2", 1, 0}}, 1);
	nexthop(f, 7, (const struct hop[]){{0, NULL, 2, 5}, {0, NULL, 1, 6}}, 2);
	nexthop(f, 9, (const struct hop[]){{0, NULL, 3, 7}, {0, NULL, 1, 6}}, 2);
	expect(f, "10.9.0.0/16 0:2*6 1:2*4");
	// Within itself, without end.
	nexthop(f, 7, (const struct hop[]){{0, NULL, 1, 9}, {0, NULL, 1, 6}}, 2);
	nexthop(f, 9, (const struct hop[]){{0, NULL, 1, 7}}, 1);
	expect(f, "10.9.0.0/16 1:2");
	nexthop(f, 9, NULL, 0);
	expect(f, "");
}

static void
test_blackhole(void **state)
{
	struct fixture *f = *state;
	struct learn_message m = {.kind = LEARN_ROUTE};

	m.prefix = (struct config_prefix){.version = 4, .length = 8, .address = {10}};
	m.way.blackhole = true;
	say(f, &m);
	expect(f, "10.0.0.0/8 drops");
}

static void
test_too_many(void **state)
{
	struct fixture *f = *state;
	struct hop hops[GROUP_MEMBERS_MAX + 1];
	char texts[GROUP_MEMBERS_MAX + 1][16];
	struct learn_message m = {.kind = LEARN_ROUTE, .replaces = true};

	for (uint32_t i = 0; i <= GROUP_MEMBERS_MAX; i++) {
		struct learn_message n = {.kind = LEARN_NEIGHBOUR,
					  .device = 11,
					  .usable = true,
					  .mac = {2, 0, 0, 0, (uint8_t)(i >> 8), (uint8_t)i}};

		snprintf(texts[i], sizeof(texts[i]), "10.0.%u.%u", i >> 8, i & 255);
		n.address = address_of(texts[i]);
		say(f, &n);
		hops[i] = (struct hop){11, texts[i], 1, 0};
	}
	m.prefix = (struct config_prefix){.version = 4, .length = 16, .address = {10, 9}};
	set_way(&m, hops, GROUP_MEMBERS_MAX + 1);
	say(f, &m);
	expect(f, "");
	assert_int_equal(f->refused, 1);
	expect(f, "");
	assert_int_equal(f->refused, 0); // told once
}

// Groups of 256 that name the next 256 times are 2^32 next hops.
static void
test_groups_without_end(void **state)
{
	struct fixture *f = *state;
	struct hop hops[GROUP_MEMBERS_MAX];

	neighbour(f, 11, "10.0.1.2", 2);
	nexthop(f, 1, (const struct hop[]){{11, "10.0.1.2", 1, 0}}, 1);
	for (uint32_t id = 2; id <= 5; id++) {
		for (uint32_t i = 0; i < GROUP_MEMBERS_MAX; i++)
			hops[i] = (struct hop){0, NULL, 1, id - 1};
		nexthop(f, id, hops, GROUP_MEMBERS_MAX);
	}
	ROUTE(f, "10.9.0.0", 16, {0, NULL, 1, 2});
	expect(f, "10.9.0.0/16 0:2*256");
	ROUTE(f, "10.9.0.0", 16, {0, NULL, 1, 5});
	expect(f, "");
	assert_int_equal(f->refused, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
		T(test_group),           T(test_other_interfaces),
		T(test_ip4_by_ip6),      T(test_vlan),
		T(test_vxlan),           T(test_connected),
		T(test_nexthop_objects), T(test_blackhole),
		T(test_too_many),        T(test_groups_without_end),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
