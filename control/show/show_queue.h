// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "show_view.h"

// A cell that says whether a queue is paused, or in a storm.
void show_queue_state_cell(struct text_table *t, const struct show_row *row);
