// SPDX-License-Identifier: BSD-3-Clause
// A change is prepared and then published. Preparing merges the sections again, compares the
// settings of every switch with those in force, and builds tables for the switches that differ and
// the hosts behind them, or for all switches when tenants change. It may fail, and then nothing has
// changed. Publishing swaps pointers and cannot fail. Packets in flight have been charged in cells
// and timed by the latency, so these two cannot change; everything else can change under traffic
// (dataplane/node.c says how a node adopts new tables).
//
// When one switch trims packets, all switches must route trimmed packets. So the first change that
// turns trimming on is preceded by one that makes all switches carry such packets, for good.
#include "change.h"

#include "control/base/memory.h"
#include "control/model/tables/build.h"
#include "change_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_of_tenants(const struct config_edit *edit)
{
	return strcspn(edit->key, ".") == strlen("tenants") &&
	       memcmp(edit->key, "tenants", strlen("tenants")) == 0;
}

static bool
edits_tenants(const struct config_edit *edits, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (is_of_tenants(&edits[i]))
			return true;
	return false;
}

bool
change_of_switches(const struct config_edit *edits, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!is_of_tenants(&edits[i]))
			return true;
	return false;
}

// Warns when no switch follows the key, because a more specific section overrides it.
static void
warn_overridden(const struct prepared *p, const struct config_edit *edit, struct diag *diag)
{
	const struct topology *t = p->f->topology;
	const char *key = edit->key, *value = edit->value;
	const struct diag_pos at = edit->pos;

	if (edit->kind != CONFIG_EDIT_SET)
		return;
	for (uint32_t i = 0; p->changed == 0 && i < t->first_host; i++) {
		struct diag_pos pos = {0};
		const char *section = NULL;
		char line[24];

		if (prepared_touches(&t->nodes[i], key))
			section = config_find_override(p->f->config, key, value, t->nodes[i].name,
						       t->nodes[i].role, &pos);
		if (section == NULL)
			continue;
		snprintf(line, sizeof(line), "line %u", pos.line);
		diag_warning(diag, p->f->config->file, at, key,
			     "no switch changes: `%s` (%s) overrides it", section,
			     pos.line != 0 ? line : "set live");
		return;
	}
}

// Makes all switches carry trimmed packets before the first may trim one.
static int
carry_trimmed(const struct change_env *env, struct diag *diag)
{
	struct fabric *f = env->fabric;
	int rc;

	if (f->trims || !config_trims(f->config))
		return 0;
	f->trims = true;
	rc = change_rebuild(env, diag);
	f->trims = rc == 0;
	return rc;
}

static void
put_in_force(struct prepared *p, const struct change_env *env)
{
	struct fabric *f = p->f;

	memcpy(f->switches, p->after, f->topology->first_host * sizeof(*p->after));
	tenant_change_prepare_nodes(&p->tenants, env);
	change_publish(env, p->tables);
	tenant_change_end(&p->tenants, env);
}

int
change_edit(const struct change_env *env, const struct config_edit *edits, unsigned count,
	    const struct change_commit *commit, struct diag *diag)
{
	struct fabric *f = env->fabric;
	struct prepared p;
	int rc = 0;

	prepared_start(&p, f, false);
	if (count != 0)
		rc = config_edit(f->config, edits, count, diag);
	if (rc != 0 || count == 0) {
		prepared_release(&p);
		return rc != 0 || commit == NULL ? rc : commit->run(commit->context);
	}
	// Before tables are built for the new tenants.
	rc = carry_trimmed(env, diag);
	if (rc == 0 && edits_tenants(edits, count))
		rc = tenant_change_begin(&p.tenants, env, false, diag);
	if (rc == 0)
		rc = prepared_prepare(&p, edits, count, diag);
	if (rc == 0 && commit != NULL)
		rc = commit->run(commit->context);
	if (rc == 0) {
		if (count == 1)
			warn_overridden(&p, &edits[0], diag);
		put_in_force(&p, env);
		config_edit_keep(f->config);
	} else {
		prepared_drop_tables(&p);
		tenant_change_undo(&p.tenants, f);
		config_set_undo(f->config);
	}
	prepared_release(&p);
	return rc;
}

