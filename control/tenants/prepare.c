// SPDX-License-Identifier: BSD-3-Clause
// Compares the settings of a change with those in force, refuses what cannot change under traffic
// or would not fit, and builds the new tables.
#include "change_internal.h"

#include "control/base/memory.h"
#include "control/model/tables/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
prepared_drop_tables(struct prepared *p)
{
	for (uint32_t i = 0; i < p->f->topology->node_count; i++) {
		tables_destroy(p->tables[i]);
		p->tables[i] = NULL;
	}
}

void
prepared_release(struct prepared *p)
{
	prepared_drop_tables(p);
	free(p->tables);
	free(p->before);
	free(p->after);
	free(p->differs);
	free(p->excess);
}

void
prepared_start(struct prepared *p, struct fabric *f, bool trial)
{
	size_t switches = f->topology->first_host;

	*p = (struct prepared){
		.f = f,
		.trial = trial,
		.tables = memory_array(f->topology->node_count, sizeof(struct tables *), "tables"),
		.before = memory_copy(f->switches, switches, sizeof(*p->before), "switch settings"),
		.after = memory_copy(f->switches, switches, sizeof(*p->after), "switch settings"),
		.differs = memory_array(switches, sizeof(*p->differs), "switch flags"),
		.excess = memory_array(switches, sizeof(*p->excess), "buffer sizes"),
	};
	for (size_t i = 0; i < switches; i++)
		p->excess[i] = tables_excess_bytes(f->tables[i], &f->switches[i]);
}

// Merging keeps equal lists only once (control/config/merge.c), so unchanged settings are equal
// byte by byte.
static bool
same_settings(const struct switch_config *a, const struct switch_config *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

// Of credits, only the tables by which lanes take turns may change.
static bool
same_credit(const struct config_credit *before, const struct config_credit *after)
{
	struct config_credit expected;

	memcpy(&expected, before, sizeof(expected));
	memcpy(&expected.high, &after->high, sizeof(expected.high));
	memcpy(&expected.low, &after->low, sizeof(expected.low));
	expected.limit_unlimited = after->limit_unlimited;
	expected.limit = after->limit;
	return memcmp(&expected, after, sizeof(expected)) == 0;
}

static int
check_fixed(const struct prepared *p, uint32_t node, const char *key, struct diag *diag)
{
	const struct switch_config *before = &p->before[node], *after = &p->after[node];
	const char *name = p->f->topology->nodes[node].name, *file = p->f->config->file;
	struct diag_pos none = {0};

	if (after->cell_bytes != before->cell_bytes)
		diag_error(diag, file, none, key, "cannot change while %s runs (it is %u B)", name,
			   before->cell_bytes);
	else if (after->latency_ps != before->latency_ps)
		diag_error(diag, file, none, key,
			   "cannot change while %s runs (it is %" PRIu64 " ps)", name,
			   before->latency_ps);
	else if (after->flow_control != before->flow_control &&
		 (config_has_credits(before->flow_control) ||
		  config_has_credits(after->flow_control)))
		diag_error(diag, file, none, key,
			   "flow-control cannot change to or from credits while %s runs: change "
			   "the file and start the fabric again",
			   name);
	else if (!same_credit(&before->credit, &after->credit) ||
		 memcmp(&after->llr, &before->llr, sizeof(after->llr)) != 0)
		diag_error(diag, file, none, key,
			   "cannot change while %s runs: change the file and start the fabric "
			   "again",
			   name);
	else if (config_has_credits(before->flow_control) &&
		 memcmp(after->priority_to_class, before->priority_to_class,
			sizeof(after->priority_to_class)) != 0)
		diag_error(diag, file, none, key,
			   "qos.priority-to-tc cannot change while %s runs with credits: a lane's "
			   "receive buffer may be in use",
			   name);
	else
		return 0;
	return -EINVAL;
}

// A file may leave a pool at its default and so exceed the buffer; a change may not make it worse.
static int
check_excess(const struct prepared *p, uint32_t node, const char *key, struct diag *diag)
{
	uint64_t after = tables_excess_bytes(p->tables[node], &p->after[node]);

	if (after <= p->excess[node])
		return 0;
	diag_error(diag, p->f->config->file, (struct diag_pos){0}, key,
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

// There must be memory for all packets that the buffers admit.
static int
check_buffers(const struct prepared *p, const char *key, struct diag *diag)
{
	uint64_t after = sum_of_buffers(p, p->after), most = p->f->packets.buffers_bytes;

	if (most == 0 || after <= most || after <= sum_of_buffers(p, p->before))
		return 0;
	diag_error(diag, p->f->config->file, (struct diag_pos){0}, key,
		   "the buffers of all switches would be %" PRIu64
		   " B, but the fabric came up with memory for packets of "
		   "%" PRIu64 " B: change the file and bring the fabric up again",
		   after, most);
	return -EINVAL;
}

static int
prepare_switch(struct prepared *p, uint32_t node, const char *key, struct diag *diag)
{
	const struct topo_node *place = &p->f->topology->nodes[node];
	int rc = config_switch(p->f->config, place->name, place->role, &p->after[node]);

	if (rc != 0)
		return rc;
	p->differs[node] = !same_settings(&p->before[node], &p->after[node]);
	if (!p->differs[node] && !p->tenants.begun)
		return 0;
	p->changed += p->differs[node];
	rc = check_fixed(p, node, key, diag);
	if (rc == 0)
		rc = fabric_build_tables(p->f, node, &p->after[node], &p->tables[node], diag);
	return rc != 0 ? rc : check_excess(p, node, key, diag);
}

bool
prepared_touches(const struct topo_node *node, const char *key)
{
	size_t length = strcspn(key, ".");
	const char *names[] = {"switch", config_role_name(node->role), node->name};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && memcmp(names[i], key, length) == 0)
			return true;
	return false;
}

// The first edit that a switch reads. When tenants change, all tables are rebuilt, so it is the
// first of all. NULL: the switch does not change.
static const char *
find_key(const struct prepared *p, const struct topo_node *node, const struct config_edit *edits,
	 unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (prepared_touches(node, edits[i].key))
			return edits[i].key;
	return p->tenants.begun ? edits[0].key : NULL;
}

int
prepared_prepare(struct prepared *p, const struct config_edit *edits, unsigned count,
		 struct diag *diag)
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
