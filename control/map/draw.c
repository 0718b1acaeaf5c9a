// SPDX-License-Identifier: BSD-3-Clause
// What the formats of drawings share: words and colours.
#include "drawing_internal.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <string.h>

static const char *const tiers[DRAWING_TIERS][2] = {
	{"host", "hosts"},
	{"leaf", "leaves"},
	{"spine", "spines"},
	{"super-spine", "super-spines"},
};

static void
print_count(FILE *to, const char *before, uint32_t count, const char *one, const char *many)
{
	if (count != 0)
		fprintf(to, "%s%u %s", before, count, count == 1 ? one : many);
}

char *
drawing_title(const struct drawing *d)
{
	static const unsigned order[] = {1, 2, 3};
	uint32_t counts[DRAWING_TIERS] = {d->hosts};
	const char *before = d->name[0] != '\0' ? ": " : "";
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	for (uint32_t b = 0; b < d->switch_count; b++)
		counts[d->boxes[b].tier]++;
	fputs(d->name, to);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		print_count(to, before, counts[order[i]], tiers[order[i]][0], tiers[order[i]][1]);
		before = counts[order[i]] != 0 ? ", " : before;
	}
	print_count(to, before, counts[0], tiers[0][0], tiers[0][1]);
	fclose(to);
	return text;
}

char *
drawing_usual_text(const struct drawing *d, unsigned tier)
{
	const struct drawing_usual *u = &d->usual[tier];
	uint32_t links = u->links - u->others;
	char rate[TEXT_VALUE_MAX], each[40] = "", others[40] = "";

	if (u->links == 0)
		return NULL;
	if (tier != 0 && u->count > 1)
		snprintf(each, sizeof(each), ", %u between each two", u->count);
	if (u->others != 0)
		snprintf(others, sizeof(others), ", %u of another rate", u->others);
	return memory_format("%s to %s: %u %s of %s%s%s", tiers[tier][0], tiers[u->high][0], links,
			     links == 1 ? "link" : "links", text_rate(rate, u->rate_bps), each,
			     others);
}

char *
drawing_box_text(const struct drawing_box *b)
{
	if (b->kind == DRAWING_FOLDED)
		return memory_format("%u hosts", b->hosts);
	return memory_text(b->name);
}

const char *
drawing_tenant(const struct drawing *d, uint32_t tenant)
{
	return tenant != DRAWING_NONE ? d->tenants[tenant] : "no tenant";
}

const char *
drawing_colour(uint32_t tenant)
{
	// Those of control/web/page/src/palette.js on a light ground: all readers can tell them
	// apart.
	static const char *const colours[DRAWING_COLOURS] = {
		"#2f8fd0", "#d98f00", "#009e73", "#b3a600",
		"#0b4f9c", "#7a5ac2", "#6d7a12", "#9a6b3c",
	};

	return tenant != DRAWING_NONE ? colours[tenant % DRAWING_COLOURS] : "#b4bfcb";
}

int
map_draw(const json_t *description, enum map_format format, FILE *to, struct diag *diag)
{
	struct drawing d;
	int rc = drawing_read(&d, description, diag);

	if (rc == 0 && format == MAP_SVG)
		drawing_svg(&d, to);
	else if (rc == 0 && format == MAP_DOT)
		drawing_dot(&d, to);
	else if (rc == 0)
		drawing_mermaid(&d, to);
	rc = rc == 0 ? (int)d.line_count : rc;
	drawing_free(&d);
	return rc;
}
