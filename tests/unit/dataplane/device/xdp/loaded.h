// SPDX-License-Identifier: BSD-3-Clause
// The XDP program of steering, loaded into the kernel for a test, with an AF_XDP socket in its map
// and one local address of each version.
#pragma once

#include "dataplane/device/xdp/steer.h"
#include "dataplane/device/xdp/steering_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define CPUS_MAX 1024

static struct bpf_object *object;
static int program, counters, sockets, xsk = -1;
static const char *reason; // why nothing can be tested

static void
need_program(void)
{
	if (reason != NULL) {
		print_message("%s\n", reason);
		skip();
	}
}

static void
read_counts(struct steer_count counts[STEER_CLASSES])
{
	static struct steer_count each[CPUS_MAX];
	int cpus = libbpf_num_possible_cpus();

	assert_in_range(cpus, 1, CPUS_MAX);
	memset(counts, 0, STEER_CLASSES * sizeof(*counts));
	for (uint32_t class = 0; class < STEER_CLASSES; class ++) {
		assert_int_equal(bpf_map_lookup_elem(counters, &class, each), 0);
		for (int i = 0; i < cpus; i++) {
			counts[class].packets += each[i].packets;
			counts[class].bytes += each[i].bytes;
		}
	}
}

static int
add_address(const char *map, const void *address)
{
	const uint8_t any = 1;

	return bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, map), address, &any,
				   BPF_ANY);
}

// Returns 0, also with a `reason`; or what a group's setup returns to fail.
static int
load_program(const uint8_t local4[4], const uint8_t local6[16])
{
	const struct embedded_file *text = &embedded_steer[0];
	uint32_t queue = 0;
	int error;

	object = bpf_object__open_mem(text->text, text->length, NULL);
	assert_non_null(object);
	error = bpf_object__load(object);
	if (error != 0) {
		reason = error == -EPERM ? "needs root, to load a BPF program" : NULL;
		return error == -EPERM ? 0 : error;
	}
	program = bpf_program__fd(bpf_object__find_program_by_name(object, STEER_PROGRAM));
	counters = bpf_object__find_map_fd_by_name(object, STEER_COUNTERS);
	sockets = bpf_object__find_map_fd_by_name(object, STEER_XSKS);
	xsk = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (xsk < 0) {
		reason = "needs AF_XDP sockets";
		return 0;
	}
	return bpf_map_update_elem(sockets, &queue, &xsk, BPF_ANY) |
	       add_address(STEER_LOCAL4, local4) | add_address(STEER_LOCAL6, local6);
}

static int
unload(void **state)
{
	(void)state;
	if (xsk >= 0)
		close(xsk);
	bpf_object__close(object);
	return 0;
}
