// SPDX-License-Identifier: BSD-3-Clause
// Hosts that have left a VRF while packets of theirs are in flight. Such a packet is recognised by
// the host's address and by the encapsulation of the old VRF or of a VRF that this one exchanges
// routes with. A fabric's first tenants leave the other hosts to `rest`, and removing the last
// tenant brings them back; these hosts have not moved, although the set of hosts that they can
// reach has changed.
#include "change_internal.h"

#include "control/base/memory.h"
#include "dataplane/stages/stale_tenant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY_HOSTS 16 // the log names up to this many hosts, and counts more

int
drain_host_compare(const void *a, const void *b)
{
	const struct drain_host *x = a, *y = b;

	return stale_host_compare(&x->host, &y->host);
}

// ---- finding ------------------------------------------------------------------------------------

struct search {
	struct drain *d;
	const struct topology *t;
	const struct tenant_snapshot *before;
};

static bool
is_default(const char *name)
{
	return strcmp(name, "default") == 0 || strcmp(name, CONFIG_REST) == 0;
}

static bool
has_moved(const struct search *s, uint16_t from, uint16_t to)
{
	const char *old = s->before->vrfs[from].name, *new = s->t->vrfs[to].name;

	return strcmp(old, new) != 0 && !(is_default(old) && is_default(new));
}

// Whether the VRF's VNI or VLAN belongs to another VRF now.
static bool
is_taken(const struct search *s, uint16_t vrf)
{
	const struct topo_vrf *old = &s->before->vrfs[vrf];
	uint16_t now = in_flight_routes_find_vrf(s->t, old, false);

	return old->encap != CONFIG_ENCAP_PLAIN && now != VRF_NONE &&
	       strcmp(s->t->vrfs[now].name, old->name) != 0;
}

static void
add(struct search *s, uint16_t vrf, uint8_t version, const uint8_t *address)
{
	const struct topo_vrf *old = &s->before->vrfs[vrf];
	struct drain *d = s->d;
	struct drain_host *h;

	d->hosts = memory_grow(d->hosts, d->host_count, sizeof(*d->hosts), "moved hosts");
	h = &d->hosts[d->host_count++];
	*h = (struct drain_host){
		.host.kind = drain_encap(old->encap),
		.host.id = drain_id(old),
		.host.vrf = vrf,
		.host.version = version,
		.drop_at_once = is_taken(s, vrf),
	};
	memcpy(h->host.address, address, version == 4 ? 4 : 16);
}

// Adds an address in its old VRF and in those that this one exchanged routes with.
static void
add_address(struct search *s, uint16_t vrf, uint8_t version, const uint8_t *address)
{
	const struct topo_vrf *old = &s->before->vrfs[vrf];

	add(s, vrf, version, address);
	for (uint16_t i = 0; i < old->leak_count; i++)
		add(s, old->leaks[i], version, address);
}

static void
add_port(struct search *s, uint32_t host, uint8_t port)
{
	const struct topo_port *now = topology_host_port(s->t, host, port);
	const struct tenant_port *was = tenant_snapshot_port(s->before, host, port);
	bool gone = has_moved(s, was->vrf, now->vrf) || is_taken(s, was->vrf);

	if (gone || memcmp(was->ip4, now->ip4, sizeof(was->ip4)) != 0)
		add_address(s, was->vrf, 4, was->ip4);
	if (gone || memcmp(was->ip6, now->ip6, sizeof(was->ip6)) != 0)
		add_address(s, was->vrf, 6, was->ip6);
}

// ---- summary ------------------------------------------------------------------------------------

static uint32_t
count_moved(const struct search *s)
{
	uint32_t count = 0;

	for (uint32_t h = 0; h < s->t->host_count; h++)
		count += has_moved(s, tenant_snapshot_port(s->before, h, 0)->vrf,
				   topology_host_port(s->t, h, 0)->vrf);
	return count;
}

// The hosts that have come from one VRF to another: "h5, h6 from rest".
static unsigned
write_hosts(FILE *to, const struct search *s, uint16_t old, uint16_t new, const char *before)
{
	unsigned count = 0;

	for (uint32_t h = 0; h < s->t->host_count; h++) {
		if (tenant_snapshot_port(s->before, h, 0)->vrf != old ||
		    topology_host_port(s->t, h, 0)->vrf != new || !has_moved(s, old, new))
			continue;
		fprintf(to, "%s%s", count++ == 0 ? before : ", ", topology_host(s->t, h)->name);
	}
	if (count != 0)
		fprintf(to, " from %s", s->before->vrfs[old].name);
	return count;
}

