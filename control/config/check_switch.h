// SPDX-License-Identifier: BSD-3-Clause
// What the checks of one switch's merged settings share.
#pragma once

#include "merge.h"

struct switch_check {
	const struct config *config;
	const struct switch_config *settings;
	const struct config_mark *marks;
	struct config_diag *diag;
	bool buffer_changes; // by a `set`: pools that are too large are refused, not warned of
	struct idle_keys *idle;
};

// Where a member of the settings came from.
struct config_mark check_mark(const struct switch_check *check, const void *member);
// The later of two places in the file.
struct config_pos check_later(struct config_pos a, struct config_pos b);
// config_blame() of a member of the settings.
#define check_blame(check, cause, member, ...) \
	config_blame(cause, (check)->marks, check_offset(check, member), __VA_ARGS__)
size_t check_offset(const struct switch_check *check, const void *member);

// Rates, RED, watchdog, trimming, histograms (check_qos.c).
void check_qos(const struct switch_check *check);
// Keys that change nothing as the others stand (check_idle.c).
void check_idle(const struct switch_check *check);
