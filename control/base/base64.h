// SPDX-License-Identifier: BSD-3-Clause
// Bytes as text and back: base64 with padding (RFC 4648, section 4).
#pragma once

#include <stddef.h>
#include <stdint.h>

// The text, for free().
char *base64_encode(const void *bytes, size_t count);

// The bytes, for free(), and how many; NULL: it is not base64.
uint8_t *base64_decode(const char *text, size_t *count);
