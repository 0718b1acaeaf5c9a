// SPDX-License-Identifier: BSD-3-Clause
// roost schema: the schema, for programs and for readers.
#include "describe.h"

#include "control/cli/cli.h"

#include <getopt.h>

static int
print_json(const char *command)
{
	json_t *schema = describe_json_schema();
	int status = CLI_OK;

	if (schema == NULL || json_dumpf(schema, stdout, JSON_INDENT(2)) != 0) {
		fprintf(stderr, "%s: the schema could not be written\n", command);
		status = CLI_FAILED;
	}
	putchar('\n');
	json_decref(schema);
	return status;
}

int
cmd_schema(int argc, char **argv)
{
	static const struct option options[] = {{"markdown", no_argument, NULL, 'm'},
						{NULL, 0, NULL, 0}};
	bool markdown = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 'm')
			return cli_usage_hint(argv[0]);
		markdown = true;
	}
	if (optind < argc)
		return cli_usage(argv[0], "%s: it takes no file", argv[optind]);
	if (!markdown)
		return print_json(argv[0]);
	describe_markdown(stdout);
	return CLI_OK;
}
