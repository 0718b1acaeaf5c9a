// SPDX-License-Identifier: BSD-3-Clause
// roost graph: a drawing of a fabric that is up, or of a file.
#include "cli.h"

#include "control/base/memory.h"
#include "control/config/scalar.h"
#include "control/map/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 30000

static const char *const formats[] = {
	[MAP_SVG] = "svg",
	[MAP_DOT] = "dot",
	[MAP_MERMAID] = "mermaid",
};

static int
describe_file(const char *path, json_t **out)
{
	struct map_file *file = NULL;
	struct map_source source;
	struct diag diag = {0};
	int rc = map_file_open(&file, path, &diag);

	diag_print(&diag, stderr);
	diag_free(&diag);
	if (rc != 0)
		return EXIT_USAGE;
	source = map_file_source(file);
	*out = map_describe(&source);
	map_file_close(file);
	return EXIT_OK;
}

static int
describe_fabric(const struct cli_args *args, const char *name, json_t **out)
{
	char path[API_PATH_MAX];
	const struct api_call call = {path, "topology", .timeout_ms = PATIENCE_MS};
	struct diag diag = {0};
	int rc = api_socket_find(api_socket_name(name), path, &diag), status;

	status = api_socket_exit_status(rc);
	if (rc == 0 && api_call(&call, out, &diag) != 0)
		status = EXIT_FAILED;
	if (status != EXIT_OK)
		fprintf(stderr, "%s: %s\n", args->title, diag_first_error(&diag));
	diag_free(&diag);
	return status;
}

// Of what the words name: a file if there is one of that name, or if no fabric can have it; else a
// fabric that is up.
static int
describe(const struct cli_args *args, json_t **out)
{
	const char *name = args->count != 0 ? args->words[0] : NULL;
	char why[SCALAR_WHY];

	if (name != NULL && cli_given(args, "fabric"))
		return cli_usage(args->title, "--fabric names a live fabric; it takes no FILE");
	if (name != NULL && (access(name, F_OK) == 0 || scalar_name(name, why) != 0))
		return describe_file(name, out);
	return describe_fabric(args, name != NULL ? name : cli_text(args, "fabric"), out);
}

// Writes a file, or to standard output. Returns an exit status.
static int
write_out(const struct cli_args *args, const char *text, size_t length)
{
	const char *path = cli_text(args, "out");
	FILE *to = path != NULL ? fopen(path, "w") : stdout;
	int error = to == NULL ? errno : 0;

	if (to != NULL && fwrite(text, 1, length, to) != length)
		error = errno;
	if (to != NULL && to != stdout && fclose(to) != 0 && error == 0)
		error = errno;
	if (error == 0)
		return EXIT_OK;
	fprintf(stderr, "%s: %s: %s\n", args->title, path != NULL ? path : "standard output",
		strerror(error));
	return EXIT_FAILED;
}

static enum map_format
format_of(const char *name)
{
	enum map_format format = MAP_SVG;

	while (name != NULL && strcmp(formats[format], name) != 0)
		format++;
	return format;
}

static int
draw(const struct cli_args *args, const json_t *description)
{
	const char *format = cli_text(args, "format");
	struct diag diag = {0};
	char *text;
	size_t length;
	FILE *to = memory_stream_open(&text, &length);
	int status = EXIT_FAILED, rc = 0;

	if (format != NULL && strcmp(format, "json") == 0)
		rc = json_dumpf(description, to, JSON_INDENT(1)) == 0 && fputc('\n', to) >= 0
			     ? 0
			     : -EIO;
	else
		rc = map_draw(description, format_of(format), to, &diag);
	fclose(to);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", args->title, diag_first_error(&diag));
	else
		status = write_out(args, text, length);
	if (rc > MAP_MERMAID_LINKS && format != NULL && strcmp(format, "mermaid") == 0)
		fprintf(stderr,
			"%s: warning: %d links; Mermaid draws %d unless its maxEdges is larger\n",
			args->title, rc, MAP_MERMAID_LINKS);
	diag_free(&diag);
	free(text);
	return status;
}

static int
graph(const struct cli_args *args)
{
	json_t *description;
	int status = describe(args, &description);

	if (status != EXIT_OK)
		return status;
	status = draw(args, description);
	json_decref(description);
	return status;
}

const struct cli_command command_graph = {
	.name = "graph",
	.help = "draw switches, hosts, links and tenants of a live fabric or a file",
	.details = "Draws FILE as it would come up, or the live fabric as it is now. If a leaf has "
		   "many hosts, they\nare one box with the number of hosts of each tenant.\n",
	.forms = {{{{CLI_FABRIC, "FABRIC", .optional = true}}}, {{{CLI_FILE}}}},
	.options =
		{
			{.name = "format",
			 .kind = CLI_LITERAL,
			 .value = "svg|dot|mermaid|json",
			 .help = "dot: for Graphviz; mermaid: for documents; json: what the "
				 "drawing is made of (default: svg)"},
			{.name = "out",
			 .letter = 'o',
			 .kind = CLI_FILE,
			 .help = "write it to FILE (default: standard output)"},
			CLI_FABRIC_OPTION,
		},
	.run = graph,
};
