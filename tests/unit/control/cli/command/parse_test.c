// SPDX-License-Identifier: BSD-3-Clause
// Rows made here, command lines that fit them, and the errors of those that do not.
#include "control/cli/command/command.h"
#include "tests/unit/control/cli/captured.h"

static const struct cli_command shape = {
	.name = "shape",
	.help = "try forms",
	.forms =
		{
			{{{CLI_LITERAL, "interface"},
			  {CLI_PORT, .optional = true},
			  {CLI_LITERAL, "qos"},
			  {CLI_LITERAL, "roce"},
			  {CLI_LITERAL, "status|counters", .optional = true}}},
			{{{CLI_LITERAL, "interface"}, {CLI_PORT, .optional = true}}},
			{{{CLI_LITERAL, "route|neighbour"},
			  {CLI_SWITCH, .optional = true},
			  {CLI_LITERAL, "vrf"},
			  {CLI_VRF}}},
			{{{CLI_LITERAL, "files"}, {CLI_FILE}, {CLI_FILE, .repeated = true}}},
			{{{CLI_LITERAL, "at"}, {CLI_REVISION}}},
			{{{CLI_LITERAL, "in"},
			  {CLI_HOST},
			  {CLI_LITERAL, "--"},
			  {CLI_TEXT, "WORD", .repeated = true}}},
		},
	.options =
		{
			{.name = "out", .letter = 'o', .kind = CLI_DIRECTORY, .help = "where"},
			{.name = "in", .kind = CLI_CAPTURE, .repeated = true, .help = "what"},
			{.name = "count", .kind = CLI_NUMBER, .range = {1, 9}, .help = "how many"},
			{.name = "until", .kind = CLI_TIME, .help = "when"},
			{.name = "confirm", .kind = CLI_SECONDS, .help = "for how long"},
			{.name = "json", .kind = CLI_FLAG, .help = "as JSON"},
			{.name = "no", .kind = CLI_FLAG, .alone = true, .help = "not at all"},
		},
};

static const struct cli_command *const rows[] = {&shape};
static const struct cli_program program = {.commands = rows, .count = 1};

static struct cli_args args;
static char err[CAPTURED_MAX];

// Parses "shape" and these words. Returns the exit status, with the error in err.
static int
parse(const char *line)
{
	static char copy[256], name[] = "shape";
	char *argv[CAPTURED_WORDS_MAX + 1] = {name}, *rest = copy, *word;
	int argc = 1, fd = memfd_create("err", 0), saved = captured_divert(stderr, fd), status;

	cli_args_free(&args);
	snprintf(copy, sizeof(copy), "%s", line);
	while ((word = strsep(&rest, " ")) != NULL && argc < CAPTURED_WORDS_MAX)
		if (*word != '\0')
			argv[argc++] = word;
	status = cli_parse(&args, &program, &shape, argc, argv);
	captured_restore(stderr, saved, fd, err);
	return status;
}

static unsigned
given_count(const char *name)
{
	unsigned count;

	free(cli_texts(&args, name, &count));
	return count;
}

static const char *
text_at(const char *name, unsigned i)
{
	unsigned count;
	const char **texts = cli_texts(&args, name, &count), *text = i < count ? texts[i] : NULL;

	free(texts);
	return text;
}

static void
test_forms(void **state)
{
	(void)state;
	assert_int_equal(parse("interface"), EXIT_OK);
	assert_null(cli_text(&args, "PORT"));
	assert_int_equal(parse("interface swp1"), EXIT_OK);
	assert_string_equal(cli_text(&args, "PORT"), "swp1");
	assert_int_equal(parse("interface qos roce counters"), EXIT_OK);
	assert_null(cli_text(&args, "PORT"));
	assert_true(cli_given(&args, "counters"));
	assert_false(cli_given(&args, "status"));
	assert_int_equal(parse("interface swp1 qos roce"), EXIT_OK);
	assert_string_equal(cli_text(&args, "PORT"), "swp1");
	assert_true(cli_given(&args, "roce"));
	assert_int_equal(parse("route vrf red"), EXIT_OK);
	assert_null(cli_text(&args, "NODE"));
	assert_string_equal(cli_text(&args, "VRF"), "red");
	assert_int_equal(parse("neighbour leaf1 vrf red"), EXIT_OK);
	assert_string_equal(cli_text(&args, "NODE"), "leaf1");
	assert_int_equal(parse("files a b c"), EXIT_OK);
	assert_int_equal(given_count("FILE"), 3);
	assert_string_equal(text_at("FILE", 1), "b");
	assert_int_equal(parse("at 7"), EXIT_OK);
	assert_int_equal(cli_number(&args, "REVISION", 0), 7);
}

