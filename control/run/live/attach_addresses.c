// SPDX-License-Identifier: BSD-3-Clause
// A host that is attached while the fabric runs may have addresses of its own. Its entry then
// stands with those of the file in `attach:` of the configuration, which addresses follow, and
// routes and tables follow them, as when tenants change. The text of the configuration, which is
// saved and shown, does not have it.
#include "live_fabric.h"

#include "control/base/memory.h"

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

int
attach_take_addresses(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	uint8_t *mac = topology_host_port(live->topology, d->host, d->host_port)->mac;
	int rc;

	if (!attach->mac.set && attach->ip_count == 0)
		return 0;
	make_room(live);
	memcpy(d->was_mac, mac, sizeof(d->was_mac));
	live->config->attach[live->config->attach_count++] = *attach;
	rc = topology_give_mac(live->topology, attach, diag);
	if (rc == 0)
		rc = events_change_addresses(live->events, diag);
	d->own_addresses = rc == 0;
	if (rc == 0)
		return 0;
	memcpy(mac, d->was_mac, sizeof(d->was_mac));
	remove_entry(live->config, attach->host.text);
	return rc;
}

void
attach_return_addresses(struct live_fabric *live, struct device_port *d)
{
	struct diag diag = {0};

	if (!d->own_addresses)
		return;
	d->own_addresses = false;
	memcpy(topology_host_port(live->topology, d->host, d->host_port)->mac, d->was_mac,
	       sizeof(d->was_mac));
	remove_entry(live->config, d->attach->host.text);
	// The plan's addresses were valid when the fabric came up.
	if (events_change_addresses(live->events, &diag) != 0)
		fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_REFUSED,
				diag_first_error(&diag));
	diag_free(&diag);
}
