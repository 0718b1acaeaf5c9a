// SPDX-License-Identifier: BSD-3-Clause
#include "control/model/tables/build.h"

#include "control/base/memory.h"
#include "dataplane/stages/stale_tenant.h"
#include "in_flight_routes.h"
#include "fabric_internal.h"
#include "dataplane/node/adopt.h"
#include "dataplane/device/packet_store.h"

#include <stdlib.h>
#include <string.h>

#define CLOCK_RANDOM UINT64_C(0x636c636b) // "clck"
#define CLOCK_UNIT 1000                   // draws are in 10^-9: thousandths of a ppm

// A host's clock differs from the nominal one by up to clock-ppm, drawn from the seed and the host.
static void
skew_clock(const struct fabric *f, uint32_t host, struct tables *t)
{
	struct random random = random_stream(f->seed, CLOCK_RANDOM << 32 | host);
	int64_t most = (int64_t)f->hosts[host].clock_ppm * CLOCK_UNIT;
	int64_t skew = (int64_t)random_below(&random, (uint32_t)(2 * most + 1)) - most;

	for (uint32_t i = 0; i < t->profile_count; i++) {
		struct port_profile *profile = &t->profiles[i];

		profile->byte_time +=
			(uint64_t)((int64_t)profile->byte_time * skew / (CLOCK_UNIT * 1000000));
		profile->quantum_time +=
			(uint64_t)((int64_t)profile->quantum_time * skew / (CLOCK_UNIT * 1000000));
	}
}

// Makes room for one more profile in tables that nobody reads yet.
static struct port_profile *
add_profile(struct tables *t)
{
	struct port_profile *had = t->profiles;

	t->profiles = memory_array(t->profile_count + 1, sizeof(*had), "port profiles");
	memcpy(t->profiles, had, t->profile_count * sizeof(*had));
	for (uint16_t p = 0; p < t->port_count; p++)
		t->ports[p].profile = &t->profiles[t->ports[p].profile - had];
	free(had);
	return &t->profiles[t->profile_count++];
}

// Gives a port a profile of its own.
static struct port_profile *
own_profile(struct tables *t, uint16_t port)
{
	const uint32_t shared = (uint32_t)(t->ports[port].profile - t->profiles);
	struct port_profile *own = &t->profiles[shared];
	uint32_t users = 0;

	for (uint16_t p = 0; p < t->port_count; p++)
		users += t->ports[p].profile == own;
	if (users > 1)
		own = add_profile(t);
	*own = t->profiles[shared];
	t->ports[port].profile = own;
	return own;
}

static void
set_rate(struct tables *t, uint16_t port, uint64_t rate, const struct switch_config *settings)
{
	struct port_profile *profile = own_profile(t, port);

	profile->byte_time = time_byte_time(rate);
	profile->quantum_time = profile->byte_time * (512 / 8);
	if (settings->pfc_refresh_auto)
		profile->refresh = tables_auto_refresh(profile);
	if (profile->busy_bytes != 0)
		profile->busy_bytes = tables_busy_bytes(rate, settings->routing.utilisation_ppm);
}

// Sets what follows from the rates and delays that events have given links. Buffers and headroom
// keep the sizes for those of the file.
static void
set_links(const struct fabric *f, uint32_t node, const struct switch_config *settings,
	  struct tables *t)
{
	const struct topo_node *place = &f->topology->nodes[node];

	for (uint16_t p = 0; p < place->port_count; p++) {
		const struct topo_port *port = &place->ports[p];
		struct link_values now;

		if (port->link == TOPOLOGY_NONE)
			continue;
		if (f->link_rate[port->link] != 0)
			set_rate(t, p, f->link_rate[port->link], settings);
		if (t->llr == NULL)
			continue;
		now = fabric_link_values(f, port->link);
		tables_set_llr_times(&t->llr[p], t->ports[p].profile->byte_time,
				     now.changes & CONFIG_LINK_DELAY ? now.delay_ps
								     : port->delay_ps);
	}
}

