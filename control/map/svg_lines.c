// SPDX-License-Identifier: BSD-3-Clause
// The lines of a drawing in SVG, and its legend.
#include "svg_internal.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <stdlib.h>

// Where a line meets a box. Those that lead up leave by the upper edge; lines of one edge stand in
// the order of their far ends, so that few cross.
struct end {
	uint32_t box;
	bool up;
	double far; // the middle of the other box
	uint32_t line;
	bool high; // the line's higher end
	double x;
};

static double
middle(const struct drawing_box *b)
{
	return b->x + b->w / 2;
}

static bool
is_stacked(const struct drawing *d, const struct drawing_line *l)
{
	return d->boxes[l->low].leaf != DRAWING_NONE;
}

static int
compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->box != y->box)
		return x->box < y->box ? -1 : 1;
	if (x->up != y->up)
		return x->up ? -1 : 1;
	if (x->far != y->far)
		return x->far < y->far ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->high - y->high;
}

// Writes where the ends of each line are: that of line i's lower end to xs[2 * i], that of its
// higher end behind it.
static void
spread_ends(const struct drawing *d, double *xs)
{
	struct end *ends = memory_array(2 * (size_t)d->line_count, sizeof(*ends), "ends of lines");
	size_t count = 0;

	for (uint32_t i = 0; i < d->line_count; i++) {
		const struct drawing_line *l = &d->lines[i];
		const struct drawing_box *low = &d->boxes[l->low], *high = &d->boxes[l->high];

		if (is_stacked(d, l))
			continue;
		ends[count++] = (struct end){l->low, true, middle(high), i, false, 0};
		ends[count++] = (struct end){l->high, high->y == low->y, middle(low), i, true, 0};
	}
	if (count != 0)
		qsort(ends, count, sizeof(*ends), compare_ends);
	for (size_t first = 0, end; first < count; first = end) {
		const struct drawing_box *b = &d->boxes[ends[first].box];

		for (end = first; end < count && ends[end].box == ends[first].box &&
				  ends[end].up == ends[first].up;
		     end++)
			;
		for (size_t i = first; i < end; i++)
			xs[2 * (size_t)ends[i].line + ends[i].high] =
				b->x + 6 +
				(b->w - 12) * ((double)(i - first) + 0.5) / (double)(end - first);
	}
	free(ends);
}

// ---- lines --------------------------------------------------------------------------------------

static const char *
class_of(const struct drawing *d, const struct drawing_line *l)
{
	if (l->down)
		return "line down";
	return l->rate_bps != d->usual[d->boxes[l->low].tier].rate_bps ? "line differs" : "line";
}

static void
put_title(const struct drawing_line *l, FILE *to)
{
	char rate[TEXT_VALUE_MAX], delay[TEXT_VALUE_MAX];

	fputs("<title>", to);
	svg_put(to, l->link);
	if (l->count > 1)
		fprintf(to, " and %u more", l->count - 1);
	fprintf(to, ": %s, delay %s%s</title>", text_rate(rate, l->rate_bps),
		text_duration(delay, l->delay_ps), l->down ? ", down" : "");
}

