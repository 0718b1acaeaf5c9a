// SPDX-License-Identifier: BSD-3-Clause
// Commands that have a live fabric do something: their common options, and the call.
#pragma once

#include "cli.h"

#include <jansson.h>
#include <stdbool.h>

struct option;

// Calls a method of the fabric that is meant and lets go of params, whose NULL is told as words
// that are not UTF-8. Returns an exit status, with *result the caller's when it is CLI_OK. What the
// fabric refuses is told on stderr.
int cli_call(const char *command, const char *fabric, const char *method, json_t *params,
	     json_t **result);
// The same without telling: what is refused stands in err.
int cli_call_quietly(const char *fabric, const char *method, const json_t *params, json_t **result,
		     char *err, size_t err_size);

// Prints the warnings of a change, and waits until no packet from before it is under way. Lets go
// of the result. Returns an exit status.
int cli_end_change(const char *command, const char *fabric, json_t *result);
