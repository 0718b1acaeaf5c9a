// SPDX-License-Identifier: BSD-3-Clause
// The address that a server listens on: "127.0.0.1:8080", "[::1]:8080", "localhost:0".
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define LISTEN_TEXT_MAX 64

struct listen_address {
	struct sockaddr_storage socket;
	socklen_t length;
	uint16_t port; // 0: any that is free, until listen_open() has found it
	bool loopback;
	bool any; // all addresses of the machine
};

// Reads an address: numbers, or "localhost" for 127.0.0.1. Returns 0, or -EINVAL with an error in
// diag.
int listen_parse(const char *text, struct listen_address *out, struct diag *diag);
// Opens the socket and sets the port. Returns a descriptor, or -errno with an error in diag.
int listen_open(struct listen_address *address, struct diag *diag);
// "127.0.0.1:8080", "[::1]:8080".
const char *listen_text(const struct listen_address *address, char text[static LISTEN_TEXT_MAX]);

// Splits "HOST:PORT" or "[HOST]:PORT"; port: 0 to 65535, and `otherwise` where there is none (-1:
// there must be one). Returns false if it is not one.
bool listen_split(const char *text, int otherwise, char host[static LISTEN_TEXT_MAX],
		  uint16_t *port);
