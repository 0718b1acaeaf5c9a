// SPDX-License-Identifier: BSD-3-Clause
// Events of a live fabric, told to those who have subscribed to them (api_server_tell()). tell.c
// says what each is. Control thread.
#pragma once

#include "node_snapshot.h"

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
extern const char *const notify_kinds[NOTIFY_KINDS];

// Makes room to compare what is with what was. Returns 0 or -ENOMEM. The live outlives it.
int notify_create(struct notifier **out, struct live_fabric *live, struct node_snapshot *copy,
		  struct api_server *server);
// NULL is fine.
void notify_destroy(struct notifier *t);

// Sends what has happened since the last look. Costs nothing while nobody has subscribed; nodes are
// looked at a few times a second at most.
void notify_poll(struct notifier *t);
