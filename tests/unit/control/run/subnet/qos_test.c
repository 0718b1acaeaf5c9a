// SPDX-License-Identifier: BSD-3-Clause
// What `roost subnet` says when a manager sets what the fabric does not do: once.
#include "control/run/subnet/subnet_internal.h"
#include "tests/unit/control/mad/small_subnet.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

// Follows changes until all have been acted upon. Returns what was printed; for free().
static char *
follow(struct subnet_qos *q)
{
	FILE *file = tmpfile();
	const int saved = dup(STDERR_FILENO);
	char *text = calloc(1, 4096);
	int left;

	assert_non_null(file);
	assert_non_null(text);
	assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
	while ((left = subnet_qos_follow(q)) >= 0)
		poll(NULL, 0, left);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	rewind(file);
	assert_true(fread(text, 1, 4095, file) < 4095);
	fclose(file);
	return text;
}

static void
expect(struct subnet_qos *q, const char *expected)
{
	char *text;

	q->agents->lane_changes++;
	text = follow(q);
	assert_string_equal(text, expected);
	free(text);
}

static void
test_levels_and_partitions(void **state)
{
	static const char levels[] =
		"leaf2 and 1 more: the subnet manager maps SL 0 to 7 to VL 0,0,2,3,4,5,6,7; the "
		"fabric keeps VL 0,1,2,3,4,5,6,7, because lanes cannot change while it runs: set "
		"qos.priority-to-tc in its file\n";
	static const char keys[] =
		"h2: the subnet manager sets P_Key 0x8001, 0xffff; the fabric keeps 0xffff, "
		"because "
		"partitions cannot change while it runs: set `tenants:` in its file\n";
	struct agents a = make_subnet();
	struct subnet_qos q = {.agents = &a};
	struct agent_port *host = &a.nodes[H2].ports[1];

	(void)state;
	expect(&q, "");
	a.nodes[LEAF2].ports[2].levels[1][0] = 0x00;
	a.nodes[SPINE].ports[2].levels[1][0] = 0x00;
	expect(&q, levels);
	expect(&q, "");
	mad_put16(host->partitions, 0x8001);
	mad_put16(host->partitions + 2, 0xffff);
	expect(&q, keys);
	mad_put16(host->partitions, 0);
	a.nodes[LEAF2].ports[2].levels[1][0] = a.nodes[SPINE].ports[2].levels[1][0] = 0x01;
	expect(&q, "");
	a.nodes[LEAF2].ports[2].levels[1][0] = a.nodes[SPINE].ports[2].levels[1][0] = 0x00;
	expect(&q, levels); // again, because it was right in between
	subnet_qos_free(&q);
	agents_free(&a);
}

static void
test_arbitration_that_is_kept(void **state)
{
	struct agents a = make_subnet();
	struct subnet_qos q = {.agents = &a, .path = "/nonexistent"};

	(void)state;
	a.nodes[H1].arbitrated = true; // NICs take turns as they do
	expect(&q, "");
	a.nodes[LEAF1].arbitrated = a.nodes[LEAF2].arbitrated = true;
	expect(&q, "leaf1 and 1 more: the subnet manager sets arbitration tables; without credits "
		   "the fabric keeps its schedulers: set qos.flow-control: credit in its file\n");
	a.nodes[LEAF1].programmable = a.nodes[LEAF1].arbitrated = true;
	a.nodes[LEAF1].ports[2].info[38] = 9;
	expect(&q, "leaf1: the subnet manager sets different arbitration tables at ports of one "
		   "switch; a switch of the fabric has one pair of tables for all ports, and keeps "
		   "it\n");
	assert_false(a.nodes[LEAF1].arbitrated);
	q.path = NULL;
	a.nodes[LEAF1].arbitrated = true;
	expect(&q, "leaf1: the subnet manager sets arbitration tables; the file keeps its own: set "
		   "qos.credit.arbitration there\n");
	subnet_qos_free(&q);
	agents_free(&a);
}

// While a manager sets, tables that are half set do not count, even if what it sets is so already.
static void
test_quiet(void **state)
{
	struct agents a = make_subnet();
	struct subnet_qos q = {.agents = &a};

	(void)state;
	a.nodes[LEAF1].ports[2].levels[1][0] = 0x00;
	a.lane_changes++;
	for (unsigned i = 0; i < 15; i++) {
		assert_true(subnet_qos_follow(&q) > 0);
		poll(NULL, 0, 10);
		a.sets++;
	}
	assert_null(q.said[SUBNET_NOTE_LEVELS]);
	a.nodes[LEAF1].ports[2].levels[1][0] = 0x01;
	expect(&q, "");
	a.sets++;
	assert_int_equal(subnet_qos_follow(&q), -1);
	subnet_qos_free(&q);
	agents_free(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_and_partitions),
		cmocka_unit_test(test_arbitration_that_is_kept),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
