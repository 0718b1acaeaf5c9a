// SPDX-License-Identifier: BSD-3-Clause
// `roost sweep`: check the command line, then become control/sweep/main.py.
#include "cli.h"

static const char *const places[] = {"control/sweep/main.py", "../share/roost/sweep/main.py"};

static int
sweep(const struct cli_args *args)
{
	return cli_become_with_options(args, places);
}

const struct cli_command command_sweep = {
	.name = "sweep",
	.help = "run a fabric with every combination of some values, and show what differs",
	.details =
		"Each --set has values with commas between: --set routing.mode=ecmp,adaptive "
		"--set spines=8,16 are\nfour combinations. Each runs with every seed. The figures "
		"are those of `roost compare`: the median\nof the seeds, with the least and the "
		"most. DIR gets table.csv, a drawing of each figure, and the\nresults of the "
		"runs. The same command goes on where an earlier one stopped, and runs only what "
		"is\nmissing.\n",
	.forms = {{{{CLI_FILE}}}},
	.options =
		{
			{.name = "set",
			 .kind = CLI_TEXT,
			 .value = "KEY=VALUES",
			 .repeated = true,
			 .help = "run with each of these values of a key; @FILE is the content of "
				 "a file"},
			{.name = "each",
			 .kind = CLI_TEXT,
			 .value = "KEY=VALUES",
			 .repeated = true,
			 .help = "run unchanged, and with each of these values alone, to see "
				 "which helps most"},
			{.name = "fail",
			 .kind = CLI_TEXT,
			 .value = "links=PERCENTS",
			 .help = "run with each of these shares of the links between switches "
				 "failed; 1%..10% are ten shares"},
			{.name = "seeds",
			 .kind = CLI_NUMBER,
			 .range = {1, 1000},
			 .help = "run with N seeds (default: 1)"},
			{.name = "seed",
			 .kind = CLI_NUMBER,
			 .help = "the first seed (default: the file's)"},
			{.name = "until",
			 .kind = CLI_TIME,
			 .help = "end each run at this fabric time: 1ms"},
			{.name = "jobs",
			 .letter = 'j',
			 .kind = CLI_NUMBER,
			 .range = {1, 1024},
			 .help = "how many runs at a time, each on one thread (default: one for "
				 "each core)"},
			{.name = "out",
			 .letter = 'o',
			 .kind = CLI_DIRECTORY,
			 .required = true,
			 .help = "the directory of the results"},
			{.name = "estimate",
			 .kind = CLI_FLAG,
			 .help = "print what the runs would cost, and end; measures one run "
				 "for a second at most"},
			{.name = "json",
			 .kind = CLI_FLAG,
			 .help = "print the figures of each run as JSON"},
		},
	.run = sweep,
};
