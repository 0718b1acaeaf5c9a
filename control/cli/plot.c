// SPDX-License-Identifier: BSD-3-Clause
// `roost plot` and `roost report`: check the command line, then become a Python program of
// control/plot/, which meson puts below the build directory and installs.
#include "cli.h"

#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/film/reduce.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const plot_places[] = {"control/plot/plot.py", "../share/roost/plot/plot.py"};
static const char *const report_places[] = {"control/plot/report.py",
					    "../share/roost/plot/report.py"};

static int
plot(const struct cli_args *args)
{
	const char *out = cli_text(args, "out"), **words;
	int status;

	if (args->count > 1 && out == NULL)
		return cli_usage(args->title, "several directories need -o DIR");
	words = memory_array(args->count + 2, sizeof(*words), "arguments of plot.py");
	words[0] = out != NULL ? out : args->words[0];
	memcpy(words + 1, args->words, args->count * sizeof(*words));
	status = cli_become(args, plot_places, words);
	free(words);
	return status;
}

const struct cli_command command_plot = {
	.name = "plot",
	.help = "draw what `roost sim -o DIR` wrote, as SVG",
	.details =
		"Draws completion times, slowdowns and loads of links, and the queues, rates, "
		"loads, pauses and\npools that `record:` names. Several directories need -o DIR: "
		"their completion times and\nslowdowns are drawn together. So are the progress of "
		"flows and the deepest queues, if all of\nthe runs have recorded them.\n",
	.forms = {{{{CLI_DIRECTORY, .repeated = true}}}},
	.options = {{.name = "out",
		     .letter = 'o',
		     .kind = CLI_DIRECTORY,
		     .help = "write the drawings to DIR (default: the directory, if there is only "
			     "one)"}},
	.run = plot,
};

// A regular file for reading, or NULL: a pipe would never end.
static FILE *
open_film(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat is;

	if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode))
		return fdopen(fd, "rb");
	if (fd >= 0)
		close(fd);
	return NULL;
}

// Reduces a film that is too large for a report to one in memory, and replaces *path by a path of
// that. One that cannot be opened, or is too large even so, is left to report.py. Returns 0, or
// -errno with a message printed; -EINVAL: the film is not valid.
static int
reduce_film(const struct cli_args *args, char **path)
{
	const int fd = memfd_create("film", 0); // report.py inherits it
	FILE *to = fd >= 0 ? fdopen(dup(fd), "wb") : NULL;
	int rc = to != NULL ? 1 : -errno;
	FILE *from = rc == 1 ? open_film(*path) : NULL;
	const char *wrong = "";

	if (from != NULL) {
		rc = film_reduce(from, to, &film_reduce_report, &wrong);
		fclose(from);
	}
	if (to != NULL)
		fclose(to);
	if (rc == -EINVAL)
		fprintf(stderr, "%s: %s: not a valid film: %s\n", args->title, *path, wrong);
	else if (rc < 0 && rc != -EFBIG)
		fprintf(stderr, "%s: %s: %s\n", args->title, *path, strerror(-rc));
	if (rc == 0) {
		free(*path);
		*path = memory_format("/proc/self/fd/%d", fd);
	} else if (fd >= 0) {
		close(fd);
	}
	return rc < 0 && rc != -EFBIG ? rc : 0;
}

static int
report(const struct cli_args *args)
{
	const char *out = cli_text(args, "out");
	char *film = NULL;
	int status, rc;

	if (out == NULL)
		return cli_usage(args->title, "-o FILE is missing");
	film = memory_format("%s/film", args->words[0]);
	rc = reduce_film(args, &film);
	if (rc == 0)
		status = cli_become(
			args, report_places,
			(const char *const[]){out, roost_version, args->words[0], film, NULL});
	else
		status = rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	free(film);
	return status;
}

const struct cli_command command_report = {
	.name = "report",
	.help = "write a run or the film of a live fabric as one HTML file",
	.details = "DIR is a directory that `roost sim -o DIR` wrote. The report has a summary,\n"
		   "hints, flows, drops, all that `roost plot` draws, the film, the configuration\n"
		   "and versions, in one self-contained file, for a ticket or an appendix. If DIR\n"
		   "has only a film, from `roost record` or `roost up -o DIR`, the report takes\n"
		   "everything from the film. A large film is drawn at a lower resolution. The\n"
		   "report replaces an earlier report of that name, but no other file.\n",
	.forms = {{{{CLI_DIRECTORY}}}},
	.options = {{.name = "out",
		     .letter = 'o',
		     .kind = CLI_FILE,
		     .help = "the file to write, such as report.html"}},
	.run = report,
};
