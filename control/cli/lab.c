// SPDX-License-Identifier: BSD-3-Clause
// `roost lab`: check the command line, then become control/labs/main.py.
#include "cli.h"

static const char *const places[] = {"control/labs/main.py", "../share/roost/lab/main.py"};

static int
lab(const struct cli_args *args)
{
	return cli_become_with_options(args, places);
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
		"answer\nkey. `slides` runs the fabrics of a class and writes its slides as one "
		"HTML file.\n",
	.forms = {{{{CLI_LITERAL, "list"}}, .help = "list the labs"},
		  {{{CLI_LITERAL, "start"}, {CLI_TEXT, "LAB"}, {CLI_DIRECTORY, .optional = true}},
		   .help = "copy a lab to DIR (default: the lab's name)"},
		  {{{CLI_LITERAL, "check"}, {CLI_DIRECTORY, .optional = true, .repeated = true}},
		   .help = "grade copies of labs (default: the current directory)"},
		  {{{CLI_LITERAL, "solution"}, {CLI_TEXT, "LAB|DIR"}},
		   .help = "show the solution of a lab, or of a student's copy"},
		  {{{CLI_LITERAL, "lint"}, {CLI_TEXT, "LAB", .optional = true, .repeated = true}},
		   .help = "check labs with their answer key (default: all labs)"},
		  {{{CLI_LITERAL, "slides"},
		    {CLI_FILE},
		    {CLI_DIRECTORY, .name = "DECK", .optional = true}},
		   .help = "write the slides of a class (default: Roost's own)"}},
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
			{.name = "runs",
			 .of = "slides",
			 .kind = CLI_DIRECTORY,
			 .help = "keep the results of the slides' runs in DIR"},
			{.name = "labs",
			 .kind = CLI_DIRECTORY,
			 .help = "use the labs in DIR (default: those that come with Roost)"},
			CLI_OUTPUT_OPTION,
		},
	.run = lab,
};
