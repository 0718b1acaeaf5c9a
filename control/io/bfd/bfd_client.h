// SPDX-License-Identifier: BSD-3-Clause
// The connection to FRR's bfdd, which listens at a unix stream socket for the data plane that runs
// its sessions. Control thread.
#pragma once

#include "bfd_message.h"

#include <sys/types.h>

struct bfd_client;

struct bfd_client_options {
	const char *path;
	// Whether this user may listen there, as root and the user who runs this process may. Asked
	// at each connection, because a package may add the user later.
	bool (*accepts)(void *context, uid_t user);
	const char *user_name; // who may, in words
	void (*take)(void *context, const struct bfd_message *message);
	void (*ended)(void *context); // the connection
	// Reports what a user must see, in one line.
	void (*notify)(void *context, const char *line);
	void *context;
};

// Connects at the first turn, and again when the connection has ended. Returns 0 or -errno.
int bfd_client_open(struct bfd_client **out, const struct bfd_client_options *options);
// NULL is fine.
void bfd_client_close(struct bfd_client *c);

// Becomes readable when bfdd has sent something.
int bfd_client_fd(const struct bfd_client *c);
// Connects, reads and writes, up to a limit per turn.
void bfd_client_turn(struct bfd_client *c, int64_t now_ms);
// In how many ms a turn is due at the latest, at most max_ms.
int bfd_client_wait_ms(const struct bfd_client *c, int64_t now_ms, int max_ms);

// Sends a message to bfdd. If it does not read, the connection ends at the next turn.
void bfd_client_send(struct bfd_client *c, const uint8_t *message, size_t length);
bool bfd_client_connected(const struct bfd_client *c);
// How often a process of a user who may not was found listening.
uint64_t bfd_client_refused(const struct bfd_client *c);
