// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a line of the interactive shell: it is split, completed, and looked up as keys. What
// a word may become begins with the word, and quoted is read as it was.
#include "require.h"

#include "control/config/schema/describe.h"
#include "control/cli/cli.h"
#include "control/cli/command/complete.h"
#include "control/cli/shell/split.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require_quoted(const char *word)
{
	static struct shell_words again;
	static char line[2 * SHELL_LINE_MAX + 3];
	static const char quotes[] = {'\0', '\'', '"'};

	for (size_t i = 0; i < sizeof(quotes); i++) {
		size_t length;

		line[0] = quotes[i];
		if (shell_quote(line + (i > 0), SHELL_LINE_MAX, word, quotes[i]) != 0)
			continue;
		length = strlen(line);
		if (i > 0)
			memcpy(line + length, (char[]){quotes[i], '\0'}, 2);
		if (shell_split(&again, line) != 0 || word[0] == '\0')
			continue;
		require(again.count == 1 && strcmp(again.words[0], word) == 0);
	}
}

static void
require_completion(struct shell_words *words)
{
	struct completion completion;

	if (!words->open && words->count < SHELL_WORDS_MAX)
		words->words[words->count++] = words->text + strlen(words->text);
	completion_find(&completion, &cli_program,
			&(struct completion_line){words->count, words->words, true});
	for (unsigned i = 0; i < completion.count; i++) {
		const struct completion_item *item = &completion.items[i];

		require(item->word != NULL && item->help != NULL);
		require(item->note || words->count == 0 ||
			strncmp(item->word, words->words[words->count - 1],
				strlen(words->words[words->count - 1])) == 0);
		require(i == 0 || strcmp(item->word, completion.items[i - 1].word) != 0);
	}
	completion_free(&completion);
}

static void
require_key(struct shell_words *words)
{
	struct describe_place place;
	char why[DESCRIBE_WHY] = "";
	int used = describe_find_words((int)words->count, words->words, &place, why, sizeof(why));

	require(used < 0 ? why[0] != '\0' : used <= (int)words->count && place.path[0] != '\0');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct shell_words words;
	char *line = calloc(1, size + 1);

	setenv("ROOST_FABRIC", "-", 1);
	require(line != NULL);
	memcpy(line, data, size);
	if (shell_split(&words, line) == 0) {
		for (unsigned i = 0; i < words.count; i++)
			require_quoted(words.words[i]);
		require_key(&words);
		require_completion(&words);
	}
	free(line);
	return 0;
}
