// SPDX-License-Identifier: BSD-3-Clause
// The answers of the API's method "show" (control/report/show.h) as tables for people.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Prints an answer to `roost show WHAT`. qos: of an interface, its priority groups, queues,
// pauses and drops instead of a line. What an answer lacks is shown as 0 or left empty. Returns
// 0, -ENOENT for a word it does not know, or -ENOMEM.
int show_text_print(const char *what, const json_t *answer, bool qos, FILE *to);
