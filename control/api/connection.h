// SPDX-License-Identifier: BSD-3-Clause
// One client of the server: lines in, answers out, deadlines between.
#pragma once

#include "api.h"

#include <stdbool.h>
#include <stdint.h>

// What is served, to whom and how patiently.
struct service {
	const struct api_method *methods;
	size_t method_count;
	void *context;
	int patience_ms;
	struct connection *asking; // whose request is being answered; NULL: nobody's
};

struct connection {
	int fd; // does not block
	struct api_peer peer;
	char *in; // received, from a line's start
	size_t in_length;
	size_t in_capacity;
	size_t in_scanned; // of them known to hold no newline
	char *out;         // the answer that waits, or NULL
	size_t out_length;
	size_t out_sent;
	uint32_t kinds; // of events that it gets; 0: none
	uint64_t least; // their size
	char *events;   // those that wait behind the answer, whole lines
	size_t events_length;
	size_t events_capacity;
	uint64_t events_lost; // since the last that it got
	int64_t deadline_ms;  // of what was begun, by clock_ms(); INT64_MAX: nothing
	int64_t active_ms;    // when it last did anything
	bool ended;           // it will send no more
	bool doomed;          // to be closed once its answer is sent
};

// The events that poll should wait for.
short connection_events(const struct connection *c);

// True when a whole request has been received that was not yet answered.
bool connection_has_line(struct connection *c);

// True when it has begun nothing.
bool connection_idle(const struct connection *c);

// Puts an event's line behind what waits to be sent; one for which there is no room is counted as
// lost. Returns 0 or -ENOMEM.
int connection_tell(const struct service *s, struct connection *c, const char *line, size_t length);

// One turn with the events that poll saw. Returns 0, or a negative number when it is to be
// closed.
int connection_turn(struct service *s, struct connection *c, short events, int64_t now);

void connection_close(struct connection *c);
