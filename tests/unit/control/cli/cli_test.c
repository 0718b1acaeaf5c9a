// SPDX-License-Identifier: BSD-3-Clause
// The program as a user calls it, in this process, with stdout and stderr in files.
#include "captured.h"

#include "control/base/program.h"
#include "control/cli/cli.h"

static void
test_help_of_the_program(void **state)
{
	struct captured c;
	const struct cli_command *const *commands = cli_program.commands;

	(void)state;
	c = captured_run("roost --help");
	assert_int_equal(c.status, EXIT_OK);
	assert_string_equal(c.err, "");
	for (size_t i = 0; i < cli_program.count; i++) {
		assert_non_null(strstr(c.out, commands[i]->name));
		assert_non_null(strstr(c.out, commands[i]->help));
	}
	c = captured_run("roost");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_string_equal(c.out, "");
	assert_non_null(strstr(c.err, "usage: roost"));
}

// Wherever it stands, it helps and does nothing else.
static void
test_help_of_every_command(void **state)
{
	const struct cli_command *const *commands = cli_program.commands;

	(void)state;
	for (size_t i = 0; i < cli_program.count; i++) {
		char line[128], usage[64];
		struct captured c;

		snprintf(line, sizeof(line), "roost %s --help", commands[i]->name);
		snprintf(usage, sizeof(usage), "usage: roost %s", commands[i]->name);
		c = captured_run(line);
		assert_int_equal(c.status, EXIT_OK);
		assert_string_equal(c.err, "");
		assert_memory_equal(c.out, usage, strlen(usage));
		assert_non_null(strstr(c.out, commands[i]->help));
		if (commands[i]->reads_words || commands[i]->help[0] == '\0')
			continue;
		snprintf(line, sizeof(line), "roost %s nonsense -h", commands[i]->name);
		assert_int_equal(captured_run(line).status, EXIT_OK);
	}
}

static void
test_help_of_keys(void **state)
{
	static const char min[] = "switch.qos.tc.N.ecn.min: at or below, no packet is marked\n"
				  "  type     size\n"
				  "  unit     B, KB, MB, GB, KiB, MiB or GiB\n"
				  "  range    0B to 1024GiB\n"
				  "  default  150KB\n"
				  "  live     `roost set` changes it while a fabric runs\n";
	struct captured c;

	(void)state;
	assert_string_equal(captured_run("roost set switch.qos.tc.3.ecn.min --help").out, min);
	assert_string_equal(captured_run("roost set --help qos.tc.3.ecn.min").out, min);
	assert_string_equal(captured_run("roost help switch qos tc 3 ecn min").out, min);
	c = captured_run("roost set switch.qos.tc.3.ecn.mni --help");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_string_equal(c.err,
			    "roost set: there is no key \"mni\" in switch.qos.tc.N.ecn; did you "
			    "mean \"min\"?\n`roost set --help` shows the usage\n");
	c = captured_run("roost help tenant green buffer");
	assert_int_equal(c.status, EXIT_OK);
	assert_non_null(strstr(c.out, "tenants.NAME.buffer: "));
	assert_non_null(strstr(c.out, "keys:\n  guaranteed "));
	assert_non_null(strstr(captured_run("roost help switch.latency").out, "it stays as"));
}

// A word that is no key is told, wherever it stands; but the last behind `set` may be a value.
static void
test_help_of_no_key(void **state)
{
	struct captured c;

	(void)state;
	c = captured_run("roost help switch qos tc 3 wieght");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_string_equal(c.out, "");
	assert_string_equal(c.err, "roost help: there is no key \"wieght\" in switch.qos.tc.N; did "
				   "you mean \"weight\"?\n`roost help --help` shows the usage\n");
	c = captured_run("roost help tenants red borde");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "no key \"borde\" in tenants.NAME; did you mean"));
	assert_int_equal(captured_run("roost set switch qos tc 3 wieght 5 --help").status,
			 EXIT_USAGE);
	assert_int_equal(captured_run("roost set switch qos tc 3 weight 5 --help").status, EXIT_OK);
}

// `events` is a command and a key.
static void
test_help_of_both(void **state)
{
	struct captured c = captured_run("roost help events");

	(void)state;
	assert_int_equal(c.status, EXIT_OK);
	assert_memory_equal(c.out, "usage: roost events", 19);
	assert_non_null(strstr(c.out, "\nevents is a key of files too: roost help set events\n"));
	assert_memory_equal(captured_run("roost help set events").out, "events: ", 8);
	assert_memory_equal(captured_run("roost help events link").out, "events.link: ", 13);
	c = captured_run("roost help events lnik");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "no key \"lnik\" in events; did you mean \"link\"?"));
	assert_null(strstr(captured_run("roost help show").out, "is a key of files"));
}

