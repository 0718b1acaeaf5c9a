// SPDX-License-Identifier: BSD-3-Clause
// SVG 1.1. Every box and line has a title, which browsers show when the mouse points at it.
#include "svg_internal.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <stdlib.h>
#include <string.h>

// ---- texts --------------------------------------------------------------------------------------

// XML 1.0 has no control characters, nor U+FFFE and U+FFFF, not even as references.
void
svg_put(FILE *to, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
		if (*c == '<')
			fputs("&lt;", to);
		else if (*c == '>')
			fputs("&gt;", to);
		else if (*c == '&')
			fputs("&amp;", to);
		else if (*c == '"')
			fputs("&quot;", to);
		else if (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe) {
			fputc('?', to);
			c += 2;
		} else
			fputc(*c < ' ' || *c == 0x7f ? ' ' : *c, to);
	}
}

static size_t
characters(const char *text)
{
	size_t count = 0;

	for (; *text != '\0'; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

// Where the text's character of that number begins.
static const char *
skip_characters(const char *text, size_t count)
{
	while (*text != '\0' && count > 0) {
		text++;
		count -= ((unsigned char)*text & 0xc0) != 0x80;
	}
	return text;
}

// A text of a size that fits, without its middle if it is too long: a name's end tells it from
// others.
void
svg_put_fitting(FILE *to, const char *text, double size, double width)
{
	size_t keep = (size_t)(width > 3 * size ? width / (0.62 * size) : 4) - 1;
	size_t count = characters(text);
	char *head;

	if (drawing_text_width(text, size) <= width || count <= keep + 1) {
		svg_put(to, text);
		return;
	}
	head = memory_text_part(text, (size_t)(skip_characters(text, keep - keep / 2) - text));
	svg_put(to, head);
	fputs("\u2026", to);
	svg_put(to, skip_characters(text, count - keep / 2));
	free(head);
}

uint32_t
layout_shares(const struct drawing *d, const struct drawing_box *b)
{
	if (d->tenant_count == 0)
		return 0;
	return b->share_count < LAYOUT_SHARES ? b->share_count : LAYOUT_SHARES;
}

void
layout_share_text(const struct drawing *d, const struct drawing_box *b, uint32_t i,
		  char text[static LAYOUT_TEXT])
{
	uint32_t hosts = 0;

	if (i + 1 < LAYOUT_SHARES || b->share_count <= LAYOUT_SHARES) {
		snprintf(text, LAYOUT_TEXT, "%u %s", b->shares[i].hosts,
			 drawing_tenant(d, b->shares[i].tenant));
	} else {
		for (uint32_t k = i; k < b->share_count; k++)
			hosts += b->shares[k].hosts;
		snprintf(text, LAYOUT_TEXT, "%u of %u other tenants", hosts, b->share_count - i);
	}
	utf8_end(text, strlen(text));
}

void
layout_folded_names(const struct drawing_box *b, char text[static 2 * LAYOUT_TEXT])
{
	snprintf(text, 2 * LAYOUT_TEXT, "%.90s-%.90s", b->first, b->last);
	utf8_repair(text);
}

// ---- boxes --------------------------------------------------------------------------------------

static void
put_text(FILE *to, const char *class, double x, double y)
{
	fprintf(to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
}

static void
put_rect(FILE *to, const struct drawing_box *b, const char *class)
{
	fprintf(to,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"rx=\"4\"/>\n",
		class, b->x, b->y, b->w, b->h);
}

static void
put_switch(const struct drawing_box *b, FILE *to)
{
	fputs("<g><title>", to);
	svg_put(to, b->name);
	if (b->plane != 0)
		fprintf(to, ", plane %lld", (long long)b->plane);
	if (b->pod != 0)
		fprintf(to, ", pod %lld", (long long)b->pod);
	if (b->rail != 0)
		fprintf(to, ", rail %lld", (long long)b->rail);
	fputs("</title>", to);
	put_rect(to, b, "switch");
	put_text(to, "name middle", b->x + b->w / 2, b->y + 20);
	svg_put(to, b->name);
	fputs("</text>", to);
	if (b->rail != 0) {
		put_text(to, "small middle", b->x + b->w / 2, b->y + 36);
		fprintf(to, "rail %lld</text>", (long long)b->rail);
	}
	fputs("</g>\n", to);
}

static void
put_host(const struct drawing *d, const struct drawing_box *b, FILE *to)
{
	double room = b->w - 20, tenant = 0;

	fputs("<g><title>", to);
	svg_put(to, b->name);
	if (b->address != NULL && b->address[0] != '\0') {
		fputs(", ", to);
		svg_put(to, b->address);
	}
	if (b->tenant != DRAWING_NONE) {
		fputs(", tenant ", to);
		svg_put(to, drawing_tenant(d, b->tenant));
	}
	if (b->is != NULL && b->is[0] != '\0') {
		fputs(", ", to);
		svg_put(to, b->is);
	}
	fputs("</title>", to);
	put_rect(to, b, b->attached ? "host attached" : "host");
	if (b->tenant != DRAWING_NONE) {
		const char *name = drawing_tenant(d, b->tenant);

		fprintf(to,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"%.1f\" fill=\"%s\"/>\n",
			b->x + 1.5, b->y + 1.5, b->h - 3, drawing_colour(b->tenant));
		tenant = drawing_text_width(name, LAYOUT_SMALL_SIZE);
		tenant = tenant < room / 2 ? tenant : room / 2;
		put_text(to, "small end", b->x + b->w - 6, b->y + 15.5);
		svg_put_fitting(to, name, LAYOUT_SMALL_SIZE, tenant);
		fputs("</text>", to);
	}
	put_text(to, "name", b->x + 13, b->y + 16);
	svg_put_fitting(to, b->name, LAYOUT_NAME_SIZE, room - tenant);
	fputs("</text></g>\n", to);
}

static void
put_folded(const struct drawing *d, const struct drawing_box *b, FILE *to)
{
	char *text = drawing_box_text(b), share[LAYOUT_TEXT], names[2 * LAYOUT_TEXT];
	double y = b->y + LAYOUT_HOST_HEIGHT;

	layout_folded_names(b, names);
	fputs("<g><title>", to);
	svg_put(to, names);
	fputs("</title>", to);
	put_rect(to, b, b->attached ? "host attached" : "host");
	put_text(to, "name", b->x + 10, b->y + 16);
	fprintf(to, "%s</text>", text);
	put_text(to, "small", b->x + 10, y + 11);
	svg_put_fitting(to, names, LAYOUT_SMALL_SIZE, b->w - 18);
	fputs("</text>", to);
	for (uint32_t i = 0; i < layout_shares(d, b); i++) {
		bool several = i + 1 == LAYOUT_SHARES && b->share_count > LAYOUT_SHARES;

		y += LAYOUT_SHARE_HEIGHT;
		fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\" fill=\"%s\"/>\n",
			b->x + 10, y + 2.5,
			drawing_colour(several ? DRAWING_NONE : b->shares[i].tenant));
		put_text(to, "small", b->x + 24, y + 11);
		layout_share_text(d, b, i, share);
		svg_put_fitting(to, share, LAYOUT_SMALL_SIZE, b->w - 32);
		fputs("</text>", to);
	}
	fputs("</g>\n", to);
	free(text);
}

// ---- planes and pods ----------------------------------------------------------------------------

struct part {
	json_int_t plane, pod;
	double x0, y0, x1, y1;
};

static void
widen(struct part *part, const struct drawing_box *b)
{
	part->x0 = b->x < part->x0 ? b->x : part->x0;
	part->y0 = b->y < part->y0 ? b->y : part->y0;
	part->x1 = b->x + b->w > part->x1 ? b->x + b->w : part->x1;
	part->y1 = b->y + b->h > part->y1 ? b->y + b->h : part->y1;
}

// Of a pod if there are pods, else of a plane. false: the switch is in neither.
static bool
part_of(const struct drawing_box *b, bool pods, json_int_t *plane, json_int_t *pod)
{
	*plane = b->plane;
	*pod = pods ? b->pod : 0;
	return pods ? b->pod != 0 : b->plane != 0;
}

static void
put_part(const struct part *part, bool pods, FILE *to)
{
	fprintf(to,
		"<rect class=\"part\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"rx=\"8\"/>\n",
		part->x0 - 10, part->y0 - 26, part->x1 - part->x0 + 20, part->y1 - part->y0 + 36);
	put_text(to, "small", part->x0 - 2, part->y0 - 10);
	fprintf(to, "%s %lld</text>\n", pods ? "pod" : "plane",
		(long long)(pods ? part->pod : part->plane));
}

// The grounds of pods (pods) or planes.
static void
put_parts(const struct drawing *d, bool pods, FILE *to)
{
	struct part *parts = memory_array(d->switch_count, sizeof(*parts), "parts of a drawing");
	uint32_t count = 0;

	for (uint32_t n = 0; n < d->box_count; n++) {
		const struct drawing_box *b = &d->boxes[n];
		const struct drawing_box *at = b->leaf != DRAWING_NONE ? &d->boxes[b->leaf] : b;
		json_int_t plane, pod;
		uint32_t i = 0;

		if (at->tier == 0 || !part_of(at, pods, &plane, &pod))
			continue;
		while (i < count && (parts[i].plane != plane || parts[i].pod != pod))
			i++;
		if (i == count)
			parts[count++] =
				(struct part){plane, pod, b->x, b->y, b->x + b->w, b->y + b->h};
		widen(&parts[i], b);
	}
	for (uint32_t i = 0; i < count; i++)
		put_part(&parts[i], pods, to);
	free(parts);
}

// ---- all of it ----------------------------------------------------------------------------------

static void
put_boxes(const struct drawing *d, FILE *to)
{
	for (uint32_t b = 0; b < d->box_count; b++) {
		const struct drawing_box *box = &d->boxes[b];

		if (box->kind == DRAWING_SWITCH)
			put_switch(box, to);
		else if (box->kind == DRAWING_HOST)
			put_host(d, box, to);
		else
			put_folded(d, box, to);
	}
}

static void
put_style(FILE *to)
{
	fprintf(to,
		"<style>"
		"text{font-family:system-ui,'DejaVu Sans',sans-serif;fill:#17202b}"
		".title{font-size:%.0fpx;font-weight:600}"
		".name{font-size:%.0fpx}.small{font-size:%.0fpx;fill:#465361}"
		".middle{text-anchor:middle}.end{text-anchor:end}"
		".label{font-size:10px;text-anchor:middle;stroke:#fff;stroke-width:3px;"
		"paint-order:stroke}.beside{text-anchor:start}"
		".part{fill:#f5f7fa;stroke:#dbe1e8}"
		".switch{fill:#e6ebf1;stroke:#5d6b7a}"
		".host{fill:#fff;stroke:#b4bfcb}.attached{stroke:#17202b;stroke-width:2}"
		".line{fill:none;stroke:#8895a3}.differs{stroke:#17202b;stroke-width:2}"
		".down{stroke:#c9450a;stroke-width:2;stroke-dasharray:6 4}"
		"</style>\n",
		LAYOUT_TITLE_SIZE, LAYOUT_NAME_SIZE, LAYOUT_SMALL_SIZE);
}

void
drawing_svg(struct drawing *d, FILE *to)
{
	char *title = drawing_title(d), *legend, *lines;
	size_t size;
	FILE *part;

	drawing_place(d);
	part = memory_stream_open(&lines, &size);
	svg_put_lines(d, part);
	fclose(part);
	part = memory_stream_open(&legend, &size);
	d->height = svg_put_legend(d, part);
	fclose(part);
	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\">\n<title>",
		d->width, d->height, d->width, d->height);
	svg_put(to, title);
	fputs("</title>\n", to);
	put_style(to);
	fprintf(to, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", d->width, d->height);
	put_text(to, "title", LAYOUT_MARGIN, 34);
	svg_put(to, title);
	fputs("</text>\n", to);
	put_parts(d, d->usual[2].links != 0 && d->boxes[0].pod != 0, to);
	fputs(lines, to);
	put_boxes(d, to);
	fputs(legend, to);
	fputs("</svg>\n", to);
	free(title);
	free(lines);
	free(legend);
}
