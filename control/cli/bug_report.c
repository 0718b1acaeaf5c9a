// SPDX-License-Identifier: BSD-3-Clause
// roost bug-report: all that somebody else needs to understand what went wrong, in one file of
// text. It reads only what the caller may read, and a part that cannot be had says why: a report is
// wanted most when something does not work.
#include "cli.h"

#include "control/base/blank.h"
#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/edit/store.h"
#include "control/show/show_view.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPORT_PATIENCE_MS 10000
#define REPORT_FILE_MAX (4u << 20) // bytes of a file that is included; more is cut off

static void
put_heading(FILE *to, const char *title)
{
	fprintf(to, "\n== %s\n\n", title);
}

// ---- the machine --------------------------------------------------------------------------------

// The first line of a system's file that begins with each of `beginnings`.
static void
put_lines(FILE *to, const char *path, const char *const *beginnings)
{
	char *text;
	size_t length;
	int rc = file_read(path, REPORT_FILE_MAX, &text, &length);

	if (rc != 0) {
		fprintf(to, "%s: %s\n", path, strerror(-rc));
		return;
	}
	for (; *beginnings != NULL; beginnings++) {
		const char *line = text;

		while (line != NULL && strncmp(line, *beginnings, strlen(*beginnings)) != 0) {
			line = strchr(line, '\n');
			line += line != NULL;
		}
		if (line != NULL)
			fprintf(to, "%.*s\n", (int)strcspn(line, "\n"), line);
	}
	free(text);
}

static void
put_machine(FILE *to)
{
	static const char *const memory[] = {"MemTotal:",       "MemAvailable:", "HugePages_Total:",
					     "HugePages_Free:", "Hugepagesize:", NULL};
	static const char *const processor[] = {"model name", NULL};
	static const char *const system[] = {"PRETTY_NAME=", NULL};
	static const char *const variables[] = {"ROOST_FABRIC", "ROOST_STATE", "XDG_RUNTIME_DIR",
						"XDG_STATE_HOME"};
	struct utsname name;

	put_heading(to, "machine");
	if (uname(&name) == 0)
		fprintf(to, "%s %s %s %s\n", name.sysname, name.release, name.version,
			name.machine);
	put_lines(to, "/etc/os-release", system);
	put_lines(to, "/proc/cpuinfo", processor);
	fprintf(to, "processors: %ld of %ld\n", sysconf(_SC_NPROCESSORS_ONLN),
		sysconf(_SC_NPROCESSORS_CONF));
	put_lines(to, "/proc/meminfo", memory);
	fprintf(to, "user id: %u\n", (unsigned)geteuid());
	for (unsigned i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]) != NULL)
			fprintf(to, "%s=%s\n", variables[i], getenv(variables[i]));
}

// ---- a file -------------------------------------------------------------------------------------

static void
put_text(FILE *to, const char *text, size_t length)
{
	fwrite(text, 1, length, to);
	if (length > 0 && text[length - 1] != '\n')
		fputc('\n', to);
}

