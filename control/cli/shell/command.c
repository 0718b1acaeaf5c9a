// SPDX-License-Identifier: BSD-3-Clause
// roost completion, which prints what a shell needs to complete roost's command lines, and roost
// complete, which that asks.
#include "complete.h"
#include "scripts.h"

#include <string.h>

int
cmd_completion(int argc, char **argv)
{
	if (argc != 2)
		return cli_usage(argv[0], "for which shell? There is completion bash");
	if (strcmp(argv[1], "bash") != 0)
		return cli_usage(argv[0], "%s: there is completion bash", argv[1]);
	fwrite(script_texts[0].text, 1, script_texts[0].length, stdout);
	return CLI_OK;
}

// A line for each word that may stand there, with a tab and its help; ":files" and ":directories"
// where names of files will do.
int
cmd_complete(int argc, char **argv)
{
	struct completion completion;
	int first = 1 + (argc > 1 && strcmp(argv[1], "--") == 0);
	int status = shell_complete(&completion, (unsigned)(argc - first), argv + first, false);

	for (unsigned i = 0; i < completion.count; i++) {
		const struct completion_item *item = &completion.items[i];

		if (!item->note)
			printf("%s\t%s\n", item->word, item->help);
	}
	if (completion.files)
		puts(":files");
	else if (completion.directories)
		puts(":directories");
	completion_free(&completion);
	return status == 0 ? CLI_OK : CLI_FAILED;
}
