// SPDX-License-Identifier: BSD-3-Clause
// The version of the program, as meson.build states it.
#pragma once

extern const char roost_version[];
