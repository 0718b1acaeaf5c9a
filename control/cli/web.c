// SPDX-License-Identifier: BSD-3-Clause
// `roost web` and `roost metrics`: check the command line, then become roost-web (control/web/).
#include "cli.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const places[] = {"control/web/roost-web", "../libexec/roost/roost-web"};

// Returns only if that fails. Words that are NULL end the list.
static int
become(const struct cli_args *args, const char *const *words)
{
	char path[PATH_MAX];

	if (cli_find_beside(places, sizeof(places) / sizeof(*places), path) != 0) {
		fprintf(stderr,
			"%s: roost-web is missing: run meson install, or ninja in the build "
			"directory\n",
			args->title);
		return EXIT_FAILED;
	}
	execv(path, (char *const *)(uintptr_t)words);
	fprintf(stderr, "%s: %s: %s\n", args->title, path, strerror(errno));
	return EXIT_FAILED;
}

// The fabric that the words mean: its name and the path of its socket. otherwise: what an error
// adds if there is none. Returns an exit status.
static int
find_fabric(const struct cli_args *args, char name[static API_PATH_MAX],
	    char path[static API_PATH_MAX], const char *otherwise)
{
	const char *given = args->count != 0 ? args->words[0] : cli_text(args, "fabric");
	struct diag diag = {0};
	int rc = api_socket_find(api_socket_name(given), path, &diag);

	if (rc != 0)
		fprintf(stderr, "%s: %s%s\n", args->title, diag_first_error(&diag),
			rc == -ENOENT || rc == -EINVAL ? otherwise : "");
	diag_free(&diag);
	if (rc != 0)
		return api_socket_exit_status(rc);
	snprintf(name, API_PATH_MAX, "%s", strrchr(path, '/') + 1);
	*strrchr(name, '.') = '\0';
	return EXIT_OK;
}

static bool
is_directory(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static bool
has_film(const char *directory)
{
	char *path = memory_format("%s/film", directory);
	struct stat found;
	bool has = stat(path, &found) == 0 && S_ISREG(found.st_mode);

	free(path);
	return has;
}

// Returns an exit status.
static int
check_films(const struct cli_args *args)
{
	for (unsigned i = 0; i < args->count; i++) {
		const char *directory = args->words[i];

		if (!is_directory(directory))
			return cli_usage(args->title, "%s: not a directory", directory);
		if (has_film(directory))
			continue;
		fprintf(stderr,
			"%s: %s: the directory has no film; to record one, write `record: "
			"{interval: 10us, film: on}` into the fabric's file and run `roost sim "
			"FILE -o %s`\n",
			args->title, directory, directory);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int
show_films(const struct cli_args *args, const char *listen)
{
	const char **words;
	int status;

	if (cli_given(args, "allow-changes"))
		return cli_usage(args->title, "--allow-changes is for a live fabric");
	status = check_films(args);
	if (status != EXIT_OK)
		return status;
	words = memory_array(args->count + 4, sizeof(*words), "arguments of roost-web");
	words[0] = "roost-web";
	words[1] = "films";
	words[2] = listen;
	memcpy(words + 3, args->words, args->count * sizeof(*words));
	status = become(args, words);
	free(words);
	return status;
}

static int
web(const struct cli_args *args)
{
	const char *listen = cli_text(args, "listen");
	char name[API_PATH_MAX], path[API_PATH_MAX], *otherwise = NULL;
	int status;

	if (listen == NULL)
		listen = "127.0.0.1:8080";
	if (args->count > 1 || (args->count == 1 && is_directory(args->words[0]))) {
		if (cli_given(args, "fabric"))
			return cli_usage(args->title,
					 "--fabric names a live fabric; it takes no DIRECTORY");
		return show_films(args, listen);
	}
	if (args->count != 0)
		otherwise = memory_format(
			"; nor is there a directory %s with a film: bring a fabric up with "
			"`roost up FILE`, or give the directory of `roost sim FILE -o DIRECTORY`",
			args->words[0]);
	status = find_fabric(args, name, path, otherwise != NULL ? otherwise : "");
	free(otherwise);
	if (status != EXIT_OK)
		return status;
	return become(args, (const char *const[]){
				    "roost-web", "live", listen, name, path,
				    cli_given(args, "allow-changes") ? "write" : "read", NULL});
}

const struct cli_command command_web = {
	.name = "web",
	.help = "show a live fabric, or recorded films, in a browser",
	.details = "Prints the address to open. The page can change the fabric only with "
		   "--allow-changes. If other\nmachines can reach the address, the page also "
		   "needs the token in the printed address.\n",
	.forms = {{{{CLI_FABRIC, .optional = true}}}, {{{CLI_DIRECTORY, .repeated = true}}}},
	.options =
		{
			{.name = "listen",
			 .kind = CLI_TEXT,
			 .value = "ADDRESS:PORT",
			 .help = "address to listen on (default: 127.0.0.1:8080; port 0: any free "
				 "port)"},
			{.name = "allow-changes",
			 .kind = CLI_FLAG,
			 .help = "let the page change the fabric; it needs the token in the "
				 "printed address"},
			CLI_FABRIC_OPTION,
		},
	.run = web,
};

static int
metrics(const struct cli_args *args)
{
	const char *listen = cli_text(args, "listen"), *names = cli_text(args, "names");
	const char *format = cli_text(args, "format");
	char name[API_PATH_MAX], path[API_PATH_MAX];
	int status = find_fabric(args, name, path, "");

	if (status != EXIT_OK)
		return status;
	return become(args,
		      (const char *const[]){"roost-web", "metrics", listen != NULL ? listen : "-",
					    name, path, names != NULL ? names : "roost",
					    format != NULL ? format : "prometheus", NULL});
}

const struct cli_command command_metrics = {
	.name = "metrics",
	.help = "print the counters of a live fabric as metrics, or serve them to Prometheus",
	.details = "With --listen, serves GET /metrics until Ctrl-C. `roost web` serves it too.\n",
	.forms = {{{{CLI_FABRIC, .optional = true}}}},
	.options =
		{
			{.name = "listen",
			 .kind = CLI_TEXT,
			 .value = "ADDRESS:PORT",
			 .help = "serve GET /metrics on this address instead of printing once"},
			{.name = "names",
			 .kind = CLI_LITERAL,
			 .value = "roost|nvswitch",
			 .help = "roost, or nvswitch for NVIDIA's names of the counters that "
				 "Cumulus "
				 "Linux has too (default: roost)"},
			{.name = "format",
			 .kind = CLI_LITERAL,
			 .value = "prometheus|openmetrics",
			 .help = "text format (default: prometheus; with --listen, what the client "
				 "accepts)"},
			CLI_FABRIC_OPTION,
		},
	.run = metrics,
};