static void
put_label(const struct drawing_line *l, const char *class, double x, double y, FILE *to)
{
	if (l->label[0] == '\0')
		return;
	fprintf(to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", class, x, y, l->label);
}

// Hosts below a leaf share a line, of which each draws the part up to itself.
static void
put_stacked(const struct drawing *d, const struct drawing_line *l, FILE *to)
{
	const struct drawing_box *host = &d->boxes[l->low], *leaf = &d->boxes[l->high];
	double y = host->y + LAYOUT_HOST_HEIGHT / 2, x = host->x - LAYOUT_BUS;

	fputs("<g>", to);
	put_title(l, to);
	fprintf(to, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", class_of(d, l), x, y, host->x);
	put_label(l, "label beside", host->x + host->w + 4, y + 4, to);
	fputs("</g>\n", to);
	fprintf(to, "<path class=\"line\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\"/>\n", middle(leaf),
		leaf->y + leaf->h, leaf->y + leaf->h + 10, x, y);
}

static void
put_line(const struct drawing *d, const struct drawing_line *l, const double xs[2], FILE *to)
{
	const struct drawing_box *low = &d->boxes[l->low], *high = &d->boxes[l->high];
	double y = high->y + high->h;

	fputs("<g>", to);
	put_title(l, to);
	if (high->y == low->y) {
		double rise = 24 + 0.1 * (xs[1] > xs[0] ? xs[1] - xs[0] : xs[0] - xs[1]);

		rise = rise < 60 ? rise : 60;
		fprintf(to, "<path class=\"%s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>",
			class_of(d, l), xs[0], low->y, xs[0], low->y - rise, xs[1], low->y - rise,
			xs[1], low->y);
		put_label(l, "label", (xs[0] + xs[1]) / 2, low->y - 0.75 * rise + 3, to);
	} else {
		fprintf(to, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>", class_of(d, l),
			xs[0], low->y, xs[1], y);
		put_label(l, "label", xs[0] + 0.3 * (xs[1] - xs[0]),
			  low->y + 0.3 * (y - low->y) + 3, to);
	}
	fputs("</g>\n", to);
}

// Those that are like most stand below the others.
void
svg_put_lines(const struct drawing *d, FILE *to)
{
	double *xs = memory_array(2 * (size_t)d->line_count, sizeof(*xs), "ends of lines");

	spread_ends(d, xs);
	for (int differs = 0; differs < 2; differs++) {
		fprintf(to, "<g stroke-opacity=\"%s\">\n",
			differs == 0 && d->line_count > 200 ? "0.6" : "1");
		for (uint32_t i = 0; i < d->line_count; i++) {
			const struct drawing_line *l = &d->lines[i];
			bool plain = !l->down && l->label[0] == '\0' &&
				     l->rate_bps == d->usual[d->boxes[l->low].tier].rate_bps;

			if (plain != (differs == 0))
				continue;
			if (is_stacked(d, l))
				put_stacked(d, l, to);
			else
				put_line(d, l, &xs[2 * (size_t)i], to);
		}
		fputs("</g>\n", to);
	}
	free(xs);
}

// ---- legend -------------------------------------------------------------------------------------

struct legend {
	const struct drawing *d;
	FILE *to;
	double x, y;
};

// Makes room for an item of that width. Returns where it begins.
static double
next_item(struct legend *g, double width)
{
	double x = g->x;

	if (x > LAYOUT_MARGIN && x + width > g->d->width - LAYOUT_MARGIN) {
		x = LAYOUT_MARGIN;
		g->y += 20;
	}
	g->x = x + width + 20;
	return x;
}

static void
put_item(struct legend *g, const char *shape, const char *text)
{
	double x = next_item(g, 24 + drawing_text_width(text, LAYOUT_SMALL_SIZE));

	fprintf(g->to,
		"<g transform=\"translate(%.1f %.1f)\">%s<text class=\"small\" x=\"20\" y=\"10\">",
		x, g->y, shape);
	svg_put(g->to, text);
	fputs("</text></g>\n", g->to);
}

static void
put_tenants(struct legend *g)
{
	for (uint32_t t = 0; t < g->d->tenant_count; t++) {
		char shape[80], *text;

		if (g->d->tenants[t] == NULL || g->d->tenant_hosts[t] == 0)
			continue;
		snprintf(shape, sizeof(shape),
			 "<rect x=\"4\" y=\"1\" width=\"11\" height=\"11\" fill=\"%s\"/>",
			 drawing_colour(t));
		text = memory_format("%s: %u %s", g->d->tenants[t], g->d->tenant_hosts[t],
				     g->d->tenant_hosts[t] == 1 ? "host" : "hosts");
		put_item(g, shape, text);
		free(text);
	}
}

double
svg_put_legend(const struct drawing *d, FILE *to)
{
	struct legend g = {d, to, LAYOUT_MARGIN, d->height + 28};

	put_tenants(&g);
	if (d->attached)
		put_item(&g,
			 "<rect class=\"host attached\" x=\"2\" y=\"1\" width=\"14\" "
			 "height=\"11\" rx=\"2\"/>",
			 "attached, not simulated");
	if (d->down != 0)
		put_item(&g, "<path class=\"line down\" d=\"M0 7H18\"/>", "down");
	for (unsigned tier = 0; tier < DRAWING_TIERS; tier++) {
		char *text = drawing_usual_text(d, tier);

		if (text != NULL)
			put_item(&g, "<path class=\"line\" d=\"M0 7H18\"/>", text);
		free(text);
	}
	return g.x > LAYOUT_MARGIN ? g.y + 32 : d->height + LAYOUT_MARGIN;
}
