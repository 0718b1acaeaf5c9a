// SPDX-License-Identifier: BSD-3-Clause
// What may follow on a command line, where no fabric is up. With one: tests/live/test_complete.py.
#include "control/cli/command/complete.h"

#include "control/cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct completion completion;

// Completes the last word of a line; "" after a blank at its end.
static void
complete(const char *line)
{
	static char copy[512];
	char *words[32], *rest = copy, *word;
	unsigned count = 0;

	completion_free(&completion);
	assert_true(strlen(line) < sizeof(copy));
	strcpy(copy, line);
	while ((word = strsep(&rest, " ")) != NULL)
		words[count++] = word;
	completion_find(&completion, &cli_program, &(struct completion_line){count, words, false});
}

static const struct completion_item *
offered(const char *word)
{
	for (unsigned i = 0; i < completion.count; i++)
		if (strcmp(completion.items[i].word, word) == 0)
			return &completion.items[i];
	return NULL;
}

// All that a line may go on with: "a b. |NOTE".
static void
expect(const char *line, const char *words)
{
	char out[1024] = "";

	complete(line);
	for (unsigned i = 0; i < completion.count; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s%s", i > 0 ? " " : "",
			 completion.items[i].note ? "|" : "", completion.items[i].word);
	assert_string_equal(out, words);
}

static void
commands(void **state)
{
	(void)state;
	expect("sho", "show");
	complete("");
	assert_non_null(offered("check"));
	assert_non_null(offered("schema"));
	assert_null(offered("complete"));
	expect("nonsense ", "");
	expect("-f demo sho", "show");
	expect("watchdog ", "restore");
	expect("events ", "apply drops link pause watchdog");
	expect("events link p", "pause");
	expect("watchdog restore x ", "");
	expect("completion ", "bash");
	expect("show pf", "pfc");
	expect("show interface x qos ", "roce");
	expect("show interface x qos roce ", "counters status");
	expect("clear watermarks per", "persistent |NODE |PORT");
	expect("exec ", "|HOST");
	expect("exec h1 -- ls ", "");
}

static void
options(void **state)
{
	(void)state;
	expect("show -o ", "json text");
	expect("show --output j", "json");
	expect("show --w", "--watch");
	expect("sim x --s", "--seed --set");
	expect("sim x --until ", "|TIME");
	complete("sim x -o ");
	assert_true(completion.directories);
	complete("sim ");
	assert_true(completion.files);
	complete("replay dut.yaml --in swp1=a");
	assert_true(completion.files);
	assert_int_equal(completion.file_at, 5);
	expect("headroom 100G 40m 9100 --cell ", "|BYTES");
}

static void
keys(void **state)
{
	(void)state;
	expect("set sw", "switch.");
	expect("set switch.", "switch.arp switch.buffer. switch.icmp. switch.ipip. switch.lldp "
			      "switch.preset switch.preset-mode switch.qos. "
			      "switch.routing.");
	expect("set switch.qos.tc.3.ecn.m", "switch.qos.tc.3.ecn.max switch.qos.tc.3.ecn.min");
	complete("set switch.qos.tc.");
	assert_int_equal(completion.count, 8);
	assert_true(offered("switch.qos.tc.7.")->more);
	assert_int_equal(completion_common(&completion), strlen("switch.qos.tc."));
	expect("set workl", "");
	expect("help workload.si", "workload.simulate. workload.size workload.sizes");
	expect("help hosts.rt", "hosts.rto hosts.rtt.");
	expect("set switch.nonsense.", "");
	expect("set fabric.", "");
	expect("set switch.qos.ports.swp3.max", "switch.qos.ports.swp3.max-rate");
}

static void
parts_apart(void **state)
{
	(void)state;
	expect("set ten", "tenant tenants.");
	expect("set tenant ", "|NAME |TENANT |VALUE");
	complete("set tenant green ");
	assert_non_null(offered("hosts"));
	assert_false(offered("hosts")->more);
	expect("set switch qos tc 3 wei", "weight |VALUE");
}

static void
values(void **state)
{
	(void)state;
	expect("set switch.routing.mode ad", "adaptive |VALUE");
	expect("set switch.qos.watchdog o", "off on |VALUE");
	expect("set switch.qos.tc.3.red ", "off on |VALUE");
	expect("set switch.qos.pg.3.headroom ", "auto |VALUE");
	expect("set switch.qos.tc.3.max-rate ", "none |VALUE");
	expect("set switch.qos.tc.3.alpha 1/6", "1/64 |VALUE");
	expect("set switch.qos.trust d", "dscp |VALUE");
	complete("set switch.qos.tc.3.weight ");
	assert_string_equal(completion.items[0].help, "integer, 1 to 1000");
	expect("set switch.qos.tc.3.weight 60 ", "");
	expect("help switch.qos.tc.3.weight ", "");
}

static void
common_beginnings(void **state)
{
	(void)state;
	complete("show int");
	assert_int_equal(completion_common(&completion), strlen("interface"));
	complete("nonsense ");
	assert_int_equal(completion_common(&completion), 0);
}

static int
alone(void **state)
{
	// No fabric is up there.
	(void)state;
	return setenv("ROOST_FABRIC", "none-of-this-name", 1);
}

static int
done(void **state)
{
	(void)state;
	completion_free(&completion);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands), cmocka_unit_test(options),
		cmocka_unit_test(keys),     cmocka_unit_test(parts_apart),
		cmocka_unit_test(values),   cmocka_unit_test(common_beginnings),
	};

	return cmocka_run_group_tests(tests, alone, done);
}
