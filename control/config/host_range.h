// SPDX-License-Identifier: BSD-3-Clause
// Ranges in lists of hosts: h1-h8 and h[1-8] both stand for h1, h2, ..., h8.
#pragma once

#include <stdbool.h>

#define HOST_RANGE_MAX 16384 // hosts of one list
#define HOST_RANGE_PATTERN "^[A-Za-z0-9][A-Za-z0-9_.-]*(\\[[0-9]+-[0-9]+\\][A-Za-z0-9_.-]*)?$"

struct host_range {
	const char *text;
	int before;        // characters of text before the number
	int digits;        // each number has at least so many: h01-h16
	const char *after; // what follows the number, such as ".eth1"
	unsigned first;
	unsigned count; // 0: the text is one name, no range
};

// Whether the text is one name of a node, port, queue or link, by its characters.
bool host_range_is_name(const char *text);
// Returns 0, or -EINVAL with the reason in why, of SCALAR_WHY characters. The range refers to text.
int host_range_read(struct host_range *range, const char *text, char *why);
// The i-th name, with snprintf()'s result.
int host_range_name(const struct host_range *range, unsigned i, char *out, unsigned size);
// Whether a text that names no host looks like a range of different names: h1-leaf3, h1-8.
bool host_range_is_mixed(const char *text);
