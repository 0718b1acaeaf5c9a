// SPDX-License-Identifier: BSD-3-Clause
// Text in UTF-8 (RFC 3629) that has no room.
#pragma once

#include <stddef.h>

// Replaces bytes that are not UTF-8 with question marks, so that JSON takes the text. Any thread.
void utf8_repair(char *text);

// Ends a text of `length` bytes, of which the last may be the beginning of a character that was cut
// in two, before that character. Returns the new length. Any thread.
static inline size_t
utf8_end(char *text, size_t length)
{
	size_t start = length, size = 1;

	while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0 || ((unsigned char)text[start - 1] & 0xc0) != 0xc0)
		return length; // plain, or no UTF-8
	start--;
	while (size < 4 && (unsigned char)text[start] << size & 0x80)
		size++;
	if (length - start >= size)
		return length;
	text[start] = '\0';
	return start;
}
