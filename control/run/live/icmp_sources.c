// SPDX-License-Identifier: BSD-3-Clause
// Where the ICMP errors of a switch come from that shares its interfaces with Linux: from the
// address of the interface by which the packet came (RFC 1812 section 4.3.2.4), else from one of
// `lo`, which is the router's own, else from any. `loopback4` and `loopback6` of the file come
// first. A switch without an IPv4 address uses 192.0.0.8 (RFC 7600), as Linux does.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/model/topology/addresses.h"
#include "dataplane/device/xdp/steering.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum rank { RANK_NONE, RANK_ANY, RANK_LO, RANK_OWN };

// Whether an address has this interface: of one with a label, Linux names `swp1:label`.
static bool
is_of(const char *named, const char *interface)
{
	const size_t length = strcspn(named, ":");

	return strlen(interface) == length && strncmp(named, interface, length) == 0;
}

static enum rank
rank_of(const char *own, const char *named)
{
	if (own != NULL && is_of(named, own))
		return RANK_OWN;
	return is_of(named, "lo") ? RANK_LO : RANK_ANY;
}

static void
put(struct answer_source *to, uint8_t version, const uint8_t *address)
{
	if (version == 6)
		memcpy(to->ip6, address, sizeof(to->ip6));
	else
		memcpy(to->ip4, address, sizeof(to->ip4));
}

// For a port that shares this interface with Linux, or none (NULL). Of addresses of equal rank the
// first one that Linux names.
static void
choose(const struct live_fabric *live, const char *own, const struct local_list *l,
       struct answer_source *to)
{
	const struct config_single *single = &live->config->single;
	enum rank best[2] = {RANK_NONE, RANK_NONE};

	inet_pton(AF_INET, ADDRESSES_NONE_IP4, to->ip4);
	for (size_t i = 0; i < l->count; i++) {
		const uint8_t version = l->addresses[i].version;
		const enum rank rank = rank_of(own, l->interfaces[i]);

		if (rank <= best[version == 6])
			continue;
		best[version == 6] = rank;
		put(to, version, l->addresses[i].bytes);
	}
	if (single->loopback4.version == 4)
		put(to, 4, single->loopback4.bytes);
	if (single->loopback6.version == 6)
		put(to, 6, single->loopback6.bytes);
}

static void
set_sources(void *context, struct node *n, ps_t now)
{
	(void)now;
	if (n->role != NODE_NIC)
		n->answer_sources = context;
}

void
icmp_sources_set(struct live_fabric *live, const struct local_list *l)
{
	const uint16_t ports = live->topology->nodes[0].port_count;
	struct answer_source *before = live->answer_sources;
	struct answer_source *sources = memory_array(ports, sizeof(*sources), "sources of ICMP");

	for (uint16_t i = 0; i < ports; i++)
		choose(live, NULL, l, &sources[i]);
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			choose(live, live->devices[i].netdev, l, &sources[live->devices[i].port]);
	if (before != NULL && memcmp(before, sources, ports * sizeof(*sources)) == 0) {
		free(sources);
		return;
	}
	live->answer_sources = sources;
	if (live->running)
		live_call(&live->drive, set_sources, sources);
	else
		set_sources(sources, live->fabric->nodes[0], 0);
	free(before);
}
