// SPDX-License-Identifier: BSD-3-Clause
// Private to control/report/settings*.c.
#pragma once

#include "settings.h"

// {KEY: {"value", "origin", "where"}} of every key, without the last two where marks are NULL. NULL
// when memory ran out.
json_t *settings_walk(const struct switch_config *settings, const struct config_mark *marks);
