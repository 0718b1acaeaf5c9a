// SPDX-License-Identifier: BSD-3-Clause
// A flowchart of Mermaid (https://mermaid.js.org/syntax/flowchart.html), in the part of its syntax
// that all versions read alike. Nodes have numbers for names; in labels, everything but letters,
// digits and a few signs is written as an entity code.
#include "drawing_internal.h"

#include "control/base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The next character of a text in UTF-8, which jansson has checked.
static uint32_t
next_character(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	unsigned more = at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : at[0] >= 0xc0 ? 1 : 0;
	uint32_t out = more == 0 ? at[0] : at[0] & (0x3fu >> more);

	for (unsigned i = 1; i <= more; i++)
		out = out << 6 | (at[i] & 0x3f);
	*text += more + 1;
	return out;
}

static void
put_text(FILE *to, const char *text)
{
	while (*text != '\0') {
		uint32_t c = next_character(&text);

		if (c < 0x80 && (isalnum((int)c) || strchr(" .,:/_-", (int)c) != NULL))
			fputc((int)c, to);
		else if (c < ' ' || c == 0x7f)
			fputc(' ', to);
		else
			fprintf(to, "#%u;", c);
	}
}

static void
put_box(const struct drawing *d, uint32_t number, FILE *to)
{
	const struct drawing_box *b = &d->boxes[number];
	char *text = drawing_box_text(b);

	fprintf(to, "    n%u[\"", number);
	put_text(to, text);
	free(text);
	if (b->rail != 0)
		fprintf(to, "<br/>rail %lld", (long long)b->rail);
	if (b->kind == DRAWING_HOST && b->tenant != DRAWING_NONE) {
		fputs("<br/>", to);
		put_text(to, drawing_tenant(d, b->tenant));
	}
	for (uint32_t i = 0; i < b->share_count && d->tenant_count != 0; i++) {
		fprintf(to, "<br/>%u ", b->shares[i].hosts);
		put_text(to, drawing_tenant(d, b->shares[i].tenant));
	}
	fputs("\"]\n", to);
}

static void
put_line(const struct drawing_line *l, FILE *to)
{
	fprintf(to, "    n%u %s", l->high, l->down ? "-.-" : "---");
	if (l->label[0] != '\0') {
		fputs("|\"", to);
		put_text(to, l->label);
		fputs("\"|", to);
	}
	fprintf(to, " n%u\n", l->low);
}

static void
put_classes(const struct drawing *d, FILE *to)
{
	for (uint32_t t = 0; t < d->tenant_count; t++) {
		const char *before = "    class ";

		for (uint32_t b = d->switch_count; b < d->box_count; b++) {
			if (d->boxes[b].kind != DRAWING_HOST || d->boxes[b].tenant != t)
				continue;
			fprintf(to, "%sn%u", before, b);
			before = ",";
		}
		if (before[0] == ',')
			fprintf(to, " t%u\n    classDef t%u stroke:%s,stroke-width:3px\n", t, t,
				drawing_colour(t));
	}
}

void
drawing_mermaid(const struct drawing *d, FILE *to)
{
	char *title = drawing_title(d);

	fputs("flowchart TB\n    %% ", to);
	put_text(to, title);
	fputs("\n", to);
	free(title);
	for (unsigned tier = 0; tier < DRAWING_TIERS; tier++) {
		char *text = drawing_usual_text(d, tier);

		if (text != NULL)
			fprintf(to, "    %%%% %s\n", text);
		free(text);
	}
	for (unsigned tier = DRAWING_TIERS; tier-- > 0;)
		for (uint32_t b = 0; b < d->box_count; b++)
			if (d->boxes[b].tier == tier)
				put_box(d, b, to);
	for (uint32_t l = 0; l < d->line_count; l++)
		put_line(&d->lines[l], to);
	put_classes(d, to);
}
