// SPDX-License-Identifier: BSD-3-Clause
// The encapsulation of tenants between switches, as the file sets it or leaves it open.
#include "config.h"

const struct config_tenant *
config_find_tenant(const struct config *config, const char *name)
{
	for (unsigned i = 0; i < config->tenant_count; i++)
		if (strcmp(config->tenants[i].name.text, name) == 0)
			return &config->tenants[i];
	return NULL;
}

uint32_t
config_encap_mtu_bytes(enum config_encap encap, uint32_t underlay)
{
	// Inner Ethernet 14, VXLAN 8, UDP 8 (RFC 7348), IP 20 or 40.
	return encap == CONFIG_ENCAP_VXLAN ? 14 + 8 + 8 + (underlay == 6 ? 40 : 20) : 0;
}

// AUTO as what the tenant's own keys say.
static enum config_encap
own_encap(const struct config_tenant *tenant)
{
	if (tenant->encap != CONFIG_ENCAP_AUTO)
		return tenant->encap;
	if (tenant->vni != 0)
		return CONFIG_ENCAP_VXLAN;
	return tenant->vlan != 0 ? CONFIG_ENCAP_VLAN : CONFIG_ENCAP_PLAIN;
}

static bool
is_rest(const struct config_tenant *tenant)
{
	return strcmp(tenant->name.text, CONFIG_REST) == 0;
}

// What `rest` does where the file leaves it open: VXLAN if any other tenant does, else VLAN if any
// does. Not as the first of them, so that a tenant that changes moves `rest` only when it is the
// last or the only one of its kind.
static enum config_encap
rest_encap(const struct config *config)
{
	enum config_encap found = CONFIG_ENCAP_PLAIN;

	for (unsigned i = 0; i < config->tenant_count; i++) {
		enum config_encap encap = is_rest(&config->tenants[i])
						  ? CONFIG_ENCAP_PLAIN
						  : own_encap(&config->tenants[i]);

		if (encap == CONFIG_ENCAP_VXLAN)
			return encap;
		if (encap == CONFIG_ENCAP_VLAN)
			found = encap;
	}
	return found;
}

struct config_tenant_encap
config_tenant_encap(const struct config *config, const struct config_tenant *tenant)
{
	bool rest = tenant == NULL || is_rest(tenant);
	struct config_tenant_encap o = {.encap = CONFIG_ENCAP_PLAIN};

	if (tenant != NULL)
		o = (struct config_tenant_encap){
			.encap = own_encap(tenant),
			.vni = tenant->vni,
			.vlan = tenant->vlan,
			.pipe = tenant->dscp == CONFIG_TUNNEL_PIPE,
		};
	if (rest && (tenant == NULL ||
		     (tenant->encap == CONFIG_ENCAP_AUTO && tenant->vni == 0 && tenant->vlan == 0)))
		o.encap = rest_encap(config);
	if (rest && o.vni == 0)
		o.vni = CONFIG_REST_VNI;
	if (rest && o.vlan == 0)
		o.vlan = CONFIG_REST_VLAN;
	return o;
}
