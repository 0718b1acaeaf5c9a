// SPDX-License-Identifier: BSD-3-Clause
// The program of steer.bpf.c as the build made it: an ELF object, kept in ours.
#pragma once

#include <stddef.h>

struct steer_text {
	const char *name; // "steer"
	const char *text;
	size_t bytes;
};

extern const struct steer_text steer_texts[];
extern const unsigned steer_text_count;
