// SPDX-License-Identifier: BSD-3-Clause
// A host that is attached while the fabric runs may have addresses of its own. Its entry then
// stands with those of the file in `attach:` of the configuration, which addresses follow, and
// routes and tables follow them, as when tenants change. The text of the configuration, which is
// saved and shown, does not have it.
//
// The host has the addresses of the plan, or of its tenant, back when it is detached. Until then no
// other host can be attached with them. A change of tenants can give them to another host of the
// VRF; the host cannot be detached then.
#include "live_fabric.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Room for entries that come and go.
static void
make_room(struct live_fabric *live)
{
	struct config *config = live->config;

	if (live->entries != NULL)
		return;
	live->entries = memory_array((size_t)config->attach_count + live->device_room,
				     sizeof(*live->entries), "attached hosts");
	if (config->attach_count != 0)
		memcpy(live->entries, config->attach,
		       config->attach_count * sizeof(*live->entries));
	config->attach = live->entries;
}

static void
remove_entry(struct config *config, const char *host)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < config->attach_count; i++)
		if (strcmp(config->attach[i].host.text, host) != 0)
			config->attach[kept++] = config->attach[i];
	config->attach_count = kept;
}

static struct topo_port *
nic_of(const struct live_fabric *live, const struct device_port *d)
{
	return topology_host_port(live->topology, d->host, d->host_port);
}

// Whether an entry gives an address that the other host has back when it is detached.
static bool
wants_ip_of(const struct config_attach *attach, const struct device_port *other)
{
	for (unsigned i = 0; i < attach->ip_count; i++)
		for (unsigned j = 0; j < other->attach->ip_count; j++) {
			const struct config_address *ip = &attach->ip[i];

			if (ip->version != other->attach->ip[j].version)
				continue;
			if (ip->version == 4 ? memcmp(ip->bytes, other->was_ip4, 4) == 0
					     : memcmp(ip->bytes, other->was_ip6, 16) == 0)
				return true;
		}
	return false;
}

// Hosts that have other addresses while they are attached have those of the plan back one day.
static int
check_lent(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *other = &live->devices[i];
		const char *what = NULL;

		if (!other->own_addresses)
			continue;
		if (attach->mac.set && other->attach->mac.set &&
		    memcmp(attach->mac.bytes, other->was_mac, sizeof(other->was_mac)) == 0)
			what = "mac";
		else if (nic_of(live, d)->vrf == nic_of(live, other)->vrf &&
			 wants_ip_of(attach, other))
			what = "ip";
		if (what != NULL)
			return diag_fail(diag, EEXIST,
					 "attach.%s.%s: this is that of %s, which has it back when "
					 "it is detached",
					 attach->host.text, what, other->attach->host.text);
	}
	return 0;
}

static void
add_entry(struct config *config, const struct config_attach *attach)
{
	config->attach[config->attach_count++] = *attach;
}

int
attach_take_addresses(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	struct topo_port *nic = nic_of(live, d);
	int rc;

	if (!attach->mac.set && attach->ip_count == 0)
		return 0;
	if (live->fabric->nics[d->host] == NULL) // it came up with them
		return 0;
	rc = check_lent(live, d, diag);
	if (rc != 0)
		return rc;
	make_room(live);
	memcpy(d->was_mac, nic->mac, sizeof(d->was_mac));
	memcpy(d->was_ip4, nic->ip4, sizeof(d->was_ip4));
	memcpy(d->was_ip6, nic->ip6, sizeof(d->was_ip6));
	add_entry(live->config, attach);
	rc = topology_give_mac(live->topology, attach, diag);
	if (rc == 0)
		rc = events_change_addresses(live->events, diag);
	d->own_addresses = rc == 0;
	if (rc == 0)
		return 0;
	memcpy(nic->mac, d->was_mac, sizeof(d->was_mac));
	remove_entry(live->config, attach->host.text);
	return rc;
}

// A change of tenants may have given them to another host in the meantime.
int
attach_return_addresses(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	struct config_attach before;
	struct topo_port *nic;
	struct diag why = {0};
	uint8_t mac[6];
	int rc;

	if (!d->own_addresses)
		return 0;
	nic = nic_of(live, d);
	memcpy(mac, nic->mac, sizeof(mac));
	before = *attach;
	before.mac.set = true;
	memcpy(before.mac.bytes, d->was_mac, sizeof(d->was_mac));
	rc = topology_give_mac(live->topology, &before, &why);
	remove_entry(live->config, attach->host.text);
	if (rc == 0)
		rc = events_change_addresses(live->events, &why);
	d->own_addresses = rc != 0;
	if (rc != 0) {
		memcpy(nic->mac, mac, sizeof(mac));
		add_entry(live->config, attach);
		rc = diag_fail(diag, -rc,
			       "%s stays attached: it cannot have its own addresses back: %s",
			       attach->host.text, diag_first_error(&why));
	}
	diag_free(&why);
	return rc;
}
