// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables as OpenSM writes them to opensm-lfts.dump, and as `ibroute` and dump_lfts.sh of
// infiniband-diags print them.
#pragma once

#include "decode.h"

#define LFT_FILE_BYTES_MAX (UINT32_C(64) << 20)
#define LFT_FILE_ENTRIES_MAX (UINT32_C(256) << 20) // tables times LIDs

// Fills lfts from a text. A table begins with
//     Unicast lids [0-544] of switch Lid 2 guid 0x02726f6f00000100 ('leaf1'):
// and each of its lines has a LID, a port, and behind that whose the LID is:
//     0x0001 001 # Channel Adapter portguid 0x02726f6f00002101: 'h1'
// Lines of other forms are headings. name: the file's, for messages; pos: the configuration's key.
// Everything is allocated in the arena. Returns 0, or -EINVAL with an error in diag.
int lft_file_parse(struct config_lfts *lfts, struct arena *arena, const char *text, size_t length,
		   const char *name, struct diag *diag);

// The file that `subnet.lfts` names, the same way; a relative path is relative to `beside`.
int lft_file_load(struct config_lfts *lfts, struct arena *arena, const char *config_file,
		  const char *beside, struct diag *diag);
