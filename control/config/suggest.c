// SPDX-License-Identifier: BSD-3-Clause
// "did you mean": the candidate at the smallest edit distance, when it is small for its length; if
// none is near, one that the word begins with, or that begins with the word.
#include "config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define SUGGEST_WORD_MAX 48
#define SUGGEST_BEGINNING_MIN 3

// Restricted Damerau-Levenshtein distance: insert, delete, replace, swap two neighbours. Case and
// `_` against `-` count nothing. Longer words than SUGGEST_WORD_MAX are never near.
static unsigned
edit_distance(const char *a, const char *b)
{
	unsigned rows[3][SUGGEST_WORD_MAX + 1];
	size_t length_a = strlen(a), length_b = strlen(b);

	if (length_a > SUGGEST_WORD_MAX || length_b > SUGGEST_WORD_MAX)
		return SUGGEST_WORD_MAX;
	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);
			bool same = x == y || (x == '_' && y == '-') || (x == '-' && y == '_');
			unsigned least = above[j - 1] + !same;

			if (above[j] + 1 < least)
				least = above[j] + 1;
			if (row[j - 1] + 1 < least)
				least = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two_above[j - 2] + 1 < least)
				least = two_above[j - 2] + 1;
			row[j] = least;
		}
	}
	return rows[length_a % 3][length_b];
}

// "rail-optimised" and "rail", "chan" and "channels", "supers" and "super-spines".
static bool
begins_alike(const char *a, const char *b)
{
	size_t shorter = strlen(a), longer = strlen(b);

	if (shorter > SUGGEST_BEGINNING_MIN && a[shorter - 1] == 's')
		shorter--;

	if (shorter > longer) {
		shorter = longer;
		longer = strlen(a);
	}
	return shorter >= SUGGEST_BEGINNING_MIN && longer <= 4 * shorter &&
	       strncasecmp(a, b, shorter) == 0;
}

const char *
config_suggest(const char *word, const char *const *candidates, size_t count)
{
	const char *best = NULL;
	unsigned best_distance = SUGGEST_WORD_MAX;

	for (size_t i = 0; i < count; i++) {
		size_t longer = strlen(candidates[i]);
		unsigned distance = edit_distance(word, candidates[i]);

		if (strlen(word) > longer)
			longer = strlen(word);
		// A third of the word may differ: "leafs" -> "leaves", but not "pfc" -> "ecn".
		if (distance < best_distance && distance <= 1 + (longer - 1) / 4 &&
		    distance < longer) {
			best = candidates[i];
			best_distance = distance;
		}
	}
	for (size_t i = 0; best == NULL && i < count; i++)
		if (begins_alike(word, candidates[i]))
			best = candidates[i];
	return best;
}
