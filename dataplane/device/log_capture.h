// SPDX-License-Identifier: BSD-3-Clause
// Catches what DPDK, libbpf and libxdp say while a device is opened, so that the user sees one line
// that says where and what instead of ten from three libraries. One capture at a time. Control
// thread.
#pragma once

#include <stdio.h>

struct log_capture {
	FILE *stream;
	char *text;
	size_t bytes;
};

// Sends log lines into the capture; without memory for it they go on to stderr.
void log_capture_begin(struct log_capture *capture);

// Sends log lines to stderr again and returns the line nearest to the cause: the first one, but
// those of libbpf and libxdp only where DPDK says nothing. Without newline and function name; ""
// when there was none. Valid until log_capture_free().
const char *log_capture_end(struct log_capture *capture);

void log_capture_free(struct log_capture *capture);
