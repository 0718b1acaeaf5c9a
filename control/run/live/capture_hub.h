// SPDX-License-Identifier: BSD-3-Clause
// Captures of a live fabric. capture_hub.c says how packets get here. Control thread.
#pragma once

#include "live_fabric.h"
#include "dataplane/node/capture_tap.h"

#define CAPTURES_MAX 8        // at a time
#define CAPTURE_PORTS_MAX 256 // of one that names its ports
#define CAPTURE_POLL_MS 4     // a ring must hold what passes in between

struct capture;

// A packet that was captured. It is the hub's, and gone when `take` returns.
struct captured {
	ps_t at; // received: when its last bit arrived; sent: when that has left
	enum capture_kind kind;
	uint32_t place;       // of `ports`; 0 if none were named
	struct topo_ref port; // where it passed; of a dropped packet, where it came in
	int reason;           // enum drop_reason, or -1; received packets may have one
	int out_port;         // of dropped ones: whose queue it was for; -1: none was chosen yet
	uint8_t priority;     // of dropped ones
	uint8_t tc;           // the same, and of sent ones: whose queue they were in
	uint32_t depth_bytes; // what was in that queue
	uint32_t wire_bytes;
	uint32_t data_len;
	const uint8_t *data;
};

enum capture_which {
	CAPTURE_WHICH_RX = 1 << 0,    // what ports receive, with the reason of what is dropped
	CAPTURE_WHICH_TX = 1 << 1,    // what they send, and what is dropped in their queues
	CAPTURE_WHICH_DROPS = 1 << 2, // what is dropped, at the port where it came in
};

struct capture_want {
	const struct topo_ref *ports; // NULL: all of the fabric
	uint32_t count;
	unsigned int which; // bits of enum capture_which
	uint32_t snaplen;   // bytes of a packet at most
	// NULL, or called on the worker for each packet: only those for which it is true are
	// copied. Among all captures that run there is one such function.
	bool (*match)(const void *context, struct rte_mbuf *m);
	const void *match_context;
	// Of taking a packet, in bytes that could be copied meanwhile: so many fewer packets fit
	// into a turn of the control thread.
	uint32_t cost;
	// Called by capture_hub_poll() and capture_hub_end(), in order of time.
	void (*take)(void *context, const struct captured *packet);
	void *context;
};

// What a port of a capture counted: seen are those of `which`, lost are not in the capture.
struct capture_total {
	uint64_t seen, lost;
};

// Makes a hub for a fabric that is up. It costs nothing until something is captured.
struct capture_hub *capture_hub_create(struct live_fabric *live);
// Before the fabric is closed. NULL is fine.
void capture_hub_destroy(struct capture_hub *hub);
struct live_fabric *capture_hub_fabric(const struct capture_hub *hub);

// Begins a capture: what passes from now on. Returns 0, or -EBUSY if there are too many, or another
// one has a `match`.
int capture_hub_begin(struct capture_hub *hub, const struct capture_want *want,
		      struct capture **out);
// Ends a capture: takes what has passed until now. Not from within `take`. NULL is fine.
void capture_hub_end(struct capture_hub *hub, struct capture *capture);
// The same in parts, for captures of many packets. Nothing that passes from now on is in it; its
// totals are known.
void capture_hub_stop(struct capture_hub *hub, struct capture *capture);
// Between polls: ends one that was stopped, if all that belongs to it has been taken.
bool capture_hub_finish(struct capture_hub *hub, struct capture *capture);
// Ends it at once, without what has not been taken yet.
void capture_hub_remove(struct capture_hub *hub, struct capture *capture);
// Frees one that has ended, whose totals are known. NULL is fine.
void capture_free(struct capture *capture);

// What a place of an ended capture counted; of one that named no ports, a port of the fabric.
struct capture_total capture_total(const struct capture *capture, uint32_t place);
struct capture_total capture_total_at(const struct capture *capture, struct topo_ref port);
// Of all its ports.
struct capture_total capture_total_all(const struct capture *capture);

// Takes what has been captured, up to the instant that all workers have reached, but no more than a
// turn's worth (capture_drain.h).
void capture_hub_poll(struct capture_hub *hub);
// How long the control thread may wait for something else.
int capture_hub_wait_ms(const struct capture_hub *hub, int wait_ms);
