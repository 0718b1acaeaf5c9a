// SPDX-License-Identifier: BSD-3-Clause
// Bit error rates as a file has them, such as 1e-9 or 2.5e-12, in units of 1e-18.
#pragma once

#include "config.h"

#define ERROR_RATE_UNIT UINT64_C(1000000000000000000) // a rate of 1

// 0, or from 1e-15 to 1e-3, in whole units. Returns 0, or -EINVAL with the reason in why
// (SCALAR_WHY bytes).
int error_rate_read(const char *text, uint64_t *out, char *why);
// Its text, the shortest; "0" for 0.
const char *error_rate_text(uint64_t rate, char out[static CONFIG_TEXT]);
