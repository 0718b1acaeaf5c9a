// SPDX-License-Identifier: BSD-3-Clause
// Events of a live fabric, told to those who have subscribed to them (api_server_tell()). tell.c
// says what each is. Control thread.
#pragma once

#include "copy.h"

struct api_server;
struct tell;

// The kinds, a bit each; in the order of tell_kinds.
enum tell_kind {
	TELL_LINK = 1 << 0,
	TELL_PAUSE = 1 << 1,
	TELL_WATCHDOG = 1 << 2,
	TELL_DROPS = 1 << 3,
	TELL_APPLY = 1 << 4,
};
#define TELL_KINDS 5
extern const char *const tell_kinds[TELL_KINDS];

// Makes room to compare what is with what was. Returns 0 or -ENOMEM. The lab outlives it.
int tell_create(struct tell **out, struct lab *lab, struct copy *copy, struct api_server *server);
// NULL is fine.
void tell_destroy(struct tell *t);

// Tells what has happened since the last look. Costs nothing while nobody has subscribed; nodes are
// looked at a few times a second at most.
void tell_look(struct tell *t);
