// SPDX-License-Identifier: BSD-3-Clause
// `roost plot`: checks the command line, then becomes the Python program of control/plot/, which
// meson puts below the build directory and installs.
#include "cli.h"

#include "control/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"

static const char *const places[] = {"control/plot/plot.py", "../share/roost/plot/plot.py"};

// Returns only if that fails.
static int
run_program(const char *out, int count, char **dirs)
{
	char **words = memory_array((size_t)count + 5, sizeof(*words), "arguments of plot.py");
	char path[PATH_MAX];
	// -E, -s: nothing of the caller's changes what runs. -B: writes no __pycache__.
	char *const first[] = {PYTHON, "-EsB", path, (char *)(uintptr_t)out};

	if (cli_find_beside(places, sizeof(places) / sizeof(*places), path) != 0) {
		fprintf(stderr, "roost plot: plot.py is not installed with roost: meson install\n");
		free(words);
		return EXIT_FAILED;
	}
	memcpy(words, first, sizeof(first));
	memcpy(words + 4, dirs, (size_t)count * sizeof(*dirs));
	execv(PYTHON, words);
	fprintf(stderr, "roost plot: %s: %s (apt-get install python3)\n", PYTHON, strerror(errno));
	free(words);
	return EXIT_FAILED;
}

static int
plot(const struct cli_args *args)
{
	const char *out = cli_text(args, "out");

	if (args->count > 1 && out == NULL)
		return cli_usage(args->title, "several directories need -o DIR");
	return run_program(out != NULL ? out : args->words[0], (int)args->count, args->words);
}

const struct cli_command command_plot = {
	.name = "plot",
	.help = "draw what `roost sim -o DIR` wrote, as SVG",
	.details =
		"Completion times, slowdowns and loads of links; queues, rates, "
		"loads, pauses and\npools where `record:` named them. Several directories need -o "
		"DIR: their completion times and\nslowdowns are drawn together.\n",
	.forms = {{{{CLI_DIRECTORY, .repeated = true}}}},
	.options = {{.name = "out",
		     .letter = 'o',
		     .kind = CLI_DIRECTORY,
		     .help = "write the drawings to DIR (default: the directory, if there is only "
			     "one)"}},
	.run = plot,
};