// Sets how many packets may wait at a switch; a part of them only in headroom, or of groups that
// hold little. Where there is one for each cell the limit is never met, and pauses end as if there
// were none.
static void
limit_packets(const struct fabric *f, const struct switch_config *settings, struct tables *t)
{
	__extension__ typedef unsigned __int128 wide;
	const struct fabric_packets *all = &f->packets;
	const uint64_t headroom = t->pools[POOL_HEADROOM].size;
	// As many packets of a kind are sure to fit headroom.
	const uint64_t in_headroom[] = {headroom, headroom * t->cell / PACKET_STORE_SMALL_FRAME};

	for (unsigned int kind = PACKET_SMALL; kind <= PACKET_LARGE; kind++) {
		uint64_t most, kept, floor, floors;

		if (all->count[kind] == 0)
			continue;
		most = (uint64_t)((wide)all->count[kind] * settings->buffer_bytes /
				  all->buffers_bytes) +
		       1;
		most = most > UINT32_MAX ? UINT32_MAX : most;
		kept = in_headroom[kind] < most / 2 ? in_headroom[kind] : most / 2;
		floor = kept / (4u * t->port_count) + 1;
		// One group of every port has that, whatever the others hold. Where there is a
		// packet for each cell nothing need be kept back from headroom.
		floors = all->capped && floor * t->port_count < kept ? floor * t->port_count : 0;
		t->packet_limits[kind] = (struct packet_limit){
			.own = (uint32_t)(most - kept),
			.headroom = (uint32_t)(most - floors),
			.most = (uint32_t)most,
			.resume = all->capped ? (uint32_t)((most - kept) * 15 / 16) : UINT32_MAX,
			.floor = (uint32_t)floor,
		};
	}
}

// With tenants, admitted packets carry the epoch of the tables.
static void
add_epoch(const struct fabric *f, struct tables *t)
{
	t->epoch = f->epoch;
	if (t->tunnels == NULL && (f->drains != NULL || topology_sliced(f->topology)))
		t->tunnels = memory_new(sizeof(*t->tunnels), "tunnel table");
	if (f->moved != NULL &&
	    stale_hosts_create(&t->stale_hosts, f->moved->hosts, f->moved->count) != 0)
		memory_exhausted(f->moved->count, sizeof(*f->moved->hosts), "moved hosts");
}

static int
build_switch(const struct fabric *f, uint32_t node, const struct switch_config *settings,
	     struct tables **out, struct diag *diag)
{
	struct route_list merged, all = {0};
	const struct route_list *routes =
		fabric_merge_learned(f, node, &f->routes->nodes[node], &merged);
	int rc;

	if (f->drains != NULL) {
		in_flight_routes_compose(f->drains, f->topology, node, routes, &all);
		routes = &all;
	}
	rc = tables_build(out, f->topology, node, settings, routes, diag);
	routes_clear(&all);
	routes_clear(&merged);
	if (rc == 0)
		add_epoch(f, *out);
	return rc;
}

int
fabric_build_tables(const struct fabric *f, uint32_t node, const struct switch_config *settings,
		    struct tables **out, struct diag *diag)
{
	int rc;

	if (f->topology->nodes[node].role != CONFIG_ROLE_HOST) {
		rc = build_switch(f, node, settings, out, diag);
		if (rc != 0)
			return rc;
		(*out)->trims |= f->trims;
		limit_packets(f, settings, *out);
		set_links(f, node, settings, *out);
		return 0;
	}
	rc = tables_build_host(out, f->topology, node, settings, diag);
	if (rc != 0)
		return rc;
	set_links(f, node, settings, *out);
	skew_clock(f, topology_host_of(f->topology, node), *out);
	if (fabric_has_edge(f, node))
		fabric_add_host_sides(*out);
	return 0;
}

struct tables *
fabric_set_tables(struct fabric *f, uint32_t node, struct tables *t)
{
	struct tables *old = f->tables[node];

	f->tables[node] = t;
	if (f->nodes[node] != NULL)
		node_set_tables(f->nodes[node], t);
	return old;
}

int
fabric_rebuild_tables(struct fabric *f, uint32_t node, struct tables **old, struct diag *diag)
{
	const struct topo_node *place = &f->topology->nodes[node];
	struct switch_config settings;
	struct tables *t;
	int rc = 0;

	*old = NULL;
	if (f->nodes[node] == NULL && fabric_is_here(f, node))
		return 0; // an attached host without a NIC
	if (place->role == CONFIG_ROLE_HOST)
		settings = f->switches[place->ports[0].peer_node];
	else
		rc = config_switch(f->config, place->name, place->role, &settings);
	if (rc == 0)
		rc = fabric_build_tables(f, node, &settings, &t, diag);
	if (rc != 0)
		return rc;
	if (place->role != CONFIG_ROLE_HOST)
		f->switches[node] = settings;
	*old = fabric_set_tables(f, node, t);
	node_publish(&f->generation);
	return 0;
}
