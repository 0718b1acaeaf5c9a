// SPDX-License-Identifier: BSD-3-Clause
#include "link_findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
same_pos(struct diag_pos a, struct diag_pos b)
{
	return a.line == b.line && a.column == b.column;
}

void
link_findings_note(struct link_findings *all, uint32_t link, struct diag_pos pos,
		   const char *format, ...)
{
	struct link_finding one = {.pos = pos, .link = link}, *grown;
	va_list args;

	va_start(args, format);
	vsnprintf(one.text, sizeof(one.text), format, args);
	va_end(args);
	for (uint32_t i = 0; i < all->count; i++) {
		struct link_finding *known = &all->items[i];

		if (same_pos(known->pos, pos) && strcmp(known->text, one.text) == 0) {
			known->others++;
			return;
		}
	}
	grown = realloc(all->items, (all->count + 1) * sizeof(*grown));
	if (grown == NULL) {
		all->error = -ENOMEM;
		return;
	}
	all->items = grown;
	grown[all->count++] = one;
}

int
link_findings_report(struct link_findings *all, struct diag *diag)
{
	char name[TOPOLOGY_NAME_MAX], others[ADVICE_OTHERS];

	for (uint32_t i = 0; all->error == 0 && i < all->count; i++)
		diag_warning(diag, all->f->config->file, all->items[i].pos, "qos",
			     "on the link %s%s %s",
			     topology_link_name(all->f->topology, all->items[i].link, name),
			     advice_others(all->items[i].others, "link", "links", others),
			     all->items[i].text);
	free(all->items);
	return all->error;
}

const char *
link_findings_role(const struct fabric *f, uint32_t node)
{
	return config_role_name(f->topology->nodes[node].role);
}
