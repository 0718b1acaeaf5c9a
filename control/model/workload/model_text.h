// SPDX-License-Identifier: BSD-3-Clause
// What a model's step amounts to, as a text.
#pragma once

#include "control/config/config.h"

#include <stddef.h>

#define MODEL_TEXT_MAX 400

// Its parameters, its time without communication, and what a run takes of it; without a line end.
// ranks: of the item. Any thread.
void model_text(const struct config_work *work, uint32_t ranks, char text[static MODEL_TEXT_MAX]);
