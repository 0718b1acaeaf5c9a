// SPDX-License-Identifier: BSD-3-Clause
// `roost plot`: checks the command line, then becomes the Python program beside this file, which
// meson puts below the build directory and installs.
#include "control/base/memory.h"
#include "control/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"

// Finds the program by where roost itself is: in a build directory, or below a prefix.
static int
find_program(char path[static PATH_MAX])
{
	static const char *const places[] = {"control/plot/plot.py", "../share/roost/plot/plot.py"};
	char self[PATH_MAX] = "";
	const char *folder;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -errno;
	folder = dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (snprintf(path, PATH_MAX, "%s/%s", folder, places[i]) < PATH_MAX &&
		    access(path, R_OK) == 0)
			return 0;
	return -ENOENT;
}

// Returns only if that fails.
static int
run_program(const char *out, int count, char **dirs)
{
	char **words = memory_array((size_t)count + 5, sizeof(*words), "arguments of plot.py");
	char path[PATH_MAX];
	// -E, -s: nothing of the caller's changes what runs. -B: writes no __pycache__.
	char *const first[] = {PYTHON, "-EsB", path, (char *)(uintptr_t)out};

	if (find_program(path) != 0) {
		fprintf(stderr, "roost plot: plot.py is not installed with roost: meson install\n");
		free(words);
		return CLI_FAILED;
	}
	memcpy(words, first, sizeof(first));
	memcpy(words + 4, dirs, (size_t)count * sizeof(*dirs));
	execv(PYTHON, words);
	fprintf(stderr, "roost plot: %s: %s (apt-get install python3)\n", PYTHON, strerror(errno));
	free(words);
	return CLI_FAILED;
}

int
cmd_plot(int argc, char **argv)
{
	static const struct option options[] = {{"out", required_argument, NULL, 'o'},
						{NULL, 0, NULL, 0}};
	const char *out = NULL;
	int option, count;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (option != 'o')
			return cli_usage_hint("roost plot");
		out = optarg;
	}
	count = argc - optind;
	if (count < 1)
		return cli_usage("roost plot", "needs a directory");
	if (count > 1 && out == NULL)
		return cli_usage("roost plot", "needs -o DIR to draw several directories");
	return run_program(out != NULL ? out : argv[optind], count, argv + optind);
}
