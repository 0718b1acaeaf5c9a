// SPDX-License-Identifier: BSD-3-Clause
// What a leaf's port tells the host behind it.
#include "control/fabric/lldp_pdu.h"

#include "tests/unit/control/model/topology/fixture.h"

#define PLACE                                                                                     \
	"fabric: {name: lab, topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: " \
	"2},\n"                                                                                   \
	"         links: {host: {rate: 100G, delay: 500ns}}}\n"

static void
tell(const char *text, uint32_t node, uint16_t port, struct lldp_pdu *out)
{
	static const bool attached[4] = {true};
	struct packet_pool *pools[8], *packets;
	struct fabric_options options = {.pools = pools, .attached = attached, .seed = 1};
	struct diag diag = {0};
	struct fixture place;
	struct fabric *f;

	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	for (unsigned i = 0; i < 8; i++)
		pools[i] = packets;
	fixture_load(&place, text);
	assert_int_equal(fabric_create(&f, place.config, place.topology, &options, &diag), 0);
	fabric_lldp_pdu(f, node, port, out);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
	diag_free(&diag);
}

static void
test_who(void **state)
{
	char text[LLDP_TEXT_MAX];
	struct lldp_pdu p;

	(void)state;
	tell(PLACE "attach: {h1: {netns: a}}\n", 1, 1, &p);
	assert_string_equal(lldp_chassis_text(&p.chassis, text), "02:02:00:00:01:00");
	assert_string_equal(lldp_port_text(&p.port, text), "swp2");
	assert_int_equal(p.ttl, 120);
	assert_string_equal(p.system_name, "leaf2");
	assert_string_equal(p.port_description, "to h4.eth1");
	assert_non_null(strstr(p.system_description, ", leaf of the fabric lab"));
	assert_int_equal(p.capabilities, LLDP_CAPABLE_ROUTER);
	assert_memory_equal(p.ip4, ((uint8_t[]){172, 16, 0, 2}), 4);
	assert_int_equal(p.ip6[13], 2);
}

// Spectrum-X: priority 3 is lossless and RoCE's, 6 is strict, the two others share the rest.
static void
test_dcbx(void **state)
{
	struct lldp_pdu p;

	(void)state;
	tell(PLACE "switch: {preset: spectrum-x}\nattach: {h1: {netns: a}}\n", 0, 0, &p);
	assert_int_equal(p.pfc.enabled, 1 << 3);
	assert_int_equal(p.pfc.classes, 8);
	assert_false(p.pfc.willing || p.ets.willing);
	assert_int_equal(p.application_count, 1);
	assert_int_equal(p.applications[0].priority, 3);
	assert_int_equal(p.applications[0].selector, LLDP_UDP);
	assert_int_equal(p.applications[0].protocol, 4791);
	assert_int_equal(p.ets.classes, 8);
	assert_int_equal(p.ets.priority_to_class[3], 3);
	assert_int_equal(p.ets.priority_to_class[6], 6);
	assert_int_equal(p.ets.priority_to_class[5], 0);
	assert_int_equal(p.ets.algorithm[0], LLDP_ETS);
	assert_int_equal(p.ets.algorithm[3], LLDP_ETS);
	assert_int_equal(p.ets.algorithm[6], LLDP_STRICT);
	assert_int_equal(p.ets.bandwidth[0], 50);
	assert_int_equal(p.ets.bandwidth[3], 50);
}

// The priority is that of the host's DSCP at this port, and percents add up to 100.
static void
test_own_settings(void **state)
{
	struct lldp_pdu p;
	unsigned sum = 0;

	(void)state;
	tell(PLACE "switch:\n"
		   "  qos:\n"
		   "    trust: [dscp]\n"
		   "    dscp-to-priority: {10: 5, 26: 3, default: 0}\n"
		   "    priority-to-tc: {0: 0, 3: 3, 5: 5, default: 0}\n"
		   "    tc: {0: {weight: 1}, 3: {weight: 1}, 5: {weight: 1}, 6: {weight: 9}}\n"
		   "hosts: {dscp: 26}\nh1: {dscp: 10}\n"
		   "attach: {h1: {netns: a}}\n",
	     0, 0, &p);
	assert_int_equal(p.applications[0].priority, 5);
	for (unsigned tc = 0; tc < LLDP_CLASSES; tc++)
		sum += p.ets.bandwidth[tc];
	assert_int_equal(sum, 100);
	assert_int_equal(p.ets.bandwidth[0], 34);
	assert_int_equal(p.ets.bandwidth[3], 33);
	assert_int_equal(p.ets.bandwidth[5], 33);
	assert_int_equal(p.ets.bandwidth[6], 0); // nothing is in it
	assert_int_equal(p.ets.algorithm[6], LLDP_STRICT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who),
		cmocka_unit_test(test_dcbx),
		cmocka_unit_test(test_own_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
