// SPDX-License-Identifier: BSD-3-Clause
// Following a path through the schema, switch.qos.tc.3.ecn.min, or its parts as words; and
// what may have been meant where a word leads nowhere.
#include "describe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CANDIDATES_MAX 128

struct candidates {
	const char *words[CANDIDATES_MAX];
	unsigned count;
};

static void
add_candidate(void *context, const struct describe_next *next)
{
	struct candidates *c = context;

	if (!next->is_name && !next->is_number && c->count < CANDIDATES_MAX)
		c->words[c->count++] = next->word;
}

// Goes as far as it can. Returns 0, or -ENOENT with the place before the word that leads nowhere.
// What could be a node's name must be followed by a key of one.
static int
walk(struct describe_place *place, const char *path, char word[static DESCRIBE_PATH_MAX])
{
	struct describe_place start = *place;
	char name[DESCRIBE_PATH_MAX] = "";

	while (*path != '\0') {
		size_t length = strcspn(path, ".[");
		struct describe_place next;

		snprintf(word, DESCRIBE_PATH_MAX, "%.*s", (int)length, path);
		if (describe_step(place, word, &next) != 0)
			break;
		if (next.any_name)
			memcpy(name, word, sizeof(name));
		*place = next;
		path += length;
		// workload[0].size
		if (*path == '[')
			path += strcspn(path, ".");
		if (*path == '.')
			path++;
	}
	if (!place->any_name)
		return *path == '\0' ? 0 : -ENOENT;
	*place = start;
	memcpy(word, name, sizeof(name));
	return -ENOENT;
}

static void
say_unknown(const struct describe_place *at, const char *word, char *why, size_t why_size)
{
	struct candidates c = {0};
	const char *near;

	describe_list_next(at, add_candidate, &c);
	near = config_suggest(word, c.words, c.count);
	snprintf(why, why_size, "there is no key \"%.80s\"%s%.120s%s%s%s", word,
		 at->path[0] != '\0' ? " in " : "", at->path,
		 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
		 near != NULL ? "\"?" : "");
}

int
describe_find(const char *path, struct describe_place *to, char *why, size_t why_size)
{
	static const struct {
		bool fabric;
		const char *section;
	} starts[] = {{true, ""},        {false, ""},     {true, "switch"},
		      {false, "switch"}, {true, "hosts"}, {true, "fabric"}};
	struct describe_place farthest = describe_root(true);
	char word[DESCRIBE_PATH_MAX] = "", wrong[DESCRIBE_PATH_MAX];
	size_t most = 0;

	snprintf(wrong, sizeof(wrong), "%s", path);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t section;

		*to = describe_root(starts[i].fabric);
		walk(to, starts[i].section, word);
		section = strlen(to->path);
		section += section != 0; // with its dot
		if (path[0] != '\0' && strlen(path) < DESCRIBE_PATH_MAX &&
		    walk(to, path, word) == 0)
			return 0;
		if (i > 0 && strlen(to->path) <= section + most)
			continue;
		most = strlen(to->path) > section ? strlen(to->path) - section : 0;
		farthest = *to;
		memcpy(wrong, word, sizeof(wrong));
	}
	say_unknown(&farthest, wrong, why, why_size);
	return -ENOENT;
}

// `tenant` for `tenants`.
static int
step_to_plural(const struct describe_place *root, const char *word, struct describe_place *to)
{
	char plural[DESCRIBE_PATH_MAX];

	if (strlen(word) + 2 > sizeof(plural))
		return -ENOENT;
	snprintf(plural, sizeof(plural), "%ss", word);
	if (describe_step(root, plural, to) != 0 || to->form.type != SCHEMA_NAMED)
		return -ENOENT;
	return 0;
}

int
describe_find_words(int count, char *const *words, struct describe_place *to, char *why,
		    size_t why_size)
{
	struct describe_place root = describe_root(true), next;
	int used = 1;

	if (count == 0) {
		snprintf(why, why_size, "no key");
		return -ENOENT;
	}
	if (describe_find(words[0], to, why, why_size) != 0 &&
	    step_to_plural(&root, words[0], to) != 0)
		return -ENOENT;
	for (; used < count && describe_step(to, words[used], &next) == 0; used++)
		*to = next;
	if (used < count)
		say_unknown(to, words[used], why, why_size);
	return used;
}
