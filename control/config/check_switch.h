// SPDX-License-Identifier: BSD-3-Clause
// What the checks of one switch's merged settings share.
#pragma once

#include "merge.h"

struct switch_check {
	const struct config *config;
	const struct switch_config *settings;
	const struct config_marks *marks;
	struct diag *diag;
	bool buffer_changes; // by a `set`: pools that are too large are refused, not warned of
	struct idle_keys *idle;
};

// Where the value of a key came from.
struct config_mark check_mark(const struct switch_check *check, const char *key_format, ...)
	__attribute__((format(printf, 2, 3)));
// The later of two places in the file.
struct diag_pos check_later(struct diag_pos a, struct diag_pos b);
// Rates, RED, watchdog, trimming, histograms (check_qos.c).
void check_qos(const struct switch_check *check);
// Keys that change nothing as the others stand (check_idle.c).
void check_idle(const struct switch_check *check);
