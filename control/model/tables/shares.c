// SPDX-License-Identifier: BSD-3-Clause
// The tenants' parts of a switch's pools: cells set aside in every pool that has an end and is
// there at all, and a share of what is shared. Only where a tenant's packets are known: at a switch
// with a port of the tenant, and at those above the leaves if they come there in a tunnel or with
// a tag.
#include "build_internal.h"

#include "control/base/memory.h"

bool
tables_tenants_cross(const struct tables_draft *draft, uint16_t tenant)
{
	const struct topology *t = draft->topology;

	for (uint16_t v = 0; v < t->vrf_count && !draft->host; v++)
		if (t->vrfs[v].name[0] != '\0' && t->vrfs[v].encap != CONFIG_ENCAP_PLAIN &&
		    (tenant == TENANT_NONE || t->vrfs[v].tenant == tenant))
			return true;
	return false;
}

// Whether the tenant has a part of this switch.
static bool
tenant_here(const struct tables_draft *draft, uint16_t tenant)
{
	bool lone = topology_is_single(draft->topology);

	for (uint16_t p = 0; p < draft->t->port_count; p++)
		if (draft->t->ports[p].tenant == tenant)
			return true;
	return (lone || draft->node->role != CONFIG_ROLE_LEAF) &&
	       tables_tenants_cross(draft, tenant);
}

// A pool that the settings do away with, as modes lossy and lossless-single-pool do.
static bool
no_pool(const struct tables_draft *draft, unsigned pool)
{
	const struct config_amount *size = &draft->settings->pools[pool];

	return size->kind != CONFIG_AMOUNT_UNLIMITED && size->value == 0;
}

static bool
guaranteed_here(const struct tables_draft *draft, uint16_t tenant)
{
	const struct config_tenant *settings = draft->topology->tenants[tenant].settings;

	return settings != NULL && settings->buffer_set && settings->guaranteed_bytes > 0 &&
	       tenant_here(draft, tenant);
}

uint64_t
tables_sum_guarantees(const struct tables_draft *draft, enum pool_id pool)
{
	uint64_t sum = 0;

	for (uint16_t i = 0; i < draft->topology->tenant_count; i++)
		if (guaranteed_here(draft, i) && !no_pool(draft, pool))
			sum += tables_cells_up(
				draft->t, draft->topology->tenants[i].settings->guaranteed_bytes);
	return sum;
}

const struct config_tenant *
tables_last_guaranteed(const struct tables_draft *draft)
{
	const struct config_tenant *last = NULL;

	for (uint16_t i = 0; i < draft->topology->tenant_count; i++) {
		const struct config_tenant *one = draft->topology->tenants[i].settings;

		if (guaranteed_here(draft, i) &&
		    (last == NULL || diag_pos_compare(one->buffer_pos, last->buffer_pos) > 0))
			last = one;
	}
	return last;
}

static void
set_tenant(const struct tables_draft *draft, struct tenant_profile *profile,
	   const struct config_tenant *settings)
{
	const struct tables *t = draft->t;

	for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
		struct threshold *share = &profile->share[pool];
		uint32_t shared = t->pools[pool].shared;

		*share = tables_unlimited(pool, 0);
		if (settings == NULL || !settings->buffer_set || pool == POOL_HEADROOM ||
		    t->pools[pool].size == POOL_UNLIMITED)
			continue;
		if (!no_pool(draft, pool))
			profile->guaranteed[pool] = tables_cells_up(t, settings->guaranteed_bytes);
		if (settings->share.kind == CONFIG_AMOUNT_PERCENT)
			share->fixed = tables_part(shared, settings->share.value);
		else if (settings->share.kind == CONFIG_AMOUNT_ALPHA)
			*share = tables_alpha(pool, 0,
					      (int)settings->share.value - CONFIG_ALPHA_ONE);
	}
}

void
tables_add_tenants(struct tables_draft *draft)
{
	const struct topology *topology = draft->topology;
	struct tables *t = draft->t;
	bool any = tables_tenants_cross(draft, TENANT_NONE);

	for (uint16_t p = 0; p < t->port_count; p++)
		any |= t->ports[p].tenant != TENANT_NONE;
	if (!any)
		return;
	t->tenants = memory_array(topology->tenant_count, sizeof(*t->tenants), "tenants");
	t->tenant_count = topology->tenant_count;
	for (uint16_t i = 0; i < t->tenant_count; i++) {
		const struct config_tenant *settings = topology->tenants[i].settings;

		set_tenant(draft, &t->tenants[i], settings);
		t->tenant_buffers |= settings != NULL && settings->buffer_set &&
				     tenant_here(draft, i);
	}
}
