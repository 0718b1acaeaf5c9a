// SPDX-License-Identifier: BSD-3-Clause
// Frames for the control plane of a switch: a ring from the node's worker to the control thread. No
// port can fill it alone, so that a flood from one host does not keep out frames from others.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PUNT_FRAMES 64      // a power of 2
#define PUNT_PORT_FRAMES 8  // at most of one port
#define PUNT_FRAME_MAX 1514 // bytes without FCS

// The destination of BFD frames, 01:80:c2:00:00:05: the XDP program writes it (device/xdp/steer.h).
#define PUNT_BFD_ADDRESS_LAST 0x05

struct punt_frame {
	uint16_t port; // index at the node
	uint16_t length;
	uint8_t data[PUNT_FRAME_MAX]; // from the Ethernet header on
};

struct punt {
	uint32_t head;                              // control: rw (release), worker: ro (acquire)
	uint32_t tail __attribute__((aligned(64))); // worker: rw (release), control: ro (acquire)
	struct punt_frame frames[PUNT_FRAMES];
};

// Returns 0 or -ENOMEM. Control thread.
int punt_create(struct punt **out);

// NULL is fine.
void punt_destroy(struct punt *p);

// Adds a frame that came in by a port. Returns false when it is too long, or there is no room for
// another of this port. The node's worker.
bool punt_put(struct punt *p, uint16_t port, const uint8_t *data, uint32_t length);

// The oldest frame, which stays in place until punt_release(); NULL: there is none. Control thread.
const struct punt_frame *punt_peek(const struct punt *p);
void punt_release(struct punt *p);