static bool
has_arrivals(const struct search *s, uint16_t vrf)
{
	for (uint32_t h = 0; h < s->t->host_count; h++)
		if (topology_host_port(s->t, h, 0)->vrf == vrf &&
		    has_moved(s, tenant_snapshot_port(s->before, h, 0)->vrf, vrf))
			return true;
	return false;
}

static void
write_moves(FILE *to, const struct search *s)
{
	unsigned tenants = 0, count = count_moved(s);

	if (count > SUMMARY_HOSTS) {
		fprintf(to, "%u hosts have changed tenants", count);
		return;
	}
	for (uint16_t new = 0; new < s->t->vrf_count; new ++) {
		unsigned moves = 0;
		char name[CONFIG_NAME_MAX + 32];

		if (!has_arrivals(s, new))
			continue;
		for (uint16_t old = 0; old < s->before->vrf_count; old++) {
			snprintf(name, sizeof(name), "%stenant %s: ", tenants != 0 ? "; " : "",
				 s->t->vrfs[new].name);
			moves += write_hosts(to, s, old, new, moves == 0 ? name : ", ") != 0;
		}
		tenants += moves != 0;
	}
	if (tenants == 0)
		fputs("tenants: no host moves", to);
}

void
moved_hosts_find(struct drain *d, const struct topology *t, const struct tenant_snapshot *before)
{
	struct search s = {.d = d, .t = t, .before = before};
	size_t size;
	FILE *to;

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++)
			add_port(&s, h, p);
	if (d->host_count > 1)
		qsort(d->hosts, d->host_count, sizeof(*d->hosts), drain_host_compare);
	to = memory_stream_open(&d->summary, &size);
	write_moves(to, &s);
	fclose(to);
}

// ---- in force -----------------------------------------------------------------------------------

// Whether some host of a VRF has this address.
static bool
is_back(const struct topology *t, const struct stale_host *moved)
{
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct topo_port *port = topology_host_port(t, h, p);

			if (port->vrf == moved->vrf &&
			    memcmp(moved->version == 4 ? port->ip4 : port->ip6, moved->address,
				   moved->version == 4 ? 4 : 16) == 0)
				return true;
		}
	return false;
}

static bool
is_dropped(const struct drain *d, const struct drain_host *h)
{
	return d->expired || h->drop_at_once;
}

// The leaving VRF that packets from other switches use instead of a host's VRF, or VRF_NONE.
static uint16_t
find_leaving(const struct topology *t, const struct stale_host *host)
{
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (t->vrfs[v].leaving && drain_encap(t->vrfs[v].encap) == host->kind &&
		    drain_id(&t->vrfs[v]) == host->id)
			return v;
	return VRF_NONE;
}

// Lists up to two entries for each host: its old VRF, and the leaving VRF used instead. all: every
// host, or only those whose packets are dropped and that have not come back.
static uint32_t
list_hosts(const struct fabric *f, const struct drain *d, bool all, struct stale_host *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < d->host_count; i++) {
		const struct drain_host *h = &d->hosts[i];
		uint16_t leaving;

		if (!all && (!is_dropped(d, h) || is_back(f->topology, &h->host)))
			continue;
		out[count] = h->host;
		out[count++].epoch = d->epoch;
		leaving = find_leaving(f->topology, &h->host);
		if (leaving == VRF_NONE)
			continue;
		out[count] = out[count - 1];
		out[count++].vrf = leaving;
	}
	return count;
}

static struct stale_hosts *
make_tables(struct stale_host *hosts, uint32_t count)
{
	struct stale_hosts *tables = NULL;

	if (count != 0 && stale_hosts_create(&tables, hosts, count) != 0)
		memory_exhausted(count, sizeof(*hosts), "moved hosts");
	free(hosts);
	return tables;
}

struct stale_hosts *
moved_hosts_in_force(const struct fabric *f)
{
	struct stale_host *hosts;
	uint32_t count = 0, room = 0;

	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		room += 2 * d->host_count;
	hosts = memory_array(room, sizeof(*hosts), "moved hosts");
	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		count += list_hosts(f, d, false, &hosts[count]);
	return make_tables(hosts, count);
}

struct stale_hosts *
moved_hosts_of(const struct fabric *f, const struct drain *d)
{
	struct stale_host *hosts = memory_array(2 * d->host_count, sizeof(*hosts), "moved hosts");

	return make_tables(hosts, list_hosts(f, d, true, hosts));
}
