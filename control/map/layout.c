// SPDX-License-Identifier: BSD-3-Clause
// Where the boxes of a drawing stand: super-spines, spines, leaves and hosts in rows, planes and
// pods side by side. The hosts of a leaf stand below it, one under the other; those of several
// leaves, and boxes that fold many, stand in a row of their own.
#include "layout_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// The switches of a plane and pod.
struct section {
	json_int_t plane, pod;
	double width[DRAWING_TIERS]; // that its boxes of each tier need
	uint32_t count[DRAWING_TIERS];
	double x, w;
};

struct placing {
	struct drawing *d;
	struct section *sections;
	uint32_t section_count;
	uint32_t *section_of; // by switch
	double *stacks;       // by switch: the width of the hosts below it
	bool labels;          // some line to a host has a label
};

double
drawing_text_width(const char *text, double size)
{
	double width = 0;

	// A character of UTF-8 has one byte that does not continue another.
	for (; *text != '\0'; text++)
		if (((unsigned char)*text & 0xc0) != 0x80)
			width += strchr(" .,:;|'()[]!/iljtfrI-", *text) != NULL ? 0.36 : 0.62;
	return width * size;
}

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

// ---- sizes --------------------------------------------------------------------------------------

static void
size_box(const struct drawing *d, struct drawing_box *b)
{
	char *text = drawing_box_text(b);
	double width = drawing_text_width(text, LAYOUT_NAME_SIZE);

	free(text);
	if (b->kind == DRAWING_SWITCH) {
		b->w = larger(LAYOUT_SWITCH_LEAST, width + 20);
		b->h = b->rail != 0 ? 44 : 30;
		return;
	}
	b->h = LAYOUT_HOST_HEIGHT;
	if (b->tenant != DRAWING_NONE && b->kind == DRAWING_HOST)
		width += 10 + drawing_text_width(drawing_tenant(d, b->tenant), LAYOUT_SMALL_SIZE);
	if (b->kind == DRAWING_FOLDED) {
		char names[2 * LAYOUT_TEXT];

		layout_folded_names(b, names);
		width = larger(width, drawing_text_width(names, LAYOUT_SMALL_SIZE));
		b->h += LAYOUT_SHARE_HEIGHT;
	}
	for (uint32_t i = 0; i < layout_shares(d, b); i++) {
		char share[LAYOUT_TEXT];

		layout_share_text(d, b, i, share);
		width = larger(width, 14 + drawing_text_width(share, LAYOUT_SMALL_SIZE));
		b->h += LAYOUT_SHARE_HEIGHT;
	}
	b->w = width + 22 < LAYOUT_HOST_MOST ? width + 22 : LAYOUT_HOST_MOST;
}

// Hosts are equally wide: columns of different widths are hard to read.
static void
size_boxes(struct placing *p)
{
	struct drawing *d = p->d;
	double host = 0;

	for (uint32_t b = 0; b < d->box_count; b++)
		size_box(d, &d->boxes[b]);
	for (uint32_t b = d->switch_count; b < d->box_count; b++)
		host = larger(host, d->boxes[b].w);
	for (uint32_t b = d->switch_count; b < d->box_count; b++) {
		d->boxes[b].w = host;
		if (d->boxes[b].leaf != DRAWING_NONE)
			p->stacks[d->boxes[b].leaf] = host;
	}
	for (uint32_t l = 0; l < d->line_count; l++)
		p->labels |= d->boxes[d->lines[l].low].tier == 0 && d->lines[l].label[0] != '\0';
}

// What a switch needs in its row.
static double
slot_width(const struct placing *p, uint32_t n)
{
	double stack = p->stacks[n];

	if (stack != 0)
		stack += LAYOUT_BUS + (p->labels ? LAYOUT_LABEL : 0);
	return larger(p->d->boxes[n].w, stack) + LAYOUT_GAP;
}

// ---- sections -----------------------------------------------------------------------------------

static int
compare_sections(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	if (x->plane != y->plane)
		return x->plane < y->plane ? -1 : 1;
	return x->pod != y->pod ? x->pod < y->pod ? -1 : 1 : 0;
}

// Super-spines belong to all pods of their plane, and have no section.
static bool
in_section(const struct drawing_box *b)
{
	return b->tier != DRAWING_TIERS - 1;
}

