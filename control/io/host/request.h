// SPDX-License-Identifier: BSD-3-Clause
// A request to the kernel by rtnetlink and its answer, on libmnl. Each request has a socket of its
// own, in the network namespace that its thread is in. Any thread.
#pragma once

#include <libmnl/libmnl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_BYTES 32768 // of a message: what libmnl advises

struct request {
	struct nlmsghdr *message; // to which mnl_attr_put_*() add
	char why[128];            // the kernel's own words on why it failed; "" without any
	_Alignas(8) char buffer[REQUEST_BYTES];
};

// Starts a request. `flags`: NLM_F_REQUEST | NLM_F_ACK are added. Returns the header that follows
// netlink's own, `header_bytes` zeros.
void *request_start(struct request *request, uint16_t type, uint16_t flags, size_t header_bytes);

// Sends it and waits for the kernel's verdict; answers on the way go to `answer`, which may be
// NULL. Returns 0, or -errno with request->why.
int request_send(struct request *request, mnl_cb_t answer, void *arg);

// Reads all notifications of a netlink socket that does not wait. Returns whether there was any;
// one that found no room counts.
bool request_drain(int socket);

// Reads the verdict, of a message that is as long as it says. Returns as request_send().
int request_verdict(const struct nlmsghdr *answer, struct request *request);
