// SPDX-License-Identifier: BSD-3-Clause
// Captures of clients: what ports of a live fabric see, sent over the API as blocks of a pcapng
// file while it is captured. Control thread.
#pragma once

#include "capture_hub.h"
#include "control/api/api.h"
#include "control/io/capture/filter.h"

#include <jansson.h>

struct capture_streams;

struct capture_request {
	const struct topo_ref *ports; // NULL: all
	uint32_t count;
	unsigned int which;    // bits of enum capture_which
	uint32_t snaplen;      // 0: none
	uint64_t packets_most; // 0: any number
	bool raw;              // blocks are sent as they are, not as base64
	struct filter *filter; // NULL: none; the stream's if it begins
};

struct capture_streams *capture_streams_create(struct capture_hub *hub, struct api_server *server);
// Ends all captures: clients get what is left of them, as far as they read it in time. NULL is
// fine.
void capture_streams_destroy(struct capture_streams *all);

// Begins a capture for the client whose request is being answered. Returns 0, or -EBUSY with an
// error in diag.
int capture_streams_begin(struct capture_streams *all, const struct capture_request *request,
			  struct diag *diag);
// Ends that client's. Returns 0, or -ENOENT if it has none.
int capture_streams_end(struct capture_streams *all);

// Sends what has been captured, and ends captures whose client is gone.
void capture_streams_poll(struct capture_streams *all);
// How long the control thread may wait for something else.
int capture_streams_wait_ms(const struct capture_streams *all, int wait_ms);
