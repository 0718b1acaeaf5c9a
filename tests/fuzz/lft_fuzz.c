// SPDX-License-Identifier: BSD-3-Clause
// Any text as a file of forwarding tables: it is refused with an error, or gives tables of switches
// that have names, in which every LID is below the count.
//
// Input: a text.
#include "require.h"

#include "control/base/arena.h"
#include "control/config/lft_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_lfts lfts = {0};
	struct arena arena = {0};
	struct diag diag = {0};
	int rc = lft_file_parse(&lfts, &arena, (const char *)data, size, "fuzz", &diag);

	require((rc == 0) == (diag.errors == 0));
	if (rc == 0) {
		require(lfts.table_count != 0 && lfts.lid_count > 1 && lfts.lid_count <= 0xc000);
		for (uint32_t i = 0; i < lfts.table_count; i++)
			require(lfts.tables[i].name[0] != '\0');
		for (uint32_t lid = 0; lid < lfts.lid_count; lid++)
			require(lfts.owners[lid].name == NULL || lfts.owners[lid].name[0] != '\0');
		require(lfts.owners[0].name == NULL);
	}
	arena_free(&arena);
	diag_free(&diag);
	return 0;
}
