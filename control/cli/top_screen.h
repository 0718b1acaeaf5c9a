// SPDX-License-Identifier: BSD-3-Clause
// The screen of `roost top`, by ncurses.
#pragma once

#include "top_rows.h"

struct top_screen {
	enum top_view view;
	int column;        // that rows are sorted by; -1: the name's. Keys change it
	size_t first;      // row at the top. Keys change it
	const char *title; // above the table
};

// Takes the terminal over, or returns -ENOTTY if it cannot move its cursor.
int top_screen_open(void);
void top_screen_close(void);
void top_screen_draw(struct top_screen *s, const struct top_rows *rows);

enum top_key { TOP_KEY_NONE, TOP_KEY_QUIT, TOP_KEY_SORT, TOP_KEY_DRAW };
// Waits at most so long for a key and takes it. TOP_KEY_SORT: the column has changed.
enum top_key top_screen_wait(struct top_screen *s, int timeout_ms);
