// SPDX-License-Identifier: BSD-3-Clause
// `roost lab`: check the command line, then become control/labs/main.py.
#include "cli.h"

#include "control/base/memory.h"
#include "control/base/program.h"

#include <stdlib.h>
#include <string.h>

static const char *const places[] = {"control/labs/main.py", "../share/roost/lab/main.py"};

// The words and options as main.py takes them: PROGRAM WORD... -- NAME=VALUE...
static int
lab(const struct cli_args *args)
{
	char self[] = "/proc/self/exe", *program = realpath(self, NULL), *options[CLI_OPTIONS_MAX];
	unsigned int count = 0, given = 0;
	const char **words;
	int status;

	words = memory_array(args->count + CLI_OPTIONS_MAX + 3, sizeof(*words),
			     "arguments of main.py");
	words[count++] = program != NULL ? program : self;
	for (unsigned int i = 0; i < args->count; i++)
		words[count++] = args->words[i];
	words[count++] = "--";
	for (const struct cli_option *o = args->command->options; o->name != NULL; o++) {
		if (!cli_given(args, o->name))
			continue;
		options[given] = memory_format("%s=%s", o->name, cli_text(args, o->name));
		words[count++] = options[given++];
	}
	words[count] = NULL;
	status = cli_become(args, places, words);
	while (given > 0)
		free(options[--given]);
	free(words);
	free(program);
	return status;
}

const struct cli_command command_lab = {
	.name = "lab",
	.help = "do a lab: exercises with numbers of your own, which are graded",
	.details =
		"`list` lists the labs. `start` copies one to DIR, with numbers drawn for you. "
		"LAB is a lab's name or\nnumber. `check` grades what you have done: it says which "
		"counter tells the answer, and gives a hint.\n\nFor teachers: `check` with several "
		"directories grades a class, `solution` shows the solution for a\nstudent, and "
		"`lint` tries a lab's solution and its typical mistakes. The last two need the "
		"answer\nkey.\n",
	.forms = {{{{CLI_LITERAL, "list"}}, .help = "list the labs"},
		  {{{CLI_LITERAL, "start"}, {CLI_TEXT, "LAB"}, {CLI_DIRECTORY, .optional = true}},
		   .help = "copy a lab to DIR (default: the lab's name)"},
		  {{{CLI_LITERAL, "check"}, {CLI_DIRECTORY, .optional = true, .repeated = true}},
		   .help = "grade copies of labs (default: the current directory)"},
		  {{{CLI_LITERAL, "solution"}, {CLI_TEXT, "LAB|DIR"}},
		   .help = "show the solution of a lab, or of a student's copy"},
		  {{{CLI_LITERAL, "lint"}, {CLI_TEXT, "LAB", .optional = true, .repeated = true}},
		   .help = "check labs with their answer key (default: all labs)"}},
	.options =
		{
			{.name = "student",
			 .of = "start|solution",
			 .kind = CLI_TEXT,
			 .value = "NAME",
			 .help = "whose numbers (default: your user name)"},
			{.name = "csv",
			 .of = "check",
			 .kind = CLI_FILE,
			 .help = "also write the points to FILE, a row for each copy"},
			{.name = "gradescope",
			 .of = "check",
			 .kind = CLI_FILE,
			 .help = "also write the points to FILE as Gradescope's results.json"},
			{.name = "key",
			 .of = "solution|lint",
			 .kind = CLI_DIRECTORY,
			 .help = "the directory of the answer key (default: ROOST_LAB_KEY)"},
			{.name = "students",
			 .of = "lint",
			 .kind = CLI_NUMBER,
			 .value = "N",
			 .range = {1, 1000},
			 .help = "try each lab for N students (default: 3)"},
			{.name = "labs",
			 .kind = CLI_DIRECTORY,
			 .help = "use the labs in DIR (default: those that come with Roost)"},
			CLI_OUTPUT_OPTION,
		},
	.run = lab,
};
