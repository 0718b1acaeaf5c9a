// SPDX-License-Identifier: BSD-3-Clause
// Any bytes around addresses: the addresses are blanked.
#include "control/base/blank.h"
#include "control/base/memory.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const addresses[] = {
	" 203.0.113.7 ",
	" 2001:db8:77::7 ",
	" 02:77:00:00:00:07 ",
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blank *blank = blank_create();
	char *text, *blanked;
	size_t length, blanked_length, half = size / 2;
	FILE *to = memory_stream_open(&text, &length);

	fwrite(data, 1, half, to);
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		fputs(addresses[i], to);
	fwrite(data + half, 1, size - half, to);
	fclose(to);

	to = memory_stream_open(&blanked, &blanked_length);
	blank_write(blank, text, length, to);
	fclose(to);
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		require(memmem(blanked, blanked_length, addresses[i], strlen(addresses[i])) ==
			NULL);

	free(text);
	free(blanked);
	blank_destroy(blank);
	return 0;
}
