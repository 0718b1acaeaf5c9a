// SPDX-License-Identifier: BSD-3-Clause
// roost set and unset: one edit of what a live fabric runs, at once or staged.
#include "call.h"
#include "words.h"

#include <errno.h>
#include <getopt.h>

typedef int words_fn(int count, char *const *words, json_t **edit, char *why, size_t why_size);

static int
run_edit(int argc, char **argv, words_fn *read)
{
	static const struct option options[] = {{"fabric", required_argument, NULL, 'f'},
						{"stage", no_argument, NULL, 's'},
						{NULL, 0, NULL, 0}};
	const char *fabric = NULL;
	char why[200] = "";
	bool stage = false;
	json_t *edit, *result;
	int option, status;

	while ((option = getopt_long(argc, argv, "f:", options, NULL)) != -1) {
		if (option == 'f')
			fabric = optarg;
		else if (option == 's')
			stage = true;
		else
			return cli_usage_hint(argv[0]);
	}
	if (read(argc - optind, argv + optind, &edit, why, sizeof(why)) == -EINVAL)
		return cli_usage(argv[0], "%s", why);
	status = cli_call(argv[0], fabric, "edit",
			  edit != NULL ? json_pack("{s:[o],s:b}", "edits", edit, "stage", stage)
				       : NULL,
			  &result);
	return status == CLI_OK ? cli_end_change(argv[0], fabric, result) : status;
}

int
cmd_set(int argc, char **argv)
{
	return run_edit(argc, argv, words_read_set);
}

int
cmd_unset(int argc, char **argv)
{
	return run_edit(argc, argv, words_read_unset);
}
