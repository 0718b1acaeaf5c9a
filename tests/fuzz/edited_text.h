// SPDX-License-Identifier: BSD-3-Clause
// Random bytes seldom are a document. Here they say what becomes of one that is: each four bytes
// where, what, and with which word or byte.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const edited_words[] = {
	"null",
	"true",
	"-1",
	"0",
	"1e308",
	"-1e308",
	"99999999999999999999",
	"18446744073709551615",
	"{}",
	"[]",
	"\"\"",
	"\"\\u0000\"",
	"[[[[[[[[",
	"{\"a\":",
	",",
	"../../../etc",
	"\xff",
	"\xc3",
};

// Makes the text that the input asks for of a sample, for free(); *length: its bytes, a NUL aside.
static inline char *
edited_text(const char *sample, const uint8_t *data, size_t size, size_t *length)
{
	const size_t words = sizeof(edited_words) / sizeof(edited_words[0]);
	size_t used = strlen(sample);
	char *text = malloc(used + 32 * size + 1);

	if (text == NULL)
		abort();
	memcpy(text, sample, used);
	for (; size >= 4; data += 4, size -= 4) {
		size_t at = ((size_t)data[0] << 8 | data[1]) % (used + 1);
		const char *word = edited_words[data[3] % words];
		size_t drop = data[2] >> 2, add = data[2] & 2 ? strlen(word) : data[2] & 1;

		drop = drop < used - at ? drop : used - at;
		memmove(text + at + add, text + at + drop, used - at - drop);
		memcpy(text + at, data[2] & 2 ? word : (const char *)&data[3], add);
		used += add - drop;
	}
	text[used] = '\0';
	*length = used;
	return text;
}