static void
test_help_by_name(void **state)
{
	struct captured c = captured_run("roost help check");

	(void)state;
	assert_int_equal(c.status, EXIT_OK);
	assert_string_equal(c.out, captured_run("roost check --help").out);
	assert_memory_equal(captured_run("roost help").out, "usage: roost", 12);
	c = captured_run("roost help chekc");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "did you mean \"check\"?"));
	c = captured_run("roost help swich");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "did you mean \"switch\"?"));
}

static void
test_commands_that_are_none(void **state)
{
	struct captured c;

	(void)state;
	c = captured_run("roost shwo");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_string_equal(c.out, "");
	assert_string_equal(c.err, "roost: unknown command shwo; did you mean \"show\"?\n`roost "
				   "--help` shows the usage\n");
	c = captured_run("roost xyzzy");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_string_equal(c.err,
			    "roost: unknown command xyzzy\n`roost --help` shows the usage\n");
	c = captured_run("roost --nonsense show");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "nonsense"));
}

// The words of a line are parted by one space each: two spaces, or one at the end, are an empty
// word.
static void
test_usage_errors(void **state)
{
	static const struct {
		const char *line, *err;
	} cases[] = {
		{"roost --help=3", "roost: --help takes no value\n"},
		{"roost sim --help=3", "roost sim: --help takes no value\n"},
		{"roost check ", "roost check: FILE: the path is empty\n"},
		{"roost up ", "roost up: FILE|NAME: the path is empty\n"},
		{"roost where 10.1.3.7 ", "roost where: FILE: the path is empty\n"},
		{"roost sim x.yaml -o ", "roost sim: --out: the path is empty\n"},
		{"roost sim x.yaml --out=", "roost sim: --out: the path is empty\n"},
		{"roost plot ", "roost plot: DIR: the path is empty\n"},
		{"roost compare x.yaml ", "roost compare: FILE: the path is empty\n"},
		{"roost schema --markdown --counters",
		 "roost schema: --markdown cannot be used with other arguments or options\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct captured c = captured_run(cases[i].line);

		assert_int_equal(c.status, EXIT_USAGE);
		assert_string_equal(c.out, "");
		assert_memory_equal(c.err, cases[i].err, strlen(cases[i].err));
	}
}

// A path that is not absolute needs a working directory.
static void
test_save_without_a_working_directory(void **state)
{
	char path[] = "/tmp/roost-cli-XXXXXX";
	int before = open(".", O_RDONLY | O_DIRECTORY);
	struct captured c;

	(void)state;
	assert_true(before >= 0);
	assert_non_null(mkdtemp(path));
	assert_int_equal(chdir(path), 0);
	assert_int_equal(rmdir(path), 0);
	c = captured_run("roost save lab.yaml");
	assert_int_equal(fchdir(before), 0);
	close(before);
	assert_int_equal(c.status, EXIT_FAILED);
	assert_string_equal(c.err,
			    "roost save: lab.yaml: cannot find the working directory: No such "
			    "file or directory; use an absolute path\n");
}

static void
test_version(void **state)
{
	struct captured c = captured_run("roost --version");

	(void)state;
	assert_int_equal(c.status, EXIT_OK);
	assert_memory_equal(c.out, "roost ", 6);
	assert_string_equal(c.out + 6 + strlen(roost_version), "\n");
	assert_non_null(strchr(roost_version, '.'));
	roost_commit = "a3cb2f5c01d2";
	c = captured_run("roost --version");
	roost_commit = "";
	assert_string_equal(c.out + 6 + strlen(roost_version), " (a3cb2f5c01d2)\n");
}

static void
test_results_that_cannot_be_written(void **state)
{
	struct captured c;

	(void)state;
	c = captured_run_to("/dev/full", "roost headroom 100G 5m 1500");
	assert_int_equal(c.status, EXIT_FAILED);
	assert_string_equal(c.err, "roost: writing the result: No space left on device\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_of_the_program),
		cmocka_unit_test(test_help_of_every_command),
		cmocka_unit_test(test_help_of_keys),
		cmocka_unit_test(test_help_of_no_key),
		cmocka_unit_test(test_help_of_both),
		cmocka_unit_test(test_help_by_name),
		cmocka_unit_test(test_commands_that_are_none),
		cmocka_unit_test(test_usage_errors),
		cmocka_unit_test(test_save_without_a_working_directory),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_results_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
