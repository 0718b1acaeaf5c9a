// SPDX-License-Identifier: BSD-3-Clause
// The words of `roost set` and `roost unset` as an edit of the configuration.
#pragma once

#include <jansson.h>
#include <stddef.h>

// Reads the words of a command. They take two forms:
//	a key with dots and, for `set`, its value:      switch.qos.tc.3.ecn.min 100KB
//	the key's words, and the value as the last one: switch qos tc 3 ecn min 100KB
// In words, `tenant` stands for `tenants`, and a tenant's lists take items, one or several with
// commas between: `set tenant green hosts h5,h6` adds them, `unset` removes them. Returns 0 with
// *edit as the API's "edit" takes it, -EINVAL with one line in why, or -ENOMEM where a word is not
// UTF-8.
int edit_read_set(int count, char *const *words, json_t **edit, char *why, size_t why_size);
int edit_read_unset(int count, char *const *words, json_t **edit, char *why, size_t why_size);