int
change_try(const struct change_env *env, const struct config_edit *edits, unsigned count,
	   bool addresses, struct diag *diag)
{
	const struct config_edit of_addresses = {.key = "attach"};
	struct fabric *f = env->fabric;
	struct prepared p;
	int rc = 0;

	prepared_start(&p, f, true);
	if (count != 0)
		rc = config_edit(f->config, edits, count, diag);
	if (rc == 0) {
		if (addresses || edits_tenants(edits, count))
			rc = tenant_change_begin(&p.tenants, env, true, diag);
		if (rc == 0)
			rc = prepared_prepare(&p, count != 0 ? edits : &of_addresses,
					      count != 0 ? count : 1, diag);
		prepared_drop_tables(&p);
		tenant_change_undo(&p.tenants, f);
		if (count != 0)
			config_set_undo(f->config);
	}
	prepared_release(&p);
	return rc;
}

int
change_addresses(const struct change_env *env, struct diag *diag)
{
	const struct config_edit edit = {.key = "attach"};
	struct prepared p;
	int rc;

	prepared_start(&p, env->fabric, false);
	rc = tenant_change_begin(&p.tenants, env, false, diag);
	if (rc == 0)
		rc = prepared_prepare(&p, &edit, 1, diag);
	if (rc == 0) {
		put_in_force(&p, env);
	} else {
		prepared_drop_tables(&p);
		tenant_change_undo(&p.tenants, env->fabric);
	}
	prepared_release(&p);
	return rc;
}

// Reports the errors of a change at the place of its event.
static void
pass_errors(const struct config *config, const struct config_event *event, const struct diag *from,
	    struct diag *to)
{
	for (unsigned i = 0; i < from->count; i++)
		if (!from->messages[i].warning)
			diag_error(to, config->file, event->key.pos, NULL, "%s",
				   from->messages[i].words);
}

int
change_apply(const struct change_env *env, const struct config_event *event, struct diag *diag)
{
	const struct config_edit edit = config_event_edit(event);
	struct diag own = {0};
	int rc = change_edit(env, &edit, 1, NULL, &own);

	pass_errors(env->fabric->config, event, &own, diag);
	diag_free(&own);
	return rc;
}

// The next event starts from what was prepared. The configuration keeps it until the caller undoes
// it.
static void
take_over(struct prepared *p)
{
	for (uint32_t i = 0; i < p->f->topology->first_host; i++) {
		if (p->tables[i] == NULL)
			continue;
		p->before[i] = p->after[i];
		p->excess[i] = tables_excess_bytes(p->tables[i], &p->after[i]);
	}
	prepared_drop_tables(p);
}

// Tries one event; *tenants is what is needed to roll back, apart from the configuration.
static int
try_event(struct prepared *p, const struct change_env *env, const struct config_event *event,
	  struct tenant_change *tenants, struct diag *diag)
{
	struct config *config = p->f->config;
	const struct config_edit edit = config_event_edit(event);
	struct diag trial = {0};
	int rc = config_edit(config, &edit, 1, &trial);

	p->tenants = (struct tenant_change){0};
	if (rc == 0) {
		if (edits_tenants(&edit, 1))
			rc = tenant_change_begin(&p->tenants, env, true, &trial);
		if (rc == 0)
			rc = prepared_prepare(p, &edit, 1, &trial);
		if (rc == 0) {
			warn_overridden(p, &edit, diag);
			take_over(p);
			*tenants = p->tenants;
		} else {
			tenant_change_undo(&p->tenants, p->f);
			config_set_undo(config);
		}
	}
	p->tenants = (struct tenant_change){0};
	pass_errors(config, event, &trial, diag);
	diag_free(&trial);
	return rc;
}

int
change_check(const struct change_env *env, const struct config_event *const *events, uint32_t count,
	     struct diag *diag)
{
	struct fabric *f = env->fabric;
	struct tenant_change *tenants = memory_array(count, sizeof(*tenants), "changes of tenants");
	struct prepared p;
	uint32_t held = 0;
	int rc = 0;

	prepared_start(&p, f, true);
	while (rc == 0 && held < count) {
		rc = try_event(&p, env, events[held], &tenants[held], diag);
		held += rc == 0;
	}
	while (held-- > 0) {
		tenant_change_undo(&tenants[held], f);
		config_set_undo(f->config);
	}
	free(tenants);
	prepared_release(&p);
	return rc;
}