// What `roost check FILE` prints, as a process of its own: a file that is too much for it must not
// end the report.
static void
put_check(FILE *to, const char *path)
{
	char *words[] = {"roost", "check", "--", (char *)(uintptr_t)path, NULL};
	posix_spawn_file_actions_t files;
	char buffer[4096];
	ssize_t count;
	pid_t pid;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		fprintf(to, "%s\n", strerror(errno));
		return;
	}
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
	error = posix_spawn(&pid, "/proc/self/exe", &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	while (error == 0 && (count = read(ends[0], buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)count, to);
	close(ends[0]);
	if (error == 0)
		waitpid(pid, NULL, 0);
	else
		fprintf(to, "%s\n", strerror(error));
}

static void
put_file(FILE *to, const char *path)
{
	char *text, *title = memory_format("file %s", path);
	size_t length;
	int rc = file_read(path, REPORT_FILE_MAX, &text, &length);

	put_heading(to, title);
	free(title);
	if (rc != 0) {
		fprintf(to, "%s\n", strerror(-rc));
		return;
	}
	put_text(to, text, length < REPORT_FILE_MAX ? length : REPORT_FILE_MAX);
	if (length > REPORT_FILE_MAX)
		fprintf(to, "[the rest is left out]\n");
	free(text);
	title = memory_format("roost check %s", path);
	put_heading(to, title);
	free(title);
	put_check(to, path);
}

// ---- a live fabric ------------------------------------------------------------------------------

// The answer to a call, under a heading; or why there is none.
static void
put_answer(FILE *to, const struct api_call *call, const char *title, size_t flags)
{
	struct diag diag = {0};
	json_t *answer;

	put_heading(to, title);
	if (api_call(call, &answer, &diag) == 0) {
		json_dumpf(answer, to, flags);
		fputc('\n', to);
		json_decref(answer);
	} else {
		fprintf(to, "%s\n", diag_first_error(&diag));
	}
	diag_free(&diag);
}

// Every word of `show`.
static void
put_shown(FILE *to, const char *fabric, const char *path)
{
	size_t count;
	const struct show_view *const *views = show_views(&count);

	for (size_t i = 0; i < count; i++) {
		char *title = memory_format("fabric %s: show %s", fabric, views[i]->name);
		json_t *params = json_pack("{s:s}", "what", views[i]->name);
		const struct api_call call = {path, "show", params, REPORT_PATIENCE_MS};

		if (views[i]->view == NULL)
			put_answer(to, &call, title, JSON_INDENT(1));
		json_decref(params);
		free(title);
	}
}

// As a file, if the caller may read where the fabric keeps it.
static void
put_configuration(FILE *to, const char *fabric)
{
	char *title = memory_format("fabric %s: configuration", fabric), *text;
	struct store_revision revision;
	struct diag diag = {0};
	struct store *store;
	size_t length;

	put_heading(to, title);
	free(title);
	if (store_open(&store, fabric, &diag) == 0) {
		if (store_read_last(store, &revision, &text, &length, &diag) == 0) {
			fprintf(to, "# revision %u, %s\n", revision.number, revision.what);
			put_text(to, text, length);
			free(text);
		}
		store_close(store);
	}
	diag_print(&diag, to);
	diag_free(&diag);
}

static void
put_fabric(void *context, const char *name, const char *path)
{
	static const char *const methods[] = {"status", "history", "config-diff", "topology"};
	FILE *to = context;
	char *title;

	for (unsigned i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const struct api_call call = {path, methods[i], .timeout_ms = REPORT_PATIENCE_MS};

		title = memory_format("fabric %s: %s", name, methods[i]);
		put_answer(to, &call, title, JSON_INDENT(1));
		free(title);
	}
	put_configuration(to, name);
	put_shown(to, name, path);
	// Long, and for programs.
	title = memory_format("fabric %s: counters", name);
	put_answer(to, &(struct api_call){path, "counters", .timeout_ms = REPORT_PATIENCE_MS},
		   title, JSON_COMPACT);
	free(title);
}

// ---- the file that it writes --------------------------------------------------------------------

// Replaces a text with one without addresses.
static void
blank_text(char **text, size_t *length)
{
	struct blank *blank = blank_create();
	char *blanked;
	size_t blanked_length;
	FILE *to = memory_stream_open(&blanked, &blanked_length);

	blank_write(blank, *text, *length, to);
	fclose(to);
	blank_destroy(blank);
	free(*text);
	*text = blanked;
	*length = blanked_length;
}

static int
write_report(const struct cli_args *args, const char *text, size_t length)
{
	const char *path = cli_text(args, "out");
	bool to_stdout = strcmp(path, "-") == 0;
	int fd = to_stdout ? STDOUT_FILENO
			   : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
	int error = to == NULL ? errno : 0;

	if (to != NULL) {
		if (fwrite(text, 1, length, to) != length)
			error = errno;
		if (fclose(to) != 0 && error == 0)
			error = errno;
		if (error != 0 && !to_stdout)
			unlink(path);
	}
	if (error == EEXIST)
		fprintf(stderr, "%s: %s exists: give another name\n", args->title, path);
	else if (error != 0)
		fprintf(stderr, "%s: %s: %s\n", args->title, to_stdout ? "standard output" : path,
			strerror(error));
	else if (!to_stdout)
		printf("%s: %zu KB of text; read it before you pass it on\n", path,
		       (length + 1023) / 1024);
	return error == 0 ? EXIT_OK : EXIT_FAILED;
}

static int
bug_report(const struct cli_args *args)
{
	const char *file = cli_text(args, "FILE"),
		   *given = api_socket_name(cli_text(args, "fabric"));
	char *text, *version, path[API_PATH_MAX], at[32];
	time_t now = time(NULL);
	struct tm utc;
	size_t length;
	FILE *to;
	int status = EXIT_OK;

	if (cli_text(args, "out") == NULL)
		return cli_usage(args->title, "-o FILE is missing");
	if (given != NULL) {
		status = cli_find_fabric(args, path);
		if (status != EXIT_OK)
			return status;
	}
	to = memory_stream_open(&text, &length);
	strftime(at, sizeof(at), "%Y-%m-%d %H:%M:%S", gmtime_r(&now, &utc));
	version = program_version();
	fprintf(to, "Report of roost %s, %s UTC\n", version, at);
	free(version);
	put_machine(to);
	if (file != NULL)
		put_file(to, file);
	if (given != NULL)
		put_fabric(to, given, path);
	else
		api_socket_each(put_fabric, to);
	fclose(to);
	if (cli_given(args, "blank-addresses"))
		blank_text(&text, &length);
	status = write_report(args, text, length);
	free(text);
	return status;
}

const struct cli_command command_bug_report = {
	.name = "bug-report",
	.help = "write what a bug report needs to one file",
	.details =
		"Writes the version, the machine, FILE with its errors and, for each live fabric "
		"that you may read,\nthe configuration, history, log, counters and all that "
		"`roost show` prints. The report is text; read\nit before you pass it on.\n",
	.forms = {{{{CLI_FILE, .optional = true}}}},
	.options =
		{
			{.name = "out",
			 .letter = 'o',
			 .kind = CLI_FILE,
			 .help = "the file to write, which must not exist (-: standard output)"},
			{.name = "blank-addresses",
			 .kind = CLI_FLAG,
			 .help = "replace MAC and IP addresses with names such as <ip4-1>"},
			CLI_FABRIC_OPTION,
		},
	.run = bug_report,
};
