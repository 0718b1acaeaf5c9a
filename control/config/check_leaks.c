// SPDX-License-Identifier: BSD-3-Clause
// Leaks between tenants. A leak is mutual, so only one of the two tenants declares it, and the
// declarations must not form a loop: in a loop, each tenant would depend on the others. An
// out-of-band network has no leaks.
#include "merge.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX
#define LOOP_NAMES 8 // shown of a loop

// A leak of the file: tenants[from].leak.items[item] leads to tenants[to].
struct leak {
	uint32_t from, to; // to: tenant_count is `rest`, unwritten; NOWHERE
	const struct config_name *name;
};

struct leaks {
	const struct config *config;
	struct diag *diag;
	struct leak *all; // in the order of the file
	uint32_t count;
	bool *left; // by tenant: may be part of a loop
};

static void
leak_error(const struct leaks *l, const struct leak *leak, const char *what, const char *more)
{
	char key[CONFIG_NAME_MAX + 32];

	snprintf(key, sizeof(key), "tenants.%s.leak", l->config->tenants[leak->from].name.text);
	diag_error(l->diag, l->config->file, leak->name->pos, key, "%s%s", what, more);
}

static uint32_t
find_target(const struct config *config, const char *name)
{
	const struct config_tenant *found = config_find_tenant(config, name);

	if (found != NULL)
		return (uint32_t)(found - config->tenants);
	return strcmp(name, CONFIG_REST) == 0 && config->fabric.topology != CONFIG_TOPOLOGY_SINGLE
		       ? config->tenant_count
		       : NOWHERE;
}

static void
report_unknown(const struct leaks *l, const struct leak *leak)
{
	const struct config *config = l->config;
	unsigned count = config->tenant_count;
	const char **names = memory_array(count + 1u, sizeof(*names), "names of tenants");
	char hint[80], what[160];

	for (unsigned i = 0; i < count; i++)
		names[i] = config->tenants[i].name.text;
	names[count++] = CONFIG_REST;
	decode_hint(hint, leak->name->text, names, count);
	snprintf(what, sizeof(what), "there is no tenant %.64s", leak->name->text);
	leak_error(l, leak, what, hint);
	free(names);
}

static bool
is_apart(const struct config *config, uint32_t tenant)
{
	return tenant < config->tenant_count &&
	       config->tenants[tenant].network == CONFIG_NETWORK_OUT_OF_BAND;
}

// One leak by itself.
static void
check_leak(const struct leaks *l, const struct leak *leak)
{
	if (leak->to == NOWHERE)
		report_unknown(l, leak);
	else if (leak->to == leak->from)
		leak_error(l, leak, "a tenant's routes are its own already: leave it out", "");
	else if (is_apart(l->config, leak->from) || is_apart(l->config, leak->to))
		leak_error(l, leak,
			   is_apart(l->config, leak->from)
				   ? l->config->tenants[leak->from].name.text
				   : leak->name->text,
			   " is an out-of-band network: it stands apart and leaks nothing");
}

// Takes away tenants none of whose leaks leads to one that is left, until all that are left lead
// into a loop.
static void
peel(const struct leaks *l)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t t = 0, i = 0; t < l->config->tenant_count; t++) {
			bool leads = false;

			for (; i < l->count && l->all[i].from == t; i++)
				leads |= l->all[i].to != NOWHERE && l->all[i].to != t &&
					 l->left[l->all[i].to];
			changed |= l->left[t] && !leads;
			l->left[t] &= leads;
		}
	}
}

// The first leak of a tenant that leads to one that is left.
static const struct leak *
step_of(const struct leaks *l, uint32_t tenant)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (l->all[i].from == tenant && l->all[i].to != NOWHERE && l->all[i].to != tenant &&
		    l->left[l->all[i].to])
			return &l->all[i];
	return NULL;
}

// Says which tenants a loop goes through, beginning with `start`, one of them, and takes them away.
static void
report_loop(const struct leaks *l, uint32_t start)
{
	const struct leak *first = step_of(l, start);
	char text[(LOOP_NAMES + 2) * (CONFIG_NAME_MAX + 4) + 64];
	uint32_t at = start;
	unsigned count = 0;
	size_t used = 0;

	do {
		if (count < LOOP_NAMES)
			used += (size_t)sprintf(text + used, "%s -> ",
						l->config->tenants[at].name.text);
		else if (count == LOOP_NAMES)
			used += (size_t)sprintf(text + used, "... -> ");
		count++;
		at = step_of(l, at)->to;
	} while (at != start);
	snprintf(text + used, sizeof(text) - used, "%s%s", l->config->tenants[start].name.text,
		 count == 2 ? ": a leak is mutual, one of the two declares it" : "");
	leak_error(l, first, "loop of leaks: ", text);
}

static void
check_loops(const struct leaks *l)
{
	uint32_t tenants = l->config->tenant_count;
	uint32_t *seen = memory_array(tenants, sizeof(*seen), "tenants");

	for (uint32_t t = 0; t < tenants; t++)
		l->left[t] = true;
	for (uint32_t start = 0; start < tenants; start++) {
		uint32_t at = start, least;

		peel(l);
		if (!l->left[start])
			continue;
		// Whatever is left leads into a loop: walk until one comes again.
		for (; seen[at] != start + 1; at = step_of(l, at)->to)
			seen[at] = start + 1;
		least = at;
		for (uint32_t next = step_of(l, at)->to; next != at; next = step_of(l, next)->to)
			least = next < least ? next : least;
		report_loop(l, least);
		l->left[least] = false;
	}
	free(seen);
}

void
check_leaks(const struct config *config, struct diag *diag)
{
	struct leaks l = {.config = config, .diag = diag};
	uint32_t room = 1;

	for (unsigned i = 0; i < config->tenant_count; i++)
		room += config->tenants[i].leak.count;
	l.all = memory_array(room, sizeof(*l.all), "leaks");
	l.left = memory_array(config->tenant_count + 1u, sizeof(*l.left), "tenants");
	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_names *names = &config->tenants[i].leak;

		for (unsigned j = 0; j < names->count; j++) {
			const struct config_name *name = &names->items[j];

			l.all[l.count] = (struct leak){i, find_target(config, name->text), name};
			check_leak(&l, &l.all[l.count++]);
		}
	}
	if (l.count > 0)
		check_loops(&l);
	free(l.all);
	free(l.left);
}
