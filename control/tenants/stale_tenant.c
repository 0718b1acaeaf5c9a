// SPDX-License-Identifier: BSD-3-Clause
// Which hosts have left which VRFs, and how packets of theirs are known that are still under way:
// by the address, and by what the VRF's packets wear, or those of the VRFs that it exchanges routes
// with. Hosts that a fabric's first tenants leave to `rest`, and those that come back from it when
// there are none any more, have not moved: who they can reach has changed around them.
#include "drain.h"

#include "dataplane/stages/stale_tenant.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_HOSTS 16 // named in the log; of more their number

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
	uint32_t room;
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

// Whether the VRF's VNI or VLAN is another's now.
static bool
is_taken(const struct search *s, uint16_t vrf)
{
	const struct topo_vrf *old = &s->before->vrfs[vrf];
	uint16_t now = in_flight_routes_find_vrf(s->t, old, false);

	return old->encap != CONFIG_ENCAP_PLAIN && now != VRF_NONE &&
	       strcmp(s->t->vrfs[now].name, old->name) != 0;
}

static int
add(struct search *s, uint16_t vrf, uint8_t version, const uint8_t *address)
{
	const struct topo_vrf *old = &s->before->vrfs[vrf];
	struct drain *d = s->d;
	struct drain_host *h;

	if (d->host_count == s->room) {
		uint32_t room = 2 * s->room + 64;
		struct drain_host *grown = realloc(d->hosts, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		d->hosts = grown;
		s->room = room;
	}
	h = &d->hosts[d->host_count++];
	*h = (struct drain_host){
		.host.kind = drain_encap(old->encap),
		.host.id = drain_id(old),
		.host.vrf = vrf,
		.host.version = version,
		.drop_at_once = is_taken(s, vrf),
	};
	memcpy(h->host.address, address, version == 4 ? 4 : 16);
	return 0;
}

// An address in the VRF that had it and in those that this one exchanged routes with.
static int
add_address(struct search *s, uint16_t vrf, uint8_t version, const uint8_t *address)
{
	const struct topo_vrf *old = &s->before->vrfs[vrf];
	int error = add(s, vrf, version, address);

	for (uint16_t i = 0; error == 0 && i < old->leak_count; i++)
		error = add(s, old->leaks[i], version, address);
	return error;
}

static int
add_port(struct search *s, uint32_t host, uint8_t port)
{
	const struct topo_port *now = topology_host_port(s->t, host, port);
	const struct tenant_port *was = tenant_snapshot_port(s->before, host, port);
	bool gone = has_moved(s, was->vrf, now->vrf) || is_taken(s, was->vrf);
	int error = 0;

	if (gone || memcmp(was->ip4, now->ip4, sizeof(was->ip4)) != 0)
		error = add_address(s, was->vrf, 4, was->ip4);
	if (error == 0 && (gone || memcmp(was->ip6, now->ip6, sizeof(was->ip6)) != 0))
		error = add_address(s, was->vrf, 6, was->ip6);
	return error;
}

// ---- in words -----------------------------------------------------------------------------------

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

static int
write_words(const struct search *s)
{
	size_t size;
	FILE *to = open_memstream(&s->d->summary, &size);
	unsigned tenants = 0, count = count_moved(s);

	if (to == NULL)
		return -ENOMEM;
	if (count > WORDS_HOSTS) {
		fprintf(to, "%u hosts have other tenants", count);
		return fclose(to) == 0 ? 0 : -ENOMEM;
	}
	for (uint16_t new = 0; new < s->t->vrf_count; new ++) {
		unsigned moves = 0;
		char name[CONFIG_NAME_MAX + 32];

		for (uint16_t old = 0; old < s->before->vrf_count; old++) {
			snprintf(name, sizeof(name), "%stenant %s: ", tenants != 0 ? "; " : "",
				 s->t->vrfs[new].name);
			moves += write_hosts(to, s, old, new, moves == 0 ? name : ", ") != 0;
		}
		tenants += moves != 0;
	}
	if (tenants == 0)
		fputs("tenants: no host moves", to);
	return fclose(to) == 0 ? 0 : -ENOMEM;
}

int
stale_tenant_find(struct drain *d, const struct topology *t, const struct tenant_snapshot *before)
{
	struct search s = {.d = d, .t = t, .before = before};
	int error = 0;

	for (uint32_t h = 0; error == 0 && h < t->host_count; h++)
		for (uint8_t p = 0; error == 0 && p < topology_host(t, h)->port_count; p++)
			error = add_port(&s, h, p);
	if (d->host_count > 1)
		qsort(d->hosts, d->host_count, sizeof(*d->hosts), drain_host_compare);
	return error != 0 ? error : write_words(&s);
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

// What stands in the place of a host's VRF for what comes from other switches, or VRF_NONE.
static uint16_t
find_leaving(const struct topology *t, const struct stale_host *host)
{
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (t->vrfs[v].leaving && drain_encap(t->vrfs[v].encap) == host->kind &&
		    drain_id(&t->vrfs[v]) == host->id)
			return v;
	return VRF_NONE;
}

// Two for each host: its VRF as it was, and what stands in its place.
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

static int
make_tables(struct stale_host *hosts, uint32_t count, struct stale_hosts **out)
{
	int error = count != 0 ? stale_hosts_create(out, hosts, count) : 0;

	free(hosts);
	return error;
}

int
stale_tenant_in_force(const struct fabric *f, struct stale_hosts **out)
{
	struct stale_host *hosts;
	uint32_t count = 0, room = 1;

	*out = NULL;
	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		room += 2 * d->host_count;
	hosts = calloc(room, sizeof(*hosts));
	if (hosts == NULL)
		return -ENOMEM;
	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		count += list_hosts(f, d, false, &hosts[count]);
	return make_tables(hosts, count, out);
}

int
stale_tenant_of(const struct fabric *f, const struct drain *d, struct stale_hosts **out)
{
	struct stale_host *hosts = calloc(2 * d->host_count + 1u, sizeof(*hosts));

	*out = NULL;
	if (hosts == NULL)
		return -ENOMEM;
	return make_tables(hosts, list_hosts(f, d, true, hosts), out);
}
