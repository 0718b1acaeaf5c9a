// SPDX-License-Identifier: BSD-3-Clause
// Endpoints as a file names them.
#include "fixture.h"

#define PLANES                                                                              \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2, " \
	"planes: 3}\n"

static int
resolve(struct fixture *f, const char *text, struct topo_endpoint *out)
{
	const struct config_name name = {.text = (char *)(uintptr_t)text, .pos = {7, 9}};

	return topology_resolve_endpoint(f->topology, "x.flow", &name, "dst", out, &f->diag);
}

static void
test_endpoints(void **state)
{
	struct topo_endpoint end;
	struct fixture f;

	(void)state;
	fixture_load(&f, PLANES);
	assert_int_equal(resolve(&f, "h3", &end), 0);
	assert_int_equal(end.host, 2);
	assert_int_equal(end.port, 0);
	assert_true(end.whole);
	assert_int_equal(resolve(&f, "h4.eth3", &end), 0);
	assert_int_equal(end.host, 3);
	assert_int_equal(end.port, 2);
	assert_false(end.whole);
	fixture_free(&f);
}

static void
test_errors(void **state)
{
	static const char *const wrong[][2] = {
		{"h4.eth4", "x.flow:7:9: dst: h4 has no port eth4; it has eth1 .. eth3"},
		{"h4.", "h4 has no port ; it has eth1 .. eth3"},
		{"h4.eth1.2", "h4 has no port eth1.2"},
		{"h5.eth1", "x.flow:7:9: dst: there is no host h5; did you mean h"},
		{"p1-leaf1.swp1", "p1-leaf1 is a leaf, not a host"},
		{".eth1", "there is no host "},
	};
	struct topo_endpoint end;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		fixture_load(&f, PLANES);
		assert_int_equal(resolve(&f, wrong[i][0], &end), -EINVAL);
		assert_int_equal(f.diag.errors, 1);
		assert_true(fixture_says(&f, wrong[i][1]));
		fixture_free(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endpoints),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
