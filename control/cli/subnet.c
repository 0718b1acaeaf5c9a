// SPDX-License-Identifier: BSD-3-Clause
// roost subnet: answers subnet managers and diagnostic programs of InfiniBand.
#include "cli.h"

#include "control/run/subnet/subnet_serve.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool
is_file(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

static int
subnet(const struct cli_args *args)
{
	struct subnet_options options = {.socket = cli_text(args, "socket")};
	const char *word = args->count != 0 ? args->words[0] : cli_text(args, "fabric");
	char path[API_PATH_MAX];
	struct diag diag = {0};
	int rc = 0;

	if (args->count != 0 && is_file(word)) {
		options.file = word;
	} else {
		rc = api_socket_find(api_socket_name(word), path, &diag);
		options.path = path;
	}
	if (rc == 0)
		rc = subnet_serve(&options, &diag);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "%s: %s\n", args->title, strerror(-rc));
	else
		diag_print(&diag, stderr);
	diag_free(&diag);
	return rc == 0 ? EXIT_OK : rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

const struct cli_command command_subnet = {
	.name = "subnet",
	.help = "let OpenSM and infiniband-diags manage and examine a fabric",
	.details = "Serves a live fabric, or one that only FILE describes, until Ctrl-C. Programs "
		   "run with libumad2sim, in the same network "
		   "namespace and as the same user\nor root:\n\n"
		   "\tLD_PRELOAD=libumad2sim.so SIM_HOST=h1 opensm\n",
	.forms = {{{{CLI_FABRIC, .optional = true}}}, {{{CLI_FILE}}}},
	.options =
		{
			{.name = "socket",
			 .kind = CLI_TEXT,
			 .value = "NAME",
			 .help = "prefix of the socket names; set IBSIM_SOCKNAME of the programs "
				 "to the same (default: sim)"},
			CLI_FABRIC_OPTION,
		},
	.run = subnet,
};
