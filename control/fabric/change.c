// SPDX-License-Identifier: BSD-3-Clause
// A change is prepared and then published. Preparing merges the sections again, compares every
// switch's settings with those in force, and builds tables for the switches that differ and the
// hosts behind them, or, where tenants change, for all switches; it may fail, and then nothing has
// happened but that memory was used. Publishing swaps pointers and cannot fail. Packets under way have been charged in cells and
// timed by the latency, so these two stay what they are; everything else may change under traffic
// (dataplane/node.c tells how a node adopts new tables).
//
// Where one switch cuts packets, all must route what was cut: the first change that makes one do so
// is preceded by one that has all carry such packets, and they do so ever after.
#include "change.h"

#include "control/tables/build.h"
#include "reslice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prepared {
	struct fabric *f;
	struct tables **tables;       // by node; NULL: it stays as it is
	struct switch_config *before; // by switch: its settings
	struct switch_config *after;  // and after the change
	bool *differs;                // by switch
	uint32_t changed;             // switches that differ
	uint64_t *excess;       // by switch: bytes of pools and headroom beyond its buffer, before
	bool trial;             // only to see whether it holds: hosts always do
	struct reslice reslice; // where tenants change
};

static void
drop_tables(struct prepared *p)
{
	for (uint32_t i = 0; i < p->f->topology->node_count; i++) {
		tables_destroy(p->tables[i]);
		p->tables[i] = NULL;
	}
}

static void
release(struct prepared *p)
{
	if (p->tables != NULL)
		drop_tables(p);
	free(p->tables);
	free(p->before);
	free(p->after);
	free(p->differs);
	free(p->excess);
}

static int
start(struct prepared *p, struct fabric *f, bool trial)
{
	size_t switches = f->topology->first_host;

	*p = (struct prepared){.f = f, .trial = trial};
	p->tables = calloc(f->topology->node_count, sizeof(struct tables *));
	p->before = calloc(switches + 1, sizeof(*p->before));
	p->after = calloc(switches + 1, sizeof(*p->after));
	p->differs = calloc(switches + 1, sizeof(*p->differs));
	p->excess = calloc(switches + 1, sizeof(*p->excess));
	if (p->tables == NULL || p->before == NULL || p->after == NULL || p->differs == NULL ||
	    p->excess == NULL)
		return -ENOMEM;
	memcpy(p->before, f->switches, switches * sizeof(*p->before));
	memcpy(p->after, f->switches, switches * sizeof(*p->after));
	for (size_t i = 0; i < switches; i++)
		p->excess[i] = tables_excess_bytes(f->tables[i], &f->switches[i]);
	return 0;
}

// Merging keeps equal lists once (control/config/merge.c), so what was not written anew is the same
// to the byte.
static bool
same_settings(const struct switch_config *a, const struct switch_config *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static int
check_fixed(const struct prepared *p, uint32_t node, const char *key, struct config_diag *diag)
{
	const struct switch_config *before = &p->before[node], *after = &p->after[node];
	const char *name = p->f->topology->nodes[node].name, *file = p->f->config->file;
	struct config_pos none = {0};

	if (after->cell_bytes != before->cell_bytes)
		config_error(diag, file, none, key, "cannot change while %s runs (it is %u B)",
			     name, before->cell_bytes);
	else if (after->latency_ps != before->latency_ps)
		config_error(diag, file, none, key,
			     "cannot change while %s runs (it is %" PRIu64 " ps)", name,
			     before->latency_ps);
	else
		return 0;
	return -EINVAL;
}

// What a file may do by leaving a pool to its default, a change may not: pools beyond the buffer.
static int
check_excess(const struct prepared *p, uint32_t node, const char *key, struct config_diag *diag)
{
	uint64_t after = tables_excess_bytes(p->tables[node], &p->after[node]);

	if (after <= p->excess[node])
		return 0;
	config_error(diag, p->f->config->file, (struct config_pos){0}, key,
		     "on %s the pools and headroom would be %" PRIu64
		     " B more than the buffer of %" PRIu64 " B",
		     p->f->topology->nodes[node].name, after, p->after[node].buffer_bytes);
	return -EINVAL;
}

static uint64_t
sum_of_buffers(const struct prepared *p, const struct switch_config *settings)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->f->topology->first_host; i++)
		sum += settings[i].buffer_bytes;
	return sum;
}

// A packet that a buffer admits must be there to hold it.
static int
check_buffers(const struct prepared *p, const char *key, struct config_diag *diag)
{
	uint64_t after = sum_of_buffers(p, p->after), most = p->f->buffers_bytes;

	if (most == 0 || after <= most || after <= sum_of_buffers(p, p->before))
		return 0;
	config_error(diag, p->f->config->file, (struct config_pos){0}, key,
		     "the switches' buffers would be %" PRIu64
		     " B in all, but the packets that were set aside as the fabric came up are "
		     "enough for %" PRIu64 " B: write it in the file and bring the fabric up again",
		     after, most);
	return -EINVAL;
}

