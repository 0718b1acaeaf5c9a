// SPDX-License-Identifier: BSD-3-Clause
// Notifies subscribers of events in a live fabric (api_server_notify()). notify.c says what each
// event is. Control thread.
#pragma once

#include "live_fabric.h"

struct api_server;
struct notifier;

// The kinds, a bit each; in the order of notify_kinds.
enum notify_kind {
	NOTIFY_LINK = 1 << 0,
	NOTIFY_PAUSE = 1 << 1,
	NOTIFY_WATCHDOG = 1 << 2,
	NOTIFY_DROPS = 1 << 3,
	NOTIFY_APPLY = 1 << 4,
};
#define NOTIFY_KINDS 5
// Their names.
const char *const *notify_kinds(size_t *count);

// Makes room for the last state to compare with. The fabric outlives it.
struct notifier *notify_create(struct live_fabric *live, struct node_snapshot *copy,
			       struct api_server *server);
// NULL is fine.
void notify_destroy(struct notifier *t);

// Sends what has happened since the last poll. Costs nothing without subscribers; nodes are read a
// few times a second at most.
void notify_poll(struct notifier *t);
