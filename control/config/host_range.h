// SPDX-License-Identifier: BSD-3-Clause
// Ranges in lists of hosts: h1-h8 and h[1-8] both stand for h1, h2, ..., h8.
#pragma once

#include "config_fabric.h"

#include <stdbool.h>

#define HOST_RANGE_MAX 16384     // hosts of one list
#define HOST_NAMES_MAX (1 << 20) // names in all lists of a file
#define HOST_RANGE_PATTERN "^[A-Za-z0-9][A-Za-z0-9_.-]*(\\[[0-9]+-[0-9]+\\][A-Za-z0-9_.-]*)?$"

#define HOST_RANGE_HINT 160

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
// The same of an item of a list of hosts: a text that names a node of the fabric is no range.
// fabric: or NULL.
int host_range_read_item(struct host_range *range, const struct config_fabric *fabric,
			 const char *text, char *why);
// The i-th name, with snprintf()'s result; less than 6 * CONFIG_NAME_MAX.
int host_range_name(const struct host_range *range, unsigned i, char *out, unsigned size);
// How to write the range that a text which names no host was probably meant to be, for the end of a
// message: "; did you mean h[1-4].eth1?" for h1-h4.eth1. "" if it does not look like a range.
const char *host_range_hint(const char *text, char out[static HOST_RANGE_HINT]);