static int
prepare_switch(struct prepared *p, uint32_t node, const char *key, struct config_diag *diag)
{
	const struct topo_node *place = &p->f->topology->nodes[node];
	int rc = config_switch(p->f->config, place->name, place->role, &p->after[node]);

	if (rc != 0)
		return rc;
	p->differs[node] = !same_settings(&p->before[node], &p->after[node]);
	if (!p->differs[node] && !p->reslice.begun)
		return 0;
	p->changed += p->differs[node];
	rc = check_fixed(p, node, key, diag);
	if (rc == 0)
		rc = fabric_build_tables(p->f, node, &p->after[node], &p->tables[node], diag);
	return rc != 0 ? rc : check_excess(p, node, key, diag);
}

// Whether a key's section is one that the node reads.
static bool
touches(const struct topo_node *node, const char *key)
{
	size_t length = strcspn(key, ".");
	const char *names[] = {"switch", config_role_name(node->role), node->name};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && memcmp(names[i], key, length) == 0)
			return true;
	return false;
}

// The first edit that a switch reads, or that is of tenants, whose tables are all made anew; NULL:
// the switch stays as it is.
static const char *
find_key(const struct prepared *p, const struct topo_node *node, const struct config_edit *edits,
	 unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (touches(node, edits[i].key))
			return edits[i].key;
	return p->reslice.begun ? edits[0].key : NULL;
}

static int
prepare(struct prepared *p, const struct config_edit *edits, unsigned count,
	struct config_diag *diag)
{
	const struct topology *t = p->f->topology;
	int rc = 0;

	p->changed = 0;
	for (uint32_t i = 0; rc == 0 && i < t->first_host; i++) {
		const char *key = find_key(p, &t->nodes[i], edits, count);

		p->differs[i] = false;
		if (key != NULL)
			rc = prepare_switch(p, i, key, diag);
	}
	if (rc == 0)
		rc = check_buffers(p, edits[0].key, diag);
	if (rc == 0)
		rc = tables_check_ports(t, p->after, diag);
	if (rc != 0 || p->trial)
		return rc;
	for (uint32_t i = t->first_host; rc == 0 && i < t->node_count; i++) {
		uint32_t leaf = t->nodes[i].ports[0].peer_node;

		if (p->f->nodes[i] != NULL && p->differs[leaf])
			rc = fabric_build_tables(p->f, i, &p->after[leaf], &p->tables[i], diag);
	}
	return rc;
}

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

		if (touches(&t->nodes[i], key))
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
	reslice_prepare_nodes(&p->reslice, env);
	change_publish(env, p->tables);
	reslice_end(&p->reslice, env);
	config_edit_keep(f->config);
}

int
change_edit(const struct change_env *env, const struct config_edit *edits, unsigned count,
	    const struct change_commit *commit, struct config_diag *diag)
{
	struct fabric *f = env->fabric;
	struct prepared p;
	int rc = start(&p, f, false);

	if (rc == 0 && count != 0)
		rc = config_edit(f->config, edits, count, diag);
	if (rc != 0 || count == 0) {
		release(&p);
		return rc != 0 || commit == NULL ? rc : commit->run(commit->context);
	}
	// Before tables are built for tenants as they will be.
	rc = carry_cut(&p, env, diag);
	if (rc == 0 && edits_tenants(edits, count))
		rc = reslice_begin(&p.reslice, env, false, diag);
	if (rc == 0)
		rc = prepare(&p, edits, count, diag);
	if (rc == 0 && commit != NULL)
		rc = commit->run(commit->context);
	if (rc == 0) {
		if (count == 1)
			tell_idle(&p, &edits[0], diag);
		put_in_force(&p, env);
	} else {
		drop_tables(&p);
		reslice_undo(&p.reslice, f);
		config_set_undo(f->config);
	}
	release(&p);
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
	drop_tables(p);
}

// Whether it would do; *tenants is what it takes to go back, apart from the configuration.
static int
try_event(struct prepared *p, const struct change_env *env, const struct config_event *event,
	  struct reslice *tenants, struct config_diag *diag)
{
	struct config *config = p->f->config;
	const struct config_edit edit = config_event_edit(event);
	struct config_diag trial = {0};
	int rc = config_edit(config, &edit, 1, &trial);

	p->reslice = (struct reslice){0};
	if (rc == 0) {
		if (edits_tenants(&edit, 1))
			rc = reslice_begin(&p->reslice, env, true, &trial);
		if (rc == 0)
			rc = prepare(p, &edit, 1, &trial);
		if (rc == 0) {
			tell_idle(p, &edit, diag);
			take_over(p);
			*tenants = p->reslice;
		} else {
			reslice_undo(&p->reslice, p->f);
			config_set_undo(config);
		}
	}
	p->reslice = (struct reslice){0};
	pass_errors(config, event, &trial, diag);
	config_diag_free(&trial);
	return rc;
}

int
change_check(const struct change_env *env, const struct config_event *const *events, uint32_t count,
	     struct config_diag *diag)
{
	struct fabric *f = env->fabric;
	struct reslice *tenants = calloc(count + 1u, sizeof(*tenants));
	struct prepared p;
	uint32_t held = 0;
	int rc = start(&p, f, true);

	if (rc == 0 && tenants == NULL)
		rc = -ENOMEM;
	while (rc == 0 && held < count) {
		rc = try_event(&p, env, events[held], &tenants[held], diag);
		held += rc == 0;
	}
	while (held-- > 0) {
		reslice_undo(&tenants[held], f);
		config_set_undo(f->config);
	}
	free(tenants);
	release(&p);
	return rc;
}
