// SPDX-License-Identifier: BSD-3-Clause
// Tenants against each other: a host, a VNI and a VLAN have one tenant each.
#include "merge.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct tenant_host {
	const struct config_name *name;
	const struct config_tenant *tenant;
};

static int
tenant_host_compare(const void *left, const void *right)
{
	const struct tenant_host *a = left, *b = right;
	int order = strcmp(a->name->text, b->name->text);

	return order != 0 ? order : a->tenant < b->tenant ? -1 : a->tenant > b->tenant;
}

static void
check_hosts(const struct config *config, struct diag *diag)
{
	struct tenant_host *hosts;
	const char *reported = NULL; // a range; one error is enough for it
	size_t count = 0;
	char key[CONFIG_NAME_MAX + 32];

	for (unsigned i = 0; i < config->tenant_count; i++)
		count += config->tenants[i].hosts.count;
	hosts = memory_array(count, sizeof(*hosts), "hosts of tenants");
	count = 0;
	for (unsigned i = 0; i < config->tenant_count; i++)
		for (unsigned j = 0; j < config->tenants[i].hosts.count; j++)
			hosts[count++] = (struct tenant_host){&config->tenants[i].hosts.items[j],
							      &config->tenants[i]};
	qsort(hosts, count, sizeof(*hosts), tenant_host_compare);
	for (size_t i = 1; i < count; i++) {
		const char *range = hosts[i].name->range;

		if (strcmp(hosts[i].name->text, hosts[i - 1].name->text) != 0 ||
		    (range != NULL && range == reported))
			continue;
		reported = range;
		snprintf(key, sizeof(key), "tenants.%s.hosts", hosts[i].tenant->name.text);
		diag_error(diag, config->file, hosts[i].name->pos, key,
			   "%s%s%s is already in tenant %s", range != NULL ? range : "",
			   range != NULL ? ": " : "", hosts[i].name->text,
			   hosts[i - 1].tenant->name.text);
	}
	free(hosts);
}

// A network that stands apart has no border.
static void
check_out_of_band(const struct config *config, struct diag *diag)
{
	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_tenant *tenant = &config->tenants[i];
		char path[CONFIG_NAME_MAX + 32];

		if (tenant->network != CONFIG_NETWORK_OUT_OF_BAND || tenant->border_count == 0)
			continue;
		snprintf(path, sizeof(path), "tenants.%s.border", tenant->name.text);
		diag_error(diag, config->file, tenant->borders[0].host.pos, path,
			   "an out-of-band network stands apart: it has no border");
	}
}

// ---- VNIs and VLANs -----------------------------------------------------------------------------

struct claim {
	uint32_t id;
	const char *name;
	bool written;        // or `rest` has it by default
	struct diag_pos pos; // line 0: not in the file
};

// By identifier; what is not written comes first, then what the file writes, in its order, then
// what has been set since: of two that clash the later one is to change.
static int
claim_compare(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->written != b->written)
		return a->written ? 1 : -1;
	if ((a->pos.line == 0) != (b->pos.line == 0))
		return a->pos.line == 0 ? 1 : -1;
	return diag_pos_compare(a->pos, b->pos);
}

// The identifier of one kind that a tenant writes or has by default. Returns false for none.
static bool
find_claim(const struct config *config, const struct config_tenant *tenant, enum config_encap kind,
	   struct claim *out)
{
	const struct config_tenant_encap o = config_tenant_encap(config, tenant);
	bool vxlan = kind == CONFIG_ENCAP_VXLAN;
	uint32_t written = tenant == NULL ? 0 : vxlan ? tenant->vni : tenant->vlan;

	*out = (struct claim){.id = vxlan ? o.vni : o.vlan, .name = CONFIG_REST};
	if (tenant != NULL) {
		out->name = tenant->name.text;
		out->pos = vxlan ? tenant->vni_pos : tenant->vlan_pos;
	}
	out->written = written != 0;
	return written != 0 || o.encap == kind;
}

static void
check_identifiers(const struct config *config, enum config_encap kind, const char *key,
		  struct diag *diag)
{
	struct claim *claims =
		memory_array(config->tenant_count + 1u, sizeof(*claims), "identifiers");
	char path[CONFIG_NAME_MAX + 32];
	size_t count = 0;

	for (unsigned i = 0; i < config->tenant_count; i++)
		count += find_claim(config, &config->tenants[i], kind, &claims[count]);
	if (config->fabric.topology != CONFIG_TOPOLOGY_SINGLE &&
	    config_find_tenant(config, CONFIG_REST) == NULL)
		count += find_claim(config, NULL, kind, &claims[count]);
	qsort(claims, count, sizeof(*claims), claim_compare);
	for (size_t i = 1; i < count; i++) {
		if (claims[i].id != claims[i - 1].id)
			continue;
		snprintf(path, sizeof(path), "tenants.%s.%s", claims[i].name, key);
		diag_error(diag, config->file, claims[i].pos, path, "%u is already tenant %s's",
			   claims[i].id, claims[i - 1].name);
	}
	free(claims);
}

void
check_tenants(const struct config *config, struct diag *diag)
{
	check_hosts(config, diag);
	check_identifiers(config, CONFIG_ENCAP_VXLAN, "vni", diag);
	check_identifiers(config, CONFIG_ENCAP_VLAN, "vlan", diag);
	check_leaks(config, diag);
	check_out_of_band(config, diag);
}
