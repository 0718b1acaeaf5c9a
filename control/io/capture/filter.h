// SPDX-License-Identifier: BSD-3-Clause
// Filters of captures. A user writes one as for tcpdump (pcap-filter(7)), and the client compiles
// it: that may ask name servers, and reads text of any kind. What goes over the API is the program,
// as `tcpdump -ddd` prints it: a list of numbers that can be checked.
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define FILTER_TEXT_MAX 4096  // bytes of an expression
#define FILTER_STEPS_MAX 4096 // instructions of a program (BPF_MAXINSNS)

struct filter;

// Compiles an expression for Ethernet frames. Returns 0 with the program for free(), or -EINVAL
// with an error in diag.
int filter_compile(const char *text, char **program, struct diag *diag);

// Reads a program. Returns 0, or -EINVAL with an error in diag if it is none or might not end, or
// reach beyond its memory.
int filter_read(struct filter **out, const char *program, struct diag *diag);

// The instructions of a program: no packet takes more, because none leads back. NULL has 0.
uint32_t filter_steps(const struct filter *f);

// NULL is fine.
void filter_destroy(struct filter *f);

// Whether a packet passes, of whose wire_bytes the first data_len are there. NULL lets all pass.
bool filter_passes(const struct filter *f, const uint8_t *data, uint32_t data_len,
		   uint32_t wire_bytes);
