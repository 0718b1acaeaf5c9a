// SPDX-License-Identifier: BSD-3-Clause
// A session is bound to a port: that of the interface that bfdd names, or by which Linux reaches
// the neighbour. Linux also knows the neighbour's MAC. Until it does, the source MAC of the
// neighbour's packets is used.
//
// BGP packets bypass the dataplane, so after BFD has ended a BGP session, bgpd can connect again
// (FRR 8.4 does so within 3 s) and bring back routes through a switch that does not forward. The
// XDP program therefore drops the BGP packets between the two addresses of a session that is lost,
// until it is up again or deleted. Packets between other addresses pass: when an address changes,
// bgpd must connect before bfdd learns the new one.
#include "bfd_agent_internal.h"

#include "control/io/host/neighbour.h"
#include "control/io/host/netns.h"
#include "dataplane/device/xdp/steering.h"

#include <net/if.h>
#include <string.h>

#define RESOLVE_US INT64_C(1000000)
#define RESOLVE_SOON_US INT64_C(50000) // while the neighbour is unknown, twice as long each time

static const uint8_t no_address[16];

static bool
is_unspecified(uint8_t version, const uint8_t *address)
{
	return memcmp(address, no_address, version == 4 ? 4 : 16) == 0;
}

// ---- ports and MACs ----------------------------------------------------------------------------

static struct device_port *
find_device(const struct bfd_agent *a, const char *interface)
{
	for (uint32_t i = 0; i < a->live->device_count; i++) {
		struct device_port *d = &a->live->devices[i];

		if (d->netdev != NULL && strcmp(d->netdev, interface) == 0)
			return d;
	}
	return NULL;
}

// The interface that bfdd names; else that by which Linux reaches the neighbour, whose address may
// also be missing.
static unsigned
find_interface(struct bfd_peer *peer, char name[static IF_NAMESIZE])
{
	const struct bfd_request *request = &peer->request;
	unsigned index = request->interface_index;
	const bool no_local = is_unspecified(request->version, request->local);

	name[0] = '\0';
	if (request->interface[0] != '\0' && strlen(request->interface) < IF_NAMESIZE)
		strcpy(name, request->interface);
	if (name[0] == '\0' || no_local) {
		unsigned routed = 0;

		if (neighbour_route(request->version, request->peer, &routed, peer->path.local) !=
		    0)
			return 0;
		if (!no_local)
			memcpy(peer->path.local, request->local, sizeof(peer->path.local));
		index = index != 0 ? index : routed;
	}
	if (name[0] == '\0' && if_indextoname(index, name) == NULL)
		return 0;
	return if_nametoindex(name);
}

// bfdd may run a session in a VLAN, a bridge, or an interface that is not the dataplane's.
static void
log_without_port(const struct bfd_agent *a, struct bfd_peer *peer, const char *interface)
{
	char what[96];

	if (peer->logged_without_port)
		return;
	peer->logged_without_port = true;
	snprintf(what, sizeof(what), "sends nothing: interface %s is no port with `netdev:`",
		 interface);
	bfd_peers_notify_session(a, &peer->request, what);
}

static void
resolve_mac(struct bfd_agent *a, struct bfd_peer *peer, unsigned index)
{
	uint8_t mac[6];

	memcpy(peer->path.local_mac,
	       a->live->topology->nodes[a->node].ports[peer->device->port].mac, 6);
	if (neighbour_get(index, peer->path.version, peer->path.peer, mac) == 0) {
		memcpy(peer->path.peer_mac, mac, sizeof(mac));
		peer->resolved = true;
	} else {
		(void)neighbour_resolve(index, peer->path.version, peer->path.peer);
	}
}

// Each attempt opens sockets, and there may be many neighbours that are never found.
static int64_t
next_wait_us(struct bfd_peer *peer)
{
	int64_t wait = peer->resolve_wait_us;

	if (peer->device != NULL && peer->resolved) {
		peer->resolve_wait_us = 0;
		return RESOLVE_US;
	}
	wait = wait == 0 ? RESOLVE_SOON_US : wait < RESOLVE_US / 2 ? 2 * wait : RESOLVE_US;
	peer->resolve_wait_us = wait;
	return wait;
}

// In the namespace of the interfaces.
static void
resolve(struct bfd_agent *a, struct bfd_peer *peer)
{
	char name[IF_NAMESIZE];
	unsigned index = find_interface(peer, name);
	const bool is_reached = index != 0 && !is_unspecified(peer->path.version, peer->path.local);

	peer->device = is_reached ? find_device(a, name) : NULL;
	bfd_ports_hold_bgp(a, peer);
	if (peer->device != NULL) {
		peer->logged_without_port = false;
		resolve_mac(a, peer, index);
	} else if (is_reached) {
		log_without_port(a, peer, name);
	}
	peer->resolve_us = a->now_us + next_wait_us(peer);
}

static int
resolve_all(void *arg)
{
	struct bfd_agent *a = arg;

	for (uint32_t i = 0; i < a->count; i++)
		if (a->peers[i]->resolve_us <= a->now_us)
			resolve(a, a->peers[i]);
	return 0;
}

void
bfd_ports_resolve(struct bfd_agent *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->peers[i]->resolve_us <= a->now_us) {
			(void)netns_run(a->live->outer_netns, resolve_all, a);
			return;
		}
}

// ---- BGP ---------------------------------------------------------------------------------------

static bool
is_open(const struct device_port *d)
{
	return d != NULL && d->live.device != NULL && d->live.device->steering != NULL;
}

static int
set_hold(const struct bfd_hold *hold, bool on)
{
	return is_open(hold->at) ? steering_hold_bgp(hold->at->live.device->steering, &hold->from,
						     &hold->to, on)
				 : 0;
}

void
bfd_ports_release_bgp(struct bfd_peer *peer)
{
	if (peer->hold.at == NULL)
		return;
	(void)set_hold(&peer->hold, false);
	peer->hold = (struct bfd_hold){0};
}

// A neighbour that has taken its session down on purpose is not lost.
static bool
is_lost(const struct bfd_session *s)
{
	return s->state != BFD_UP && s->diag == BFD_DIAG_EXPIRED &&
	       s->remote.state != BFD_ADMIN_DOWN;
}

void
bfd_ports_hold_bgp(struct bfd_agent *a, struct bfd_peer *peer)
{
	const struct bfd_path *path = &peer->path;
	struct bfd_hold *hold = &peer->hold;

	if (peer->device == NULL || !is_lost(&peer->session)) {
		bfd_ports_release_bgp(peer);
		return;
	}
	if (hold->at == peer->device && memcmp(hold->to.bytes, path->local, 16) == 0)
		return;
	bfd_ports_release_bgp(peer);
	hold->at = peer->device;
	hold->from.version = hold->to.version = path->version;
	memcpy(hold->from.bytes, path->peer, 16);
	memcpy(hold->to.bytes, path->local, 16);
	if (set_hold(hold, true) != 0)
		local_addresses_refresh(a->live); // tries again
}

int
bfd_agent_steer(const struct live_fabric *live, const struct device_port *d)
{
	const struct bfd_agent *a = live->bfd;
	int rc = steering_offload_bfd(d->live.device->steering,
				      live->config->single.bfd.socket.text != NULL);

	for (uint32_t i = 0; rc == 0 && a != NULL && i < a->count; i++)
		if (a->peers[i]->hold.at == d)
			rc = set_hold(&a->peers[i]->hold, true);
	return rc;
}
