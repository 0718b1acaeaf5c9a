// SPDX-License-Identifier: BSD-3-Clause
// A change is prepared and then published. Preparing merges the sections again, compares every
// switch's settings with those in force, and builds tables for the switches that differ and the
// hosts behind them, or, where tenants change, for all switches; it may fail, and then nothing has
// happened but that memory was used. Publishing swaps pointers and cannot fail. Packets under way
// have been charged in cells and timed by the latency, so these two stay what they are; everything
// else may change under traffic (dataplane/node/adopt.c tells how a node adopts new tables).
//
// Where one switch cuts packets, all must route what was cut: the first change that makes one do so
// is preceded by one that has all carry such packets, and they do so ever after.
#include "change.h"

#include "control/model/tables/build.h"
#include "prepare.h"

#include <errno.h>
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

// Tells when nobody will do as the key says, because a nearer section has the say.
static void
tell_idle(const struct prepared *p, const struct config_edit *edit, struct config_diag *diag)
{
	const struct topology *t = p->f->topology;
	const char *key = edit->key, *value = edit->value;
	const struct config_pos at = edit->pos;

	if (edit->kind != CONFIG_EDIT_SET)
		return;
	for (uint32_t i = 0; p->changed == 0 && i < t->first_host; i++) {
		struct config_pos pos = {0};
		const char *section = NULL;
		char line[24];

		if (prepared_touches(&t->nodes[i], key))
			section = config_find_otherwise(p->f->config, key, value, t->nodes[i].name,
							t->nodes[i].role, &pos);
		if (section == NULL)
			continue;
		snprintf(line, sizeof(line), "line %u", pos.line);
		config_warning(diag, p->f->config->file, at, key,
			       "no switch changes: `%s` (%s) says otherwise", section,
			       pos.line != 0 ? line : "set live");
		return;
	}
}

// Has all switches carry cut packets, before the first may cut one.
static int
carry_cut(struct prepared *p, const struct change_env *env, struct config_diag *diag)
{
	struct fabric *f = p->f;
	struct tables **tables;
	int rc = 0;

	if (f->trims || !config_trims(f->config))
		return 0;
	tables = calloc(f->topology->node_count, sizeof(struct tables *));
	if (tables == NULL)
		return -ENOMEM;
	f->trims = true;
	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++)
		rc = fabric_build_tables(f, i, &p->before[i], &tables[i], diag);
	if (rc == 0)
		change_publish(env, tables);
	else
		f->trims = false;
	for (uint32_t i = 0; i < f->topology->first_host; i++)
		tables_destroy(tables[i]);
	free(tables);
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
	config_edit_keep(f->config);
}

int
change_edit(const struct change_env *env, const struct config_edit *edits, unsigned count,
	    const struct change_commit *commit, struct config_diag *diag)
{
	struct fabric *f = env->fabric;
	struct prepared p;
	int rc = prepared_start(&p, f, false);

	if (rc == 0 && count != 0)
		rc = config_edit(f->config, edits, count, diag);
	if (rc != 0 || count == 0) {
		prepared_release(&p);
		return rc != 0 || commit == NULL ? rc : commit->run(commit->context);
	}
	// Before tables are built for tenants as they will be.
	rc = carry_cut(&p, env, diag);
	if (rc == 0 && edits_tenants(edits, count))
		rc = tenant_change_begin(&p.tenants, env, false, diag);
	if (rc == 0)
		rc = prepared_prepare(&p, edits, count, diag);
	if (rc == 0 && commit != NULL)
		rc = commit->run(commit->context);
	if (rc == 0) {
		if (count == 1)
			tell_idle(&p, &edits[0], diag);
		put_in_force(&p, env);
	} else {
		prepared_drop_tables(&p);
		tenant_change_undo(&p.tenants, f);
		config_set_undo(f->config);
	}
	prepared_release(&p);
	return rc;
}

// The errors of an event's change, wherever they point, as errors of the event.
static void
pass_errors(const struct config *config, const struct config_event *event,
	    const struct config_diag *from, struct config_diag *to)
{
	for (unsigned i = 0; i < from->count; i++)
		if (!from->messages[i].warning)
			config_error(to, config->file, event->key.pos, NULL, "%s",
				     from->messages[i].words);
}

int
change_apply(const struct change_env *env, const struct config_event *event,
	     struct config_diag *diag)
{
	const struct config_edit edit = config_event_edit(event);
	struct config_diag own = {0};
	int rc = change_edit(env, &edit, 1, NULL, &own);

	pass_errors(env->fabric->config, event, &own, diag);
	config_diag_free(&own);
	return rc;
}

// What was prepared is what the next one finds. The configuration keeps it until the caller takes
// it back.
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

// Whether it would do; *tenants is what it takes to go back, apart from the configuration.
static int
try_event(struct prepared *p, const struct change_env *env, const struct config_event *event,
	  struct tenant_change *tenants, struct config_diag *diag)
{
	struct config *config = p->f->config;
	const struct config_edit edit = config_event_edit(event);
	struct config_diag trial = {0};
	int rc = config_edit(config, &edit, 1, &trial);

	p->tenants = (struct tenant_change){0};
	if (rc == 0) {
		if (edits_tenants(&edit, 1))
			rc = tenant_change_begin(&p->tenants, env, true, &trial);
		if (rc == 0)
			rc = prepared_prepare(p, &edit, 1, &trial);
		if (rc == 0) {
			tell_idle(p, &edit, diag);
			take_over(p);
			*tenants = p->tenants;
		} else {
			tenant_change_undo(&p->tenants, p->f);
			config_set_undo(config);
		}
	}
	p->tenants = (struct tenant_change){0};
	pass_errors(config, event, &trial, diag);
	config_diag_free(&trial);
	return rc;
}

int
change_check(const struct change_env *env, const struct config_event *const *events, uint32_t count,
	     struct config_diag *diag)
{
	struct fabric *f = env->fabric;
	struct tenant_change *tenants = calloc(count + 1u, sizeof(*tenants));
	struct prepared p;
	uint32_t held = 0;
	int rc = prepared_start(&p, f, true);

	if (rc == 0 && tenants == NULL)
		rc = -ENOMEM;
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
