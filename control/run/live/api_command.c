// SPDX-License-Identifier: BSD-3-Clause
// roost api: what a live fabric's API can be asked, from the table that it is served by.
#include "answer.h"

#include "control/api/describe.h"
#include "control/cli/cli.h"

#include <stdio.h>
#include <string.h>

int
cmd_api(int argc, char **argv)
{
	json_t *document;

	if (argc == 2 && strcmp(argv[1], "--markdown") == 0) {
		api_describe_markdown(answer_methods, answer_method_count, stdout);
		return CLI_OK;
	}
	if (argc != 1)
		return cli_usage(argv[0], "nothing, or --markdown");
	document = api_describe(answer_methods, answer_method_count);
	if (document == NULL)
		return CLI_FAILED;
	json_dumpf(document, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(document);
	return CLI_OK;
}
