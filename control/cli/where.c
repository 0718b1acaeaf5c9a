// SPDX-License-Identifier: BSD-3-Clause
// roost where: where a name or an address is, in a live fabric, in a file, or by the address plan.
#include "cli.h"

#include "control/map/map.h"
#include "control/model/topology/addresses.h"

#include <errno.h>

static void
print_answer(const struct cli_args *args, const json_t *answer)
{
	if (cli_wants_json(args))
		cli_print_json(answer);
	else
		map_print_found(answer);
}

// Prints what was found, or the errors of diag behind `before`. Returns an exit status.
static int
finish(const struct cli_args *args, int rc, json_t *answer, const struct diag *diag)
{
	const char *file = cli_text(args, "FILE");

	if (rc == 0)
		print_answer(args, answer);
	else
		fprintf(stderr, "%s: %s%s%s\n", args->title, file != NULL ? file : "",
			file != NULL ? ": " : "", diag_first_error(diag));
	json_decref(answer);
	return rc == 0 ? EXIT_OK : EXIT_FAILED;
}

static int
find_in_file(const struct cli_args *args, const char *name, const char *path)
{
	struct map_file *file = NULL;
	struct diag diag = {0}, missing = {0};
	struct map_source source;
	json_t *answer = NULL;
	int status = EXIT_USAGE, rc = map_file_open(&file, path, &diag);

	diag_print(&diag, stderr);
	if (rc == 0) {
		source = map_file_source(file);
		rc = map_find(&source, name, &answer, &missing);
		status = finish(args, rc, answer, &missing);
	}
	map_file_close(file);
	diag_free(&missing);
	diag_free(&diag);
	return status;
}

// Whether a live fabric is meant: one that is named, or the only one.
static bool
has_fabric(const struct cli_args *args)
{
	const char *named = api_socket_name(cli_text(args, "fabric"));
	char path[API_PATH_MAX];
	struct diag ignored = {0};
	bool found = named != NULL || api_socket_find(NULL, path, &ignored) == 0;

	diag_free(&ignored);
	return found;
}

static int
find_in_plan(const struct cli_args *args, const char *address)
{
	struct diag missing = {0};
	json_t *answer = NULL;
	int rc = map_find(NULL, address, &answer, &missing);
	int status = finish(args, rc, answer, &missing);

	diag_free(&missing);
	return status;
}

static int
where(const struct cli_args *args)
{
	const char *name = cli_text(args, "NAME"), *file = cli_text(args, "FILE");
	uint8_t version, bytes[16];
	json_t *answer;
	int status;

	if (file != NULL)
		return find_in_file(args, name, file);
	if (!has_fabric(args) && addresses_parse(name, &version, bytes) == 0)
		return find_in_plan(args, name);
	status = cli_call(args, "where", json_pack("{s:s}", "name", name), &answer);
	if (status == EXIT_OK) {
		print_answer(args, answer);
		json_decref(answer);
	}
	return status;
}

const struct cli_command command_where = {
	.name = "where",
	.help = "find a host, a switch, a port, a namespace or an address",
	.details = "NAME is a host, one of its NICs (h1.eth2), a switch, a port, a namespace, a "
		   "container, a tap,\nor an IPv4, IPv6 or MAC address: in the live fabric, or in "
		   "FILE. If no fabric is up, an\naddress is found by the address plan.\n",
	.forms = {{{{CLI_HOST, "NAME"}, {CLI_FILE, .optional = true}}}},
	.options = {CLI_OUTPUT_OPTION, CLI_FABRIC_OPTION},
	.run = where,
};