static void
test_options(void **state)
{
	static const char *const lines[] = {"interface -o dir --json", "-o dir interface --json",
					    "--out dir --json interface",
					    "--out=dir interface --json", "-odir --json interface"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(parse(lines[i]), EXIT_OK);
		assert_string_equal(cli_text(&args, "out"), "dir");
		assert_true(cli_given(&args, "json"));
		assert_int_equal(args.count, 1);
	}
	assert_int_equal(parse("interface --in a=1 --in b=2 --until 1ms --count 9 --confirm 5m"),
			 EXIT_OK);
	assert_int_equal(given_count("in"), 2);
	assert_string_equal(text_at("in", 0), "a=1");
	assert_int_equal(cli_number(&args, "until", 0), 1000000000);
	assert_int_equal(cli_number(&args, "count", 0), 9);
	assert_int_equal(cli_number(&args, "confirm", 0), 300);
	assert_int_equal(parse("interface --count 1 --count 2"), EXIT_OK);
	assert_int_equal(cli_number(&args, "count", 0), 2);
	assert_int_equal(cli_number(&args, "until", 5), 5);
	assert_int_equal(parse("--no"), EXIT_OK);
}

// Behind -- options are words; a form that has it keeps it.
static void
test_double_dash(void **state)
{
	(void)state;
	assert_int_equal(parse("in h1 -- ls -l --json"), EXIT_OK);
	assert_false(cli_given(&args, "json"));
	assert_int_equal(args.count, 6);
	assert_string_equal(args.words[3], "ls");
	assert_null(args.words[6]);
	assert_int_equal(given_count("WORD"), 3);
}

static void
test_errors(void **state)
{
	static const struct {
		const char *line, *err;
	} wrong[] = {
		{"", "an argument is missing: interface, route, neighbour, files, at or in"},
		{"intrface", "unknown argument \"intrface\"; did you mean \"interface\"?"},
		{"interface a b", "unexpected argument \"b\"; expected qos"},
		{"interface qos", "an argument is missing after \"qos\": roce"},
		{"interface qos roce sttus",
		 "unknown argument \"sttus\"; did you mean \"status\"?"},
		{"route leaf1 vrf", "an argument is missing after \"vrf\": VRF"},
		{"files a", "an argument is missing after \"a\": FILE"},
		{"at -1", "REVISION: \"-1\" is not the number of a revision; `roost history` lists "
			  "them"},
		{"in h1 ls", "unexpected argument \"ls\"; expected --"},
		{"interface --conut 3", "unknown option --conut; did you mean --count?"},
		{"interface --xyzzy", "unknown option --xyzzy"},
		{"interface -x", "unknown option -x"},
		{"interface --json=1", "--json takes no value"},
		{"interface --out", "--out needs a value: DIR"},
		{"interface -o", "--out needs a value: DIR"},
		{"interface --count 10", "--count: 10 is out of range: 1 to 9"},
		{"interface --confirm 0s",
		 "--confirm: \"0s\" is not a time from 1s to 24h, such as 90s, 5m or 1h"},
		{"interface --confirm 25h",
		 "--confirm: \"25h\" is not a time from 1s to 24h, such as 90s, 5m or 1h"},
		{"interface --no", "--no cannot be used with other arguments or options"},
		{"--no --json", "--no cannot be used with other arguments or options"},
	};
	char all[256];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(parse(wrong[i].line), EXIT_USAGE);
		snprintf(all, sizeof(all),
			 "roost shape: %s\n`roost shape --help` shows the usage\n", wrong[i].err);
		assert_string_equal(err, all);
	}
}

// The usage of every command fits its row's limits, and no option has two meanings.
static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < cli_program.count; i++) {
		const struct cli_command *c = cli_program.commands[i];

		assert_int_equal(cli_form_length(&c->forms[CLI_FORMS_ROW]), 0);
		assert_null(c->options[CLI_OPTIONS_MAX].name);
		assert_non_null(c->run);
		for (const struct cli_option *o = c->options; o->name != NULL; o++) {
			assert_true(o->hidden || o->help != NULL);
			assert_true(o->kind != CLI_LITERAL || o->value != NULL);
			for (const struct cli_option *p = c->options; p < o; p++)
				assert_true(strcmp(p->name, o->name) != 0 &&
					    (p->letter == 0 || p->letter != o->letter));
		}
	}
}

static int
teardown(void **state)
{
	(void)state;
	cli_args_free(&args);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),       cmocka_unit_test(test_options),
		cmocka_unit_test(test_double_dash), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
