// SPDX-License-Identifier: BSD-3-Clause
// Programs that come with roost: below the build directory, or below the prefix.
#include "cli.h"

#include "control/base/memory.h"
#include "control/base/program.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"

// The program's own path. Without /proc, as in a chroot, it is the one that started it.
static int
find_self(char path[static PATH_MAX])
{
	if (realpath("/proc/self/exe", path) != NULL ||
	    realpath((const char *)(uintptr_t)getauxval(AT_EXECFN), path) != NULL)
		return 0;
	return -errno;
}

int
cli_find_beside(const char *const *places, unsigned count, char path[static PATH_MAX])
{
	char self[PATH_MAX];
	const char *folder;
	int rc = find_self(self);

	if (rc != 0)
		return rc;
	folder = dirname(self);
	for (unsigned i = 0; i < count; i++)
		if (snprintf(path, PATH_MAX, "%s/%s", folder, places[i]) < PATH_MAX &&
		    access(path, R_OK) == 0)
			return 0;
	return -ENOENT;
}

int
cli_become(const struct cli_args *args, const char *const places[static 2],
	   const char *const *words)
{
	unsigned count = 0;
	const char **all;
	char path[PATH_MAX];

	if (cli_find_beside(places, 2, path) != 0) {
		fprintf(stderr, "%s: %s is not installed with roost: meson install\n", args->title,
			strrchr(places[0], '/') + 1);
		return EXIT_FAILED;
	}
	while (words[count] != NULL)
		count++;
	all = memory_array(count + 4, sizeof(*all), "arguments of a Python program");
	// -E, -s: nothing of the caller's changes what runs. -B: writes no __pycache__.
	all[0] = PYTHON;
	all[1] = "-EsB";
	all[2] = path;
	memcpy(all + 3, words, count * sizeof(*words));
	execv(PYTHON, (char *const *)(uintptr_t)all);
	fprintf(stderr, "%s: %s: %s (apt-get install python3)\n", args->title, PYTHON,
		strerror(errno));
	free(all);
	return EXIT_FAILED;
}

int
cli_become_with_options(const struct cli_args *args, const char *const places[static 2])
{
	char program[PATH_MAX];
	const char **words = memory_array(args->count + args->given_count + 3, sizeof(*words),
					  "arguments of a Python program");
	char **options = memory_array(args->given_count, sizeof(*options), "options");
	unsigned count = 0, given = 0;
	int status;

	words[count++] = find_self(program) == 0 ? program : "roost";
	for (unsigned i = 0; i < args->count; i++)
		words[count++] = args->words[i];
	words[count++] = "--";
	for (const struct cli_option *o = args->command->options; o->name != NULL; o++) {
		unsigned texts;
		const char **values = cli_texts(args, o->name, &texts);

		for (unsigned i = 0; i < texts; i++) {
			options[given] =
				memory_format("%s=%s", o->name, values[i] != NULL ? values[i] : "");
			words[count++] = options[given++];
		}
		free(values);
	}
	words[count] = NULL;
	status = cli_become(args, places, words);
	while (given > 0)
		free(options[--given]);
	free(options);
	free(words);
	return status;
}
