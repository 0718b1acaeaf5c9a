// SPDX-License-Identifier: BSD-3-Clause
// FRR's zebra as a source of routes, by its plugin dplane_fpm_nl: a TCP server; fpm.c says what is
// spoken. Control thread.
#pragma once

#include "rib.h"

#include <stdbool.h>
#include <stdint.h>

#define FPM_HEADER_BYTES 4
#define FPM_FRAME_BYTES 65535

// Takes the whole frames at the start of a stream's bytes; a frame is handed over netlink message
// by message. Returns how many bytes that were, or -EPROTO with one line in why when they are no
// FPM, after which the stream says nothing. Any thread.
long fpm_take_frames(const uint8_t *bytes, size_t count,
		     void (*take)(void *context, const struct nlmsghdr *message), void *context,
		     const char **why);

struct learn_fpm;

struct learn_fpm_options {
	struct rib *rib;
	int netns_fd; // < 0: the present namespace
	const struct config_listen *listen;
	// Reports what a user must see, in one line. May be NULL.
	void (*notify)(void *context, const char *line);
	void *context;
};

// Listens. Returns 0 or -errno.
int learn_fpm_open(struct learn_fpm **out, const struct learn_fpm_options *options);
// NULL is fine.
void learn_fpm_close(struct learn_fpm *f);

// The descriptor that becomes readable when a turn is due (an epoll).
int learn_fpm_fd(const struct learn_fpm *f);
// Takes in what there is, up to a turn's share.
void learn_fpm_turn(struct learn_fpm *f, int64_t now_ms);
// In how many ms a turn is due at the latest; -1: when there is something to read.
int learn_fpm_wait_ms(const struct learn_fpm *f, int64_t now_ms);
bool learn_fpm_connected(const struct learn_fpm *f);
