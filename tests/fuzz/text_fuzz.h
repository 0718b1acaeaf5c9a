// SPDX-License-Identifier: BSD-3-Clause
// What the fuzz targets of text files share: what must hold, and what messages must be like.
#pragma once

#include "control/config/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
require(bool truth)
{
	if (!truth)
		abort();
}

// A text that is refused has messages of one line that say where, "f" being its name.
static inline void
require_messages(const struct diag *diag)
{
	require(diag->errors > 0 && diag->count > 0);
	for (unsigned i = 0; i < diag->count; i++) {
		require(strncmp(diag->messages[i].text, "f:", 2) == 0);
		require(diag->messages[i].pos.line > 0 && diag->messages[i].pos.column > 0);
		require(strchr(diag->messages[i].text, '\n') == NULL);
	}
}
