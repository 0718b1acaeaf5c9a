// SPDX-License-Identifier: BSD-3-Clause
// Ports named in sections that many switches read: one of them must have it.
#include "built.h"

#define PLACE "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 4}}\n"
#define SWITCHES 3 // leaves of 5 ports, a spine of 2

static struct config_port_qos
port(unsigned number, uint32_t line)
{
	return (struct config_port_qos){.name = {.text = (char *)"swpN", .pos = {line, 1}},
					.number = number};
}

static int
check(struct fixture *f, const struct config_port_qos *ports, const unsigned counts[SWITCHES])
{
	struct switch_config switches[SWITCHES] = {0};

	fixture_load(f, PLACE);
	for (unsigned n = 0; n < SWITCHES; n++) {
		switches[n].ports = ports;
		switches[n].port_count = counts[n];
	}
	return tables_check_ports(f->topology, switches, &f->diag);
}

static void
test_ports(void **state)
{
	const struct config_port_qos ports[] = {port(2, 1), port(5, 2), port(6, 3)};
	struct fixture f;

	(void)state;
	// All read the first two: the spine lacks one of them.
	assert_int_equal(check(&f, ports, (unsigned[]){2, 2, 2}), 0);
	fixture_free(&f);
	// Only the spine does.
	assert_int_equal(check(&f, ports, (unsigned[]){0, 0, 2}), -EINVAL);
	assert_int_equal(f.diag.errors, 1);
	assert_true(fixture_says(
		&f, "t.yaml:2:1: qos.ports: no switch that reads this section has port swp5"));
	fixture_free(&f);
	// Nobody has the third; that is said once.
	assert_int_equal(check(&f, ports, (unsigned[]){3, 3, 3}), -EINVAL);
	assert_int_equal(f.diag.errors, 1);
	assert_true(fixture_says(
		&f, "t.yaml:3:1: qos.ports: no switch that reads this section has port swp6"));
	fixture_free(&f);
}

// The same number in another place of the file is another entry.
static void
test_histograms(void **state)
{
	const struct config_histogram of_leaf = {.where = {.text = (char *)"swp5.3", .pos = {4, 9}},
						 .port_number = 5};
	const struct config_histogram of_spine = {
		.where = {.text = (char *)"swp5.3", .pos = {8, 9}}, .port_number = 5};
	struct switch_config switches[SWITCHES] = {0};
	struct fixture f;

	(void)state;
	fixture_load(&f, PLACE);
	switches[0].histograms = &of_leaf;
	switches[0].histogram_count = 1;
	assert_int_equal(tables_check_ports(f.topology, switches, &f.diag), 0);
	switches[2].histograms = &of_spine;
	switches[2].histogram_count = 1;
	assert_int_equal(tables_check_ports(f.topology, switches, &f.diag), -EINVAL);
	assert_true(fixture_says(
		&f, "t.yaml:8:9: qos.histograms: no switch that reads this section has port swp5"));
	fixture_free(&f);
}

// One switch is a section with one reader.
static void
test_single(void **state)
{
	struct switch_config settings;
	struct fixture f;

	(void)state;
	fixture_load(&f, "switch:\n  name: dut\n  ports: {swp1: {rate: 100G}}\n"
			 "  qos: {histograms: [{queue: swp3.1}], ports: {swp4: {}}}\n");
	assert_int_equal(config_switch(f.config, "dut", CONFIG_ROLE_LEAF, &settings), 0);
	assert_int_equal(tables_check_ports(f.topology, &settings, &f.diag), -EINVAL);
	assert_int_equal(f.diag.errors, 2);
	assert_true(fixture_says(
		&f,
		"t.yaml:4:30: qos.histograms: no switch that reads this section has port swp3"));
	assert_true(fixture_says(
		&f, "t.yaml:4:48: qos.ports: no switch that reads this section has port swp4"));
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_histograms),
		cmocka_unit_test(test_single),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
