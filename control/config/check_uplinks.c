// SPDX-License-Identifier: BSD-3-Clause
// The file of one switch marks ports towards the fabric with `uplink: true`: tunnels and tenants'
// VLANs begin and end only there. Routes into the fabric without such a port are a mistake: packets
// would stay in their tunnels, or leave without a tag.
#include "merge.h"

#include <string.h>

static bool
has_uplink(const struct config_single *single)
{
	for (unsigned i = 0; i < single->port_count; i++)
		if (single->ports[i].uplink)
			return true;
	return false;
}

// Whether a next hop is by a port of another VRF, as an uplink is.
static bool
leaves_by_port(const struct config_single *single, const struct config_route *route,
	       const struct config_via *via)
{
	for (unsigned i = 0; i < single->port_count; i++)
		if (via->port.text != NULL && single->ports[i].number == via->port_number)
			return strcmp(single->ports[i].vrf.text, route->vrf.text) != 0;
	return false;
}

static bool
wears_vlan(const struct config *config, const struct config_name *vrf)
{
	const struct config_tenant *tenant = config_find_tenant(config, vrf->text);

	return tenant != NULL && config_tenant_encap(config, tenant).encap == CONFIG_ENCAP_VLAN;
}

static bool
check_route(const struct config *config, const struct config_route *route, struct diag *diag)
{
	for (unsigned i = 0; i < route->via_count; i++) {
		const struct config_via *via = &route->via[i];

		if (via->vtep.text != NULL) {
			diag_warning(diag, config->file, route->pos, "switch.routes",
				     "goes into a tunnel, but no port has uplink: true: tunnels "
				     "that come in do not end here");
			return true;
		}
		if (leaves_by_port(&config->single, route, via) &&
		    wears_vlan(config, &route->vrf)) {
			diag_warning(diag, config->file, route->pos, "switch.routes",
				     "%s has a VLAN, but no port has uplink: true: what leaves "
				     "by %s has no tag",
				     route->vrf.text, via->port.text);
			return true;
		}
	}
	return false;
}

// The first such route is enough: one key mends all.
void
check_uplinks(const struct config *config, struct diag *diag)
{
	const struct config_single *single = &config->single;

	if (config->fabric.topology != CONFIG_TOPOLOGY_SINGLE || has_uplink(single))
		return;
	for (unsigned i = 0; i < single->route_count; i++)
		if (check_route(config, &single->routes[i], diag))
			return;
}
