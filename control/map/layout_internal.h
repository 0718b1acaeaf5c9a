// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a drawing in SVG, and the texts that boxes must have room for.
#pragma once

#include "drawing_internal.h"

#define LAYOUT_MARGIN 24.0
#define LAYOUT_TOP 64.0 // below the title
#define LAYOUT_TITLE_SIZE 18.0
#define LAYOUT_NAME_SIZE 13.0
#define LAYOUT_SMALL_SIZE 11.0
#define LAYOUT_GAP 16.0       // between boxes of a row
#define LAYOUT_POD_GAP 28.0   // between pods
#define LAYOUT_PLANE_GAP 44.0 // between planes
#define LAYOUT_PART_LABEL 26.0
#define LAYOUT_ARC 40.0 // above links between switches of one row
#define LAYOUT_SWITCH_LEAST 64.0
#define LAYOUT_HOST_HEIGHT 22.0
#define LAYOUT_HOST_MOST 240.0 // width
#define LAYOUT_SHARE_HEIGHT 16.0
#define LAYOUT_STACK_GAP 22.0 // between a leaf and the first of its hosts
#define LAYOUT_BUS 12.0       // from the line down to the hosts
#define LAYOUT_LABEL 40.0     // beside a host
#define LAYOUT_SHARES 6       // of tenants in a folded box
#define LAYOUT_TEXT 96

// How many lines of tenants a folded box has.
uint32_t layout_shares(const struct drawing *d, const struct drawing_box *b);
// "32 red", or "8 of 3 other tenants" in the last line.
void layout_share_text(const struct drawing *d, const struct drawing_box *b, uint32_t i,
		       char text[static LAYOUT_TEXT]);
// "h1-h64"
void layout_folded_names(const struct drawing_box *b, char text[static 2 * LAYOUT_TEXT]);
