// SPDX-License-Identifier: BSD-3-Clause
// JSON-RPC 2.0 without its transport: one message in, its answer out.
#pragma once

#include "api.h"

// Answers one message (a request, a notification, or a batch of them) of a client that has this
// right. Returns 0 with *answer a
// line of JSON and its newline, to be freed by the caller, or NULL when nothing is to be said
// (notifications); or -ENOMEM.
int rpc_answer(const struct api_method *methods, size_t count, void *context, enum api_right right,
	       const char *text, size_t length, char **answer, size_t *answer_length);

// A notification's line. NULL when memory ran out.
char *rpc_notification(const char *method, const json_t *params, size_t *length);

// The line that refuses a message of which nothing more is known; NULL when memory ran out.
char *rpc_refusal(enum api_code code, const char *message);
