// SPDX-License-Identifier: BSD-3-Clause
#include "base64.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *
base64_encode(const void *bytes, size_t count)
{
	char *text = memory_array((count + 2) / 3 * 4 + 1, 1, "bytes of base64"), *to = text;
	const uint8_t *from = bytes;

	for (; count >= 3; count -= 3, from += 3) {
		uint32_t v = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];

		for (int shift = 18; shift >= 0; shift -= 6)
			*to++ = alphabet[v >> shift & 63];
	}
	if (count != 0) {
		uint32_t v = (uint32_t)from[0] << 16 | (count == 2 ? (uint32_t)from[1] << 8 : 0);

		*to++ = alphabet[v >> 18];
		*to++ = alphabet[v >> 12 & 63];
		*to++ = count == 2 ? alphabet[v >> 6 & 63] : '=';
		*to++ = '=';
	}
	return text;
}

static int
value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

uint8_t *
base64_decode(const char *text, size_t *count)
{
	size_t length = strlen(text), padding = 0;
	uint8_t *bytes, *to;

	while (padding < 2 && padding < length && text[length - padding - 1] == '=')
		padding++;
	if (length % 4 != 0)
		return NULL;
	bytes = to = memory_array(length / 4 * 3 + 1, 1, "bytes of base64");
	for (size_t i = 0; i < length; i += 4) {
		uint32_t v = 0;

		for (size_t k = i; k < i + 4; k++) {
			int value = k < length - padding ? value_of(text[k]) : 0;

			if (value < 0) {
				free(bytes);
				return NULL;
			}
			v = v << 6 | (uint32_t)value;
		}
		*to++ = (uint8_t)(v >> 16);
		*to++ = (uint8_t)(v >> 8);
		*to++ = (uint8_t)v;
	}
	*count = length / 4 * 3 - padding;
	return bytes;
}
