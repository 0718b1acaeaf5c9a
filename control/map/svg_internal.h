// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout_internal.h"

// Writes text of others as XML.
void svg_put(FILE *to, const char *text);
void svg_put_fitting(FILE *to, const char *text, double size, double width);

void svg_put_lines(const struct drawing *d, FILE *to);
// Returns the height of the whole drawing.
double svg_put_legend(const struct drawing *d, FILE *to);
