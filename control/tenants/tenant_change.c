// SPDX-License-Identifier: BSD-3-Clause
// Tenants change in the topology itself. Its state before is saved first, so rolling back cannot
// fail. The index of a name that is removed stays reserved while packets in flight may refer to it.
#include "change_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reserves the indices of names that are removed.
static void
hold_places(struct tenant_change *r, struct topology *t)
{
	const struct tenant_snapshot *s = &r->before;
	struct drain *d = r->drain;

	d->held_vrfs = memory_array(s->vrf_count, sizeof(*d->held_vrfs), "VRF indices");
	d->held_tenants = memory_array(s->tenant_count, sizeof(*d->held_tenants), "tenant indices");
	for (uint16_t v = 0; v < s->vrf_count; v++) {
		if (s->vrfs[v].name[0] == '\0' || t->vrfs[v].name[0] != '\0')
			continue;
		t->vrfs[v] = s->vrfs[v];
		t->vrfs[v].leaks = NULL;
		t->vrfs[v].leak_count = 0;
		t->vrfs[v].held = true;
		d->held_vrfs[d->held_vrf_count++] = v;
	}
	for (uint16_t i = 0; i < s->tenant_count; i++) {
		if (s->tenants[i].name == NULL || t->tenants[i].name != NULL)
			continue;
		t->tenants[i] = (struct topo_tenant){.name = s->tenants[i].name, .held = true};
		d->held_tenants[d->held_tenant_count++] = i;
	}
}

// A VNI or VLAN whose old packets are still in flight cannot belong to another tenant yet.
static int
check_leaving(const struct topology *t, struct diag *diag)
{
	for (uint16_t v = 0; v < t->vrf_count; v++) {
		const struct topo_vrf *vrf = &t->vrfs[v];
		uint16_t now = vrf->leaving ? in_flight_routes_find_vrf(t, vrf, false) : VRF_NONE;
		const char *name = now != VRF_NONE ? t->vrfs[now].name : NULL;
		int before = (int)strlen(vrf->name) - 2; // without the parentheses

		if (name == NULL ||
		    (strncmp(vrf->name + 1, name, (size_t)before) == 0 && name[before] == '\0'))
			continue;
		diag_error(diag, t->config->file, (struct diag_pos){0}, "tenants",
			   "%s %u of tenant %s belonged to %.*s until now and still has packets in "
			   "flight: try again in a moment",
			   vrf->encap == CONFIG_ENCAP_VLAN ? "VLAN" : "VNI", drain_id(vrf), name,
			   before, vrf->name + 1);
		return -EINVAL;
	}
	return 0;
}

// A VRF that learns routes cannot be removed while the fabric runs.
static int
check_learning(const struct fabric *f, struct diag *diag)
{
	const struct topology *t = f->topology;
	unsigned before = diag->errors;
	char key[CONFIG_NAME_MAX + 16];

	for (uint32_t n = 0; n < t->first_host; n++)
		for (unsigned i = 0; i < f->switches[n].learn_count; i++) {
			const struct config_name *vrf = &f->switches[n].learns[i].vrf;

			if (vrf->text == NULL || topology_find_vrf(t, vrf->text) >= 0)
				continue;
			snprintf(key, sizeof(key), "tenants.%s", vrf->text);
			diag_error(diag, t->config->file, (struct diag_pos){0}, key,
				   "cannot be removed while the fabric runs, because %s learns its "
				   "routes (line %u)",
				   t->nodes[n].name, f->switches[n].learns[i].pos.line);
		}
	return diag->errors == before ? 0 : -EINVAL;
}

static void
note_reused(struct tenant_change *r, const struct topology *t)
{
	const struct tenant_snapshot *s = &r->before;

	r->reused = memory_array(s->tenant_count, sizeof(*r->reused), "tenant indices");
	for (uint16_t i = 0; i < s->tenant_count; i++)
		if (s->tenants[i].name == NULL && t->tenants[i].name != NULL)
			r->reused[r->reused_count++] = i;
}

static bool
leaves_something(const struct drain *d, const struct topology *t)
{
	bool some = d->host_count != 0 || d->held_vrf_count != 0 || d->held_tenant_count != 0;

	for (uint32_t n = 0; !some && n < t->first_host; n++)
		some = in_flight_routes_at(d, n);
	return some;
}