static void
make_sections(struct placing *p)
{
	const struct drawing *d = p->d;
	struct section *found;

	p->sections = memory_array(d->switch_count + 1, sizeof(*p->sections), "parts of a drawing");
	for (uint32_t n = 0; n < d->switch_count; n++) {
		const struct section key = {.plane = d->boxes[n].plane, .pod = d->boxes[n].pod};
		bool known = p->section_count != 0 &&
			     compare_sections(&p->sections[p->section_count - 1], &key) == 0;

		if (in_section(&d->boxes[n]) && !known)
			p->sections[p->section_count++] = key;
	}
	if (p->section_count == 0) // super-spines alone
		p->sections[p->section_count++] = (struct section){.plane = d->boxes[0].plane};
	qsort(p->sections, p->section_count, sizeof(*p->sections), compare_sections);
	for (uint32_t i = 1, count = p->section_count, last = 0; i < count; i++) {
		if (compare_sections(&p->sections[last], &p->sections[i]) != 0)
			p->sections[++last] = p->sections[i];
		p->section_count = last + 1;
	}
	for (uint32_t n = 0; n < d->switch_count; n++) {
		const struct section key = {.plane = d->boxes[n].plane, .pod = d->boxes[n].pod};

		if (!in_section(&d->boxes[n]))
			continue;
		found = bsearch(&key, p->sections, p->section_count, sizeof(key), compare_sections);
		p->section_of[n] = (uint32_t)(found - p->sections);
		found->width[d->boxes[n].tier] += slot_width(p, n);
		found->count[d->boxes[n].tier]++;
	}
	for (uint32_t i = 0; i < p->section_count; i++)
		p->sections[i].w = larger(p->sections[i].width[1], p->sections[i].width[2]);
}

// ---- places in a row ----------------------------------------------------------------------------

// Puts boxes that need `need` into a room from x on, with what is left over between them.
struct row {
	double at, extra;
};

static struct row
row_begin(double x, double width, double need, uint32_t count)
{
	return (struct row){x, count != 0 ? (width - need) / count : 0};
}

// The middle of the next box.
static double
row_next(struct row *r, double width)
{
	double middle = r->at + (width + r->extra) / 2;

	r->at += width + r->extra;
	return middle;
}

static void
place_section(struct placing *p, uint32_t number)
{
	struct section *s = &p->sections[number];
	struct row rows[DRAWING_TIERS];

	for (unsigned tier = 0; tier < DRAWING_TIERS; tier++)
		rows[tier] = row_begin(s->x, s->w, s->width[tier], s->count[tier]);
	for (uint32_t n = 0; n < p->d->switch_count; n++) {
		struct drawing_box *b = &p->d->boxes[n];

		if (in_section(b) && p->section_of[n] == number)
			b->x = row_next(&rows[b->tier], slot_width(p, n)) - b->w / 2;
	}
}

// Super-spines of a plane, above its sections. Returns how much they need.
static double
supers_width(const struct placing *p, json_int_t plane, uint32_t *count)
{
	double width = 0;

	*count = 0;
	for (uint32_t n = 0; n < p->d->switch_count; n++)
		if (!in_section(&p->d->boxes[n]) && p->d->boxes[n].plane == plane) {
			width += slot_width(p, n);
			++*count;
		}
	return width;
}

// Places the sections of one plane from x on. Returns where they end.
static double
place_plane(struct placing *p, uint32_t first, uint32_t end, double x)
{
	const json_int_t plane = p->sections[first].plane;
	uint32_t supers;
	double need = supers_width(p, plane, &supers), width = 0, extra;
	struct row row;

	for (uint32_t i = first; i < end; i++)
		width += p->sections[i].w + (i != first ? LAYOUT_POD_GAP : 0);
	extra = need > width ? (need - width) / (end - first) : 0;
	width = larger(width, need);
	row = row_begin(x, width, need, supers);
	for (uint32_t n = 0; n < p->d->switch_count; n++) {
		struct drawing_box *b = &p->d->boxes[n];

		if (!in_section(b) && b->plane == plane)
			b->x = row_next(&row, slot_width(p, n)) - b->w / 2;
	}
	for (uint32_t i = first; i < end; i++) {
		p->sections[i].x = x;
		p->sections[i].w += extra;
		place_section(p, i);
		x += p->sections[i].w + LAYOUT_POD_GAP;
	}
	return x - LAYOUT_POD_GAP;
}

// Places all switches. Returns the width.
static double
place_switches(struct placing *p)
{
	double x = LAYOUT_MARGIN;

	for (uint32_t i = 0; i < p->section_count;) {
		uint32_t end = i;

		while (end < p->section_count && p->sections[end].plane == p->sections[i].plane)
			end++;
		x = place_plane(p, i, end, i == 0 ? x : x + LAYOUT_PLANE_GAP);
		i = end;
	}
	return x + LAYOUT_MARGIN;
}

// ---- rows ---------------------------------------------------------------------------------------

