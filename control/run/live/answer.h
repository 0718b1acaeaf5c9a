// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric answers over its API. Control thread.
#pragma once

#include "changes.h"
#include "control/api/api.h"

struct capture_hub;
struct capture_streams;
struct films;
struct lft_stages;
struct probes;
struct recordings;
struct settings_cache;

struct answer {
	struct live_fabric *live;
	struct api_server *server;
	struct changes *changes;
	struct node_snapshot *copy;
	struct capture_hub *captures;
	struct capture_streams *capture_streams;
	struct probes *probes;
	struct films *films;
	struct recordings *recordings;   // NULL: none
	struct lft_stages *lft_stages;   // NULL: none
	struct settings_cache *settings; // of the last question that needed them, or NULL
	bool stop;                       // `down` was requested
};

// Every method, described.
extern const struct api_method answer_methods[];

// Methods that have files of their own.
api_method_fn answer_topology, answer_where;
api_method_fn answer_show, answer_trace, answer_probe, answer_counters, answer_clear,
	answer_watchdog_restore, answer_transmit;
api_method_fn answer_attach_host, answer_detach_host, answer_link, answer_lft;
// Forgets forwarding tables whose client has gone before the last of them; every: those of all
// clients.
void answer_lft_forget(struct answer *a, bool every);
api_method_fn answer_set, answer_edit, answer_discard, answer_draining;
api_method_fn answer_apply, answer_confirm, answer_rollback;
api_method_fn answer_capture, answer_capture_end;
// The words for the direction of a capture.
const char *const *capture_directions(size_t *count);
api_method_fn answer_history, answer_config_diff, answer_save;

// Applies the edits of a client, whose uid becomes the author's. Fills *result with the outcome.
// Returns 0, or -errno with the errors in diag: -ECANCELED if the configuration that the edits make
// is not valid.
int answer_apply_edits(struct answer *a, const struct changes_request *request, json_t **result,
		       struct diag *diag);

// The outcome of a change: {"revision": the number, or null, "edits": how many, "draining": whether
// packets from before are still in flight, "warnings": those of diag}.
json_t *answer_outcome(const struct answer *a, const struct changes_outcome *outcome,
		       const struct diag *diag);
