// SPDX-License-Identifier: BSD-3-Clause
// The DOT language of Graphviz (https://graphviz.org/doc/info/lang.html). Nodes have numbers for
// names, so that only labels hold text of others.
#include "drawing_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>

// In a quoted string: a quote ends it, a backslash begins an escape, and an ampersand an entity of
// HTML. Control characters become blanks.
static void
put_text(FILE *to, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else if (*text == '&')
			fputs("&amp;", to);
		else
			fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, to);
	}
}

static void
put_box(const struct drawing *d, uint32_t number, const char *indent, FILE *to)
{
	const struct drawing_box *b = &d->boxes[number];
	char *text = drawing_box_text(b);

	fprintf(to, "%sn%u [label=\"", indent, number);
	put_text(to, text);
	free(text);
	if (b->rail != 0)
		fprintf(to, "\\nrail %lld", (long long)b->rail);
	if (b->kind == DRAWING_HOST && b->tenant != DRAWING_NONE) {
		fputs("\\n", to);
		put_text(to, drawing_tenant(d, b->tenant));
	}
	for (uint32_t i = 0; i < b->share_count && d->tenant_count != 0; i++) {
		fprintf(to, "\\n%u ", b->shares[i].hosts);
		put_text(to, drawing_tenant(d, b->shares[i].tenant));
	}
	fputs("\"", to);
	if (b->kind == DRAWING_SWITCH)
		fputs(", style=\"filled,rounded\", fillcolor=\"#eef1f5\"", to);
	else if (b->kind == DRAWING_HOST && b->tenant != DRAWING_NONE)
		fprintf(to, ", color=\"%s\", penwidth=3", drawing_colour(b->tenant));
	if (b->attached)
		fputs(", peripheries=2", to);
	fputs("];\n", to);
}

// Graphviz would order a row as few lines cross; edges that it does not draw keep ours.
static void
put_order(const struct drawing *d, unsigned tier, FILE *to)
{
	const char *before = "    ";

	for (uint32_t b = 0; b < d->box_count; b++) {
		if (d->boxes[b].tier != tier)
			continue;
		fprintf(to, "%sn%u", before, b);
		before = " -- ";
	}
	fputs(" [style=invis];\n", to);
}

static void
put_tier(const struct drawing *d, unsigned tier, FILE *to)
{
	uint32_t count = 0;

	for (uint32_t b = 0; b < d->box_count; b++) {
		if (d->boxes[b].tier != tier)
			continue;
		if (count++ == 0)
			fputs("  {\n    rank=same;\n", to);
		put_box(d, b, "    ", to);
	}
	if (count > 1)
		put_order(d, tier, to);
	if (count != 0)
		fputs("  }\n", to);
}

// Lines go down: Graphviz puts the first end above the second.
static void
put_line(const struct drawing_line *l, FILE *to)
{
	const char *before = " [";

	fprintf(to, "  n%u -- n%u", l->high, l->low);
	if (l->label[0] != '\0') {
		fprintf(to, "%slabel=\"", before);
		put_text(to, l->label);
		fputs("\"", to);
		before = ", ";
	}
	if (l->down) {
		fprintf(to, "%sstyle=dashed, color=\"#c9450a\"", before);
		before = ", ";
	}
	fprintf(to, "%s\n", before[0] == ',' ? "];" : ";");
}

void
drawing_dot(const struct drawing *d, FILE *to)
{
	char *title = drawing_title(d);

	fputs("graph {\n  label=\"", to);
	put_text(to, title);
	for (unsigned tier = 0; tier < DRAWING_TIERS; tier++) {
		char *text = drawing_usual_text(d, tier);

		if (text != NULL)
			fprintf(to, "\\n%s", text);
		free(text);
	}
	fputs("\";\n  labelloc=t;\n  ranksep=1.2;\n  fontname=\"sans-serif\";\n"
	      "  node [shape=box, fontname=\"sans-serif\"];\n"
	      "  edge [fontname=\"sans-serif\", fontsize=10];\n",
	      to);
	for (unsigned tier = DRAWING_TIERS; tier-- > 0;)
		put_tier(d, tier, to);
	for (uint32_t l = 0; l < d->line_count; l++)
		put_line(&d->lines[l], to);
	fputs("}\n", to);
	free(title);
}
