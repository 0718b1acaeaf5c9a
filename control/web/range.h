// SPDX-License-Identifier: BSD-3-Clause
// The Range header (RFC 9110, section 14).
#pragma once

#include <stdint.h>

enum range_kind {
	RANGE_ALL, // all of the file: there is no header, or one that may be ignored
	RANGE_PART,
	RANGE_NONE, // no byte of it exists
};

struct range {
	enum range_kind kind;
	uint64_t first, length; // of the bytes to send; unless RANGE_NONE
};

// What of `size` bytes a header wants. text: NULL: there is none. Of several ranges none is sent by
// itself: that is a request for all.
struct range range_parse(const char *text, uint64_t size);