static bool
is_in_row(const struct drawing_box *b)
{
	return b->tier == 0 && b->leaf == DRAWING_NONE;
}

// Hosts in a row of their own.
static void
place_row(struct placing *p, double *width)
{
	struct drawing *d = p->d;
	double need = 0;
	uint32_t count = 0;
	struct row row;

	for (uint32_t b = d->switch_count; b < d->box_count; b++)
		if (is_in_row(&d->boxes[b])) {
			need += d->boxes[b].w + LAYOUT_GAP;
			count++;
		}
	if (need + 2 * LAYOUT_MARGIN > *width) {
		double shift = (need + 2 * LAYOUT_MARGIN - *width) / 2;

		for (uint32_t n = 0; n < d->switch_count; n++)
			d->boxes[n].x += shift;
		*width += 2 * shift;
	}
	row = row_begin(LAYOUT_MARGIN, *width - 2 * LAYOUT_MARGIN, need, count);
	for (uint32_t b = d->switch_count; b < d->box_count; b++)
		if (is_in_row(&d->boxes[b]))
			d->boxes[b].x = row_next(&row, d->boxes[b].w + LAYOUT_GAP) -
					d->boxes[b].w / 2;
}

// Hosts below their leaf. *bottom: of the lowest.
static void
place_stacks(struct placing *p, double *bottom)
{
	struct drawing *d = p->d;
	double *next = memory_array(d->switch_count, sizeof(*next), "hosts below leaves");

	for (uint32_t i = d->switch_count; i < d->box_count; i++) {
		struct drawing_box *b = &d->boxes[i];
		const struct drawing_box *leaf;

		if (b->leaf == DRAWING_NONE)
			continue;
		leaf = &d->boxes[b->leaf];
		if (next[b->leaf] == 0)
			next[b->leaf] = leaf->y + leaf->h + LAYOUT_STACK_GAP;
		b->x = leaf->x + leaf->w / 2 - (b->w - LAYOUT_BUS) / 2 -
		       (p->labels ? LAYOUT_LABEL / 2 : 0);
		b->y = next[b->leaf];
		next[b->leaf] += b->h + 4;
		*bottom = larger(*bottom, b->y + b->h);
	}
	free(next);
}

static void
place_rows(struct placing *p, double width)
{
	struct drawing *d = p->d;
	double heights[DRAWING_TIERS] = {0}, y = LAYOUT_TOP, bottom = 0;
	double gap = larger(80, width * 0.12 < 440 ? width * 0.12 : 440);
	bool planes = p->sections[0].plane != 0, arcs = false;

	for (uint32_t b = 0; b < d->box_count; b++)
		if (d->boxes[b].kind == DRAWING_SWITCH || is_in_row(&d->boxes[b]))
			heights[d->boxes[b].tier] =
				larger(heights[d->boxes[b].tier], d->boxes[b].h);
	y += planes || d->boxes[0].pod != 0 ? LAYOUT_PART_LABEL : 0;
	for (uint32_t l = 0; l < d->line_count; l++)
		arcs |= d->boxes[d->lines[l].low].tier == d->boxes[d->lines[l].high].tier;
	y += arcs ? LAYOUT_ARC : 0;
	for (unsigned tier = DRAWING_TIERS; tier-- > 1;) {
		if (heights[tier] == 0)
			continue;
		for (uint32_t b = 0; b < d->switch_count; b++)
			if (d->boxes[b].tier == tier)
				d->boxes[b].y = y;
		bottom = y + heights[tier];
		y = bottom + gap;
	}
	place_stacks(p, &bottom);
	for (uint32_t b = d->switch_count; b < d->box_count; b++)
		if (is_in_row(&d->boxes[b]))
			d->boxes[b].y = bottom + gap;
	d->height = heights[0] != 0 ? bottom + gap + heights[0] : bottom;
}

void
drawing_place(struct drawing *d)
{
	struct placing p = {.d = d};
	char *title = drawing_title(d);
	double least = 1.15 * drawing_text_width(title, LAYOUT_TITLE_SIZE) + 2 * LAYOUT_MARGIN;

	free(title);
	p.section_of = memory_array(d->box_count, sizeof(*p.section_of), "parts of switches");
	p.stacks = memory_array(d->box_count, sizeof(*p.stacks), "widths of hosts");
	size_boxes(&p);
	make_sections(&p);
	d->width = place_switches(&p);
	if (d->width < least) {
		for (uint32_t n = 0; n < d->switch_count; n++)
			d->boxes[n].x += (least - d->width) / 2;
		d->width = least;
	}
	place_row(&p, &d->width);
	place_rows(&p, d->width);
	free(p.sections);
	free(p.section_of);
	free(p.stacks);
}