// Collects what the change leaves in flight. Tables built from here on have a new epoch.
static int
start_drain(struct tenant_change *r, struct fabric *f, struct diag *diag)
{
	struct topology *t = f->topology;
	int rc;

	r->drain = memory_new(sizeof(*r->drain), "drain");
	hold_places(r, t);
	moved_hosts_find(r->drain, t, &r->before);
	rc = in_flight_routes_find(r->drain, f, &r->before, r->routes, diag);
	if (rc != 0)
		return rc;
	if (!leaves_something(r->drain, t)) {
		drain_destroy(r->drain, t);
		r->drain = NULL;
		return 0;
	}
	f->epoch = f->epoch == UINT16_MAX ? 1 : f->epoch + 1;
	r->drain->epoch = f->epoch;
	r->drain->next = f->drains;
	f->drains = r->drain;
	return 0;
}

int
tenant_change_begin(struct tenant_change *r, const struct change_env *env, bool trial,
		    struct diag *diag)
{
	struct fabric *f = env->fabric;
	struct routes *routes;
	int rc;

	if (topology_is_infiniband(f->topology))
		return diag_error(diag, f->config->file, (struct diag_pos){0}, "tenants",
				  "partitions of an InfiniBand fabric cannot change while it runs");
	*r = (struct tenant_change){.begun = true, .moved = f->moved, .routes = f->routes};
	tenant_snapshot_save(&r->before, f->topology);
	rc = topology_retenant(f->topology, diag);
	if (rc == 0)
		rc = check_learning(f, diag);
	if (rc == 0)
		rc = check_leaving(f->topology, diag);
	if (rc == 0)
		rc = change_make_routes(env, &routes, diag);
	if (rc == 0)
		f->routes = routes;
	if (rc == 0 && !trial)
		rc = start_drain(r, f, diag);
	if (rc != 0)
		tenant_change_undo(r, f);
	if (rc != 0 || trial)
		return rc;
	note_reused(r, f->topology);
	f->moved = moved_hosts_in_force(f);
	r->labels = fabric_list_labels(f->topology, f->labels);
	return 0;
}

static void
forget(struct tenant_change *r)
{
	tenant_snapshot_free(&r->before);
	fabric_free_labels(r->labels);
	free(r->reused);
	*r = (struct tenant_change){0};
}

void
tenant_change_undo(struct tenant_change *r, struct fabric *f)
{
	if (!r->begun)
		return;
	if (f->routes != r->routes)
		routes_destroy(f->routes);
	f->routes = r->routes;
	if (f->moved != r->moved)
		stale_hosts_destroy(f->moved);
	f->moved = r->moved;
	if (r->drain != NULL && f->drains == r->drain) {
		f->drains = r->drain->next;
		f->epoch = f->epoch == 1 ? UINT16_MAX : f->epoch - 1;
	}
	drain_destroy(r->drain, f->topology);
	tenant_snapshot_restore(&r->before, f->topology);
	forget(r);
}

static void
clear_tenants(struct node *n, ps_t now, void *arg)
{
	const struct tenant_change *r = arg;

	(void)now;
	for (uint16_t i = 0; i < r->reused_count; i++)
		if (r->reused[i] < n->buffer.tenant_count)
			n->buffer.tenants[r->reused[i]] = (struct tenant_use){0};
}

void
tenant_change_prepare_nodes(const struct tenant_change *r, const struct change_env *env)
{
	if (r->reused_count != 0)
		env->hooks->at_nodes(env->hooks->context, clear_tenants, (void *)(uintptr_t)r);
}

// Readdresses hosts whose addresses have changed.
static void
readdress_hosts(const struct tenant_change *r, const struct change_env *env)
{
	const struct topology *t = env->fabric->topology;

	for (uint32_t h = 0; env->hooks->readdress != NULL && h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct topo_port *now = topology_host_port(t, h, p);
			const struct tenant_port *was = tenant_snapshot_port(&r->before, h, p);

			if (memcmp(now->ip4, was->ip4, sizeof(was->ip4)) != 0 ||
			    memcmp(now->ip6, was->ip6, sizeof(was->ip6)) != 0)
				env->hooks->readdress(env->hooks->context, h, p, was);
		}
	if (env->hooks->readdressed != NULL)
		env->hooks->readdressed(env->hooks->context);
}

void
tenant_change_end(struct tenant_change *r, const struct change_env *env)
{
	struct fabric *f = env->fabric;

	if (!r->begun)
		return;
	fabric_label(f, r->labels);
	r->labels = NULL;
	if (r->routes != f->routes)
		routes_destroy(r->routes);
	if (r->moved != f->moved)
		stale_hosts_destroy(r->moved);
	if (r->drain != NULL)
		drains_begin(r->drain, env->now);
	readdress_hosts(r, env);
	forget(r);
}
