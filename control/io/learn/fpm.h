// SPDX-License-Identifier: BSD-3-Clause
// FRR's zebra as a source of routes, through its plugin dplane_fpm_nl: a TCP server. fpm.c
// describes the protocol. Control thread.
#pragma once

#include "rib.h"

#include <stdbool.h>
#include <stdint.h>

#define FPM_HEADER_BYTES 4
#define FPM_FRAME_BYTES 65535

// Parses the complete frames at the start of a stream's bytes and passes on each netlink message.
// Returns how many bytes the frames have, or -EPROTO with one line in why if they are not FPM; the
// rest of the stream is then useless. Any thread.
long fpm_take_frames(const uint8_t *bytes, size_t count,
		     void (*take)(void *context, const struct nlmsghdr *message), void *context,
		     const char **why);

struct learn_fpm;

struct learn_fpm_options {
	struct rib *rib;
	int netns_fd;   // < 0: the present namespace
	int epoll;      // becomes readable when a turn is due
	uint32_t table; // of the routes that count
	const struct config_listen *listen;
	bool any;   // anybody may connect, also from elsewhere
	uid_t user; // who may, besides root and the user who runs this process
	const char *user_name;
	// Reports what a user must see, in one line. May be NULL.
	void (*notify)(void *context, const char *line);
	void *context;
};

// Listens. Returns 0 or -errno.
int learn_fpm_open(struct learn_fpm **out, const struct learn_fpm_options *options);
// NULL is fine.
void learn_fpm_close(struct learn_fpm *f);

// Reads and applies what has arrived, up to a limit per turn.
void learn_fpm_turn(struct learn_fpm *f, int64_t now_ms);
// In how many ms a turn is due at the latest; -1: when the descriptor is readable.
int learn_fpm_wait_ms(const struct learn_fpm *f, int64_t now_ms);
bool learn_fpm_connected(const struct learn_fpm *f);
// Connections that were refused because of their user.
uint64_t learn_fpm_refused(const struct learn_fpm *f);
