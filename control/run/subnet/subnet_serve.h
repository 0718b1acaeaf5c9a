// SPDX-License-Identifier: BSD-3-Clause
// `roost subnet`: a process that answers subnet managers and diagnostic programs of InfiniBand for
// a fabric, live or in a file. Of a live fabric it is a client, like any program that uses the API.
//
// serve.c waits for messages; sockets.c has the sockets of libumad2sim; describe.c makes nodes from
// what the fabric says of itself; live.c keeps up with a live fabric and programs its forwarding
// tables; qos.c programs the arbitration of its lanes.
#pragma once

#include "control/api/api.h"
#include "control/base/diag.h"

struct subnet_options {
	const char *file;   // of the fabric; NULL: it is live
	const char *path;   // of the live fabric's socket
	const char *socket; // what names of sockets begin with; NULL: "sim", as programs expect
};

// Serves until a signal comes or the fabric ends. Returns 0, or -errno with an error in diag:
// -EINVAL if the file has errors or the name is too long, -EADDRINUSE if another process uses the
// name.
int subnet_serve(const struct subnet_options *options, struct diag *diag);
