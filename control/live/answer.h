// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric answers over its API. Control thread.
#pragma once

#include "control/api/api.h"
#include "copy.h"
#include "marks.h"

struct answer {
	struct lab *lab;
	struct api_server *server;
	struct copy *copy;
	struct marks *marks; // of the last question that needed them, or NULL
	bool stop;           // `down` was asked for
};

// What each is stands in the table.
extern const struct api_method answer_methods[];
extern const size_t answer_method_count;

// Those that stand in files of their own; as api_method_fn.
api_method_fn answer_show, answer_set, answer_clear, answer_watchdog_restore;
