// SPDX-License-Identifier: BSD-3-Clause
// The answers of the API's method "show" (control/show/show.h) as tables for people.
#pragma once

#include <jansson.h>
#include <stdio.h>

// The groups, queues and pauses of interfaces instead of a line each; the answer is that without a
// view.
#define SHOW_TEXT_COUNTERS "counters-qos"

// Prints an answer to `roost show WHAT`. view: the one that was asked for, SHOW_TEXT_COUNTERS, or
// NULL. What an answer lacks is shown as 0 or left empty. Returns 0, -ENOENT for a word or view
// that it does not know, or -ENOMEM.
int show_text_print(const char *what, const char *view, const json_t *answer, FILE *to);
