// SPDX-License-Identifier: BSD-3-Clause
// What `roost subnet` says when a manager sets what the fabric does not do: once.
#include "control/run/subnet/subnet_internal.h"
#include "tests/unit/control/mad/small_subnet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int64_t now = 1; // in ms

// Follows changes until the quiet after them has been acted upon. Returns what was printed; for
// free().
static char *
follow(struct subnet_qos *q)
{
	FILE *file = tmpfile();
	const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	char *text = calloc(1, 4096);
	int left;

	assert_non_null(file);
	assert_non_null(text);
	fflush(stdout);
	assert_int_equal(dup2(fileno(file), STDOUT_FILENO), STDOUT_FILENO);
	assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
	left = subnet_qos_follow(q, now);
	now += left > 0 ? left : 0;
	subnet_qos_follow(q, now);
	assert_int_equal(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
	assert_int_equal(dup2(err, STDERR_FILENO), STDERR_FILENO);
	close(out);
	close(err);
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
		   "the fabric keeps its schedulers: set `preset: infiniband` in its file, or "
		   "qos.flow-control: credit and buffer.cell: 64\n");
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
		assert_int_equal(subnet_qos_follow(&q, now), 100);
		now += 10;
		a.sets++;
	}
	assert_null(q.said[SUBNET_NOTE_LEVELS]);
	a.nodes[LEAF1].ports[2].levels[1][0] = 0x01;
	expect(&q, "");
	a.sets++;
	assert_int_equal(subnet_qos_follow(&q, now), -1);
	subnet_qos_free(&q);
	agents_free(&a);
}

// A manager that never pauses is followed nevertheless, after 5 s.
static void
test_no_quiet(void **state)
{
	const int64_t begin = now;
	struct agents a = make_subnet();
	struct subnet_qos q = {.agents = &a};

	(void)state;
	a.nodes[LEAF1].arbitrated = true;
	a.lane_changes++;
	while (subnet_qos_follow(&q, now) > 0) {
		now += 10;
		a.sets++;
		assert_true(now <= begin + 5000);
	}
	assert_int_equal(now, begin + 5000);
	assert_non_null(q.said[SUBNET_NOTE_NO_TABLES]);
	subnet_qos_free(&q);
	agents_free(&a);
}

// ---- a fabric that answers ----------------------------------------------------------------------

#define DONE "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
#define REFUSED "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"no\"}}\n"

static char path[64];

static void
answer(int listener, const char *text)
{
	const int fd = accept(listener, NULL, NULL);
	char byte = '\0';

	while (byte != '\n' && read(fd, &byte, 1) == 1)
		;
	if (write(fd, text, strlen(text)) < 0)
		_exit(1);
	close(fd);
}

// Answers as many requests as there are texts, one on each connection.
static pid_t
serve(const char *const *answers, unsigned count)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t child;

	sprintf(path, "/tmp/qos_test.%d", getpid());
	strcpy(address.sun_path, path);
	unlink(path);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 4), 0);
	child = fork();
	assert_true(child >= 0);
	for (unsigned i = 0; child == 0 && i < count; i++)
		answer(listener, answers[i]);
	if (child == 0)
		_exit(0);
	close(listener);
	return child;
}

static void
end(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	unlink(path);
}

static void
arbitrate(struct agents *a, uint32_t first, uint32_t last)
{
	for (uint32_t n = first; n <= last; n++)
		a->nodes[n].programmable = a->nodes[n].arbitrated = true;
}

static void
test_batches(void **state)
{
	static const char *const answers[] = {DONE, DONE, DONE, REFUSED, REFUSED};
	struct agents a = make_subnet();
	struct subnet_qos q = {.agents = &a, .path = path, .batch_bytes = SUBNET_BATCH_BYTES};
	const pid_t child = serve(answers, 5);

	(void)state;
	arbitrate(&a, LEAF1, SPINE);
	expect(&q, "programmed the arbitration of 3 switches\n");
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, "programmed the arbitration of 1 switch\n");
	q.batch_bytes = 1;
	arbitrate(&a, LEAF1, SPINE);
	expect(&q, "programmed the arbitration of 1 switch\n"
		   "the arbitration of the other switches stays as it is: no\n");
	assert_false(a.nodes[SPINE].arbitrated);
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, "the arbitration of lanes stays as it is: no\n");
	end(child);
	subnet_qos_free(&q);
	agents_free(&a);
}

// Tables that differed between ports, and have been programmed since, are news when they differ
// again.
static void
test_mixed_again(void **state)
{
	static const char mixed[] =
		"leaf1: the subnet manager sets different arbitration tables at ports of one "
		"switch; a switch of the fabric has one pair of tables for all ports, and keeps "
		"it\n";
	static const char *const answers[] = {DONE};
	struct agents a = make_subnet();
	struct subnet_qos q = {.agents = &a, .path = path, .batch_bytes = SUBNET_BATCH_BYTES};
	const pid_t child = serve(answers, 1);
	uint8_t *limit = &a.nodes[LEAF1].ports[2].info[38];
	const uint8_t common = *limit;

	(void)state;
	*limit = 9;
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, mixed);
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, "");
	*limit = common;
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, "programmed the arbitration of 1 switch\n");
	*limit = 9;
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, mixed);
	end(child);
	subnet_qos_free(&q);
	agents_free(&a);
}

// After a failure, requests do not shorten the time until the next attempt.
static void
test_retry(void **state)
{
	struct agents a = make_subnet();
	struct subnet_qos q = {
		.agents = &a, .path = "/nonexistent", .batch_bytes = SUBNET_BATCH_BYTES};

	(void)state;
	arbitrate(&a, LEAF1, LEAF1);
	expect(&q, "the arbitration of lanes stays as it is: /nonexistent: No such file or "
		   "directory\n");
	assert_true(a.nodes[LEAF1].arbitrated);
	assert_int_equal(subnet_qos_follow(&q, now), 1000);
	now += 500;
	a.sets++;
	assert_int_equal(subnet_qos_follow(&q, now), 500);
	a.lane_changes++;
	assert_int_equal(subnet_qos_follow(&q, now), 500);
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
		cmocka_unit_test(test_no_quiet),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_mixed_again),
		cmocka_unit_test(test_retry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
