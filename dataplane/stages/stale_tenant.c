// SPDX-License-Identifier: BSD-3-Clause
// When a host leaves a tenant, packets between the two are still in flight, admitted under the old
// tables. While the tables list the host, every switch drops those packets. A switch recognises
// them by three things: the epoch in which they were admitted; their addresses, inside a tunnel if
// they are in one; and their VRF. The VRF of a packet in a tunnel that passes is given by its VNI,
// that of a packet that was decapsulated or came with a tag is the VRF found there, and that of any
// other is the port's. The VRF of a packet that came plain from another switch is not known: where
// tenants have no encapsulation, their addresses differ.
//
// A host that has left a VRF is listed under the VNI (or VLAN) of every VRF that packets between
// them may carry, those joined by a leak too.
#include "stale_tenant.h"

#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/queueing/scheduler.h"
#include "dataplane/base/headers.h"

#include <errno.h>
#include <stdlib.h>

#define VNI_OFFSET 4u                             // in the VXLAN header
#define INSIDE_VXLAN (8u + HEADER_ETHERNET_BYTES) // before the inner IP header: where VXLAN begins

int
stale_host_compare(const void *a, const void *b)
{
	const struct stale_host *x = a, *y = b;
	int order;

	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	order = memcmp(x->address, y->address, sizeof(x->address));
	if (order != 0)
		return order;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

int
stale_hosts_create(struct stale_hosts **out, const struct stale_host *hosts, uint32_t count)
{
	struct stale_hosts *stale = calloc(1, sizeof(*stale));

	if (stale != NULL)
		stale->hosts = calloc(count + 1u, sizeof(*stale->hosts));
	if (stale == NULL || stale->hosts == NULL) {
		free(stale);
		return -ENOMEM;
	}
	stale->count = count;
	if (count != 0)
		memcpy(stale->hosts, hosts, count * sizeof(*hosts));
	qsort(stale->hosts, count, sizeof(*stale->hosts), stale_host_compare);
	*out = stale;
	return 0;
}

// A packet that was admitted before the host left. Epochs go round.
static bool
is_older(const struct stale_host *host, const struct packet_meta *meta)
{
	return meta->epoch == 0 || (int16_t)(uint16_t)(meta->epoch - host->epoch) < 0;
}

// Where the addresses of the packet that hosts exchange stand; NULL: what is in the tunnel is not
// known. *vni: of its tunnel, or 0.
static const uint8_t *
find_ip(struct rte_mbuf *m, uint32_t *vni)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m), *at;

	*vni = 0;
	if (!(meta->flags & PACKET_TUNNEL))
		return data + meta->l3_off;
	if (meta->inner_l3_off == 0)
		return NULL;
	at = data + meta->inner_l3_off - INSIDE_VXLAN + VNI_OFFSET;
	*vni = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
	return data + meta->inner_l3_off;
}

// Whether a packet with one of the host's addresses belongs to the VRF that it has left.
static bool
belongs(const struct tables *t, const struct packet_meta *meta, uint32_t vni,
	const struct stale_host *host)
{
	const struct port_tables *in = &t->ports[meta->in_port];

	if (vni != 0)
		return host->kind == ENCAP_VXLAN && host->id == vni;
	if (host->vrf != VRF_NONE && meta->vrf == host->vrf)
		return true;
	return host->kind == ENCAP_NONE && in->inner && meta->vrf == in->vrf;
}

// Whether an address is listed for the packet's VRF.
static bool
is_listed(const struct stale_hosts *stale, const struct tables *t, const struct packet_meta *meta,
	  uint32_t vni, uint8_t version, const uint8_t *address)
{
	struct stale_host key = {.version = version};
	uint32_t low = 0, high = stale->count;

	memcpy(key.address, address, version == 6 ? 16 : 4);
	while (low < high) { // to the first of the address
		uint32_t middle = low + (high - low) / 2;

		if (stale_host_compare(&stale->hosts[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < stale->count; low++) {
		const struct stale_host *host = &stale->hosts[low];

		if (host->version != version ||
		    memcmp(host->address, key.address, sizeof(key.address)) != 0)
			return false;
		if (is_older(host, meta) && belongs(t, meta, vni, host))
			return true;
	}
	return false;
}

bool
stale_hosts_match(const struct stale_hosts *stale, const struct tables *t, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip;
	uint32_t vni;

	ip = find_ip(m, &vni);
	if (ip == NULL)
		return false;
	if (ip[0] >> 4 == 6)
		return is_listed(stale, t, meta, vni, 6, ip + 8) ||
		       is_listed(stale, t, meta, vni, 6, ip + 24);
	return is_listed(stale, t, meta, vni, 4, ip + 12) ||
	       is_listed(stale, t, meta, vni, 4, ip + 16);
}

bool
stale_tenant_matches(const struct node *n, struct rte_mbuf *m)
{
	return stale_hosts_match(n->current->stale_hosts, n->current, m);
}

static void
purge_queue(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	struct rte_mbuf *m = p->queues[tc].head;

	while (m != NULL && !stale_tenant_matches(n, m))
		m = fair_next(p, tc, m);
	if (m != NULL)
		port_drop_some(n, p, tc, stale_tenant_matches, DROP_TENANT_MOVED, now);
}

void
stale_tenant_purge(struct node *n, ps_t now)
{
	for (unsigned int i = 0; i < n->port_count; i++)
		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			purge_queue(n, &n->ports[i], tc, now);
}
