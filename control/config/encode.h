// SPDX-License-Identifier: BSD-3-Clause
// The values of structs as a file writes them: the inverse of decode.h, by the same rows.
#pragma once

#include "schema.h"

#include <stdio.h>

// Writes the value of a key; base is the struct that holds the member. Returns false if the key
// does not express it (of alpha and static only one does), or if the key is a map or list of
// others.
bool encode_value(FILE *to, const struct schema_key *key, const void *base);

// Calls `each` for every value below the keys of a schema, in their order, with the value's key,
// such as "qos.tc.3.weight". Items of lists, which have no names, and the keys of what is switched
// off are left out.
typedef void encode_each_fn(void *context, const char *key, const char *value);
void encode_each(const struct schema *schema, const void *base, encode_each_fn *each,
		 void *context);
