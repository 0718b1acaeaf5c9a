// SPDX-License-Identifier: BSD-3-Clause
// What stands behind `roost set` and `roost unset` as an edit of the configuration.
#pragma once

#include <jansson.h>
#include <stdbool.h>

// Reads the words of a command. Two forms:
//	a key with dots and, of `set`, its value:       switch.qos.tc.3.ecn.min 100KB
//	the key's words, and the value as the last one: switch qos tc 3 ecn min 100KB
// In words, `tenant` stands for `tenants`, and what is said of a tenant's lists is said of their
// items, one or several with commas between: `set tenant green hosts h5,h6` adds, `unset` of the
// same removes. Returns 0 with *edit as the API's "edit" takes it, -EINVAL with what is wanted in
// why, or -ENOMEM (also where a word is not UTF-8).
int words_read_set(int count, char *const *words, json_t **edit, char *why, size_t why_size);
int words_read_unset(int count, char *const *words, json_t **edit, char *why, size_t why_size);
