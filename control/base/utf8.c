// SPDX-License-Identifier: BSD-3-Clause
#include "utf8.h"

#include <stdint.h>

// The bytes of the character that begins here, or 0 where none does.
static size_t
utf8_character(const unsigned char *p)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t size = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : 4;
	uint32_t code = size == 1 ? p[0] : p[0] & (0x7fu >> size);

	if (size == 4 && p[0] >> 3 != 30)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
											  : size;
}

void
utf8_repair(char *text)
{
	while (*text != '\0') {
		size_t size = utf8_character((const unsigned char *)text);

		if (size == 0)
			*text = '?';
		text += size != 0 ? size : 1;
	}
}
