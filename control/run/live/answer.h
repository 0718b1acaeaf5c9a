// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric answers over its API. Control thread.
#pragma once

#include "control/api/api.h"
#include "node_snapshot.h"
#include "settings_cache.h"

struct changes;

struct answer {
	struct live_fabric *live;
	struct api_server *server;
	struct changes *changes;
	struct node_snapshot *copy;
	struct settings_cache *settings; // as the last question that needed them left them, or NULL
	bool stop;                       // `down` was requested
};

// What each is stands in the table.
extern const struct api_method answer_methods[];
extern const size_t answer_method_count;

// Those that stand in files of their own; as api_method_fn.
api_method_fn answer_show, answer_clear, answer_watchdog_restore;
api_method_fn answer_set, answer_edit, answer_detach, answer_draining;
api_method_fn answer_apply, answer_confirm, answer_rollback;
api_method_fn answer_history, answer_config_diff, answer_save;
