// SPDX-License-Identifier: BSD-3-Clause
// Address conflicts: no VRF may have two owners of one prefix. Every address of a host and every
// prefix behind one is a claim on its own VRF, on the VRFs that this one exchanges routes with, and
// if its packets are not encapsulated between switches on `default`, the underlay, which also has
// the loopbacks of the switches. So addresses of tenants may overlap as long as no VRF sees both.
// Several borders of one tenant may have the same prefix with VXLAN, because the leaf that receives
// a packet from a host chooses the border: they back each other up (routes/computed.c). Without a
// tunnel every switch on the way would choose again, and while switches know different links they
// would send the packet up again or in circles.
//
// Claims are sorted by prefix; among those of one prefix each VRF remembers the first claim.
// Addresses that Roost assigns are distinct, so at least one of two equal addresses is in the file,
// and the error names the later one there.
#include "topology_internal.h"

#include "control/base/memory.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct claim {
	struct config_prefix prefix;
	struct diag_pos pos;
	uint16_t vrf;
	uint16_t port;
	uint32_t node;
	const struct config_attach *attach; // under which it stands; NULL: under its tenant
	bool own;                           // the file gives it, and is to blame
	bool border;                        // a prefix behind the host
};

struct address_conflicts {
	const struct slicing *s;
	struct claim *all;
	size_t count;
	size_t *first; // by VRF: who claimed it, counted from 1, among those of one prefix
};

static int
compare_claims(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;
	int order = memcmp(&a->prefix, &b->prefix, sizeof(a->prefix));

	if (order == 0)
		order = a->own - b->own;
	if (order == 0)
		order = diag_pos_compare(a->pos, b->pos);
	if (order != 0)
		return order;
	return a->node != b->node ? (a->node < b->node ? -1 : 1) : a->port - b->port;
}

static struct claim *
add(struct address_conflicts *c, uint8_t version, const uint8_t *address, uint16_t vrf,
    uint32_t node, uint16_t port)
{
	struct claim *claim = &c->all[c->count++];

	claim->prefix = address_host_prefix(version, address);
	claim->vrf = vrf;
	claim->node = node;
	claim->port = port;
	return claim;
}

static void
gather(struct address_conflicts *c)
{
	const struct topology *t = &c->s->next;

	for (uint32_t n = 0; n < t->first_host; n++) {
		add(c, 4, t->nodes[n].loopback4, TOPOLOGY_VRF_DEFAULT, n, 0);
		add(c, 6, t->nodes[n].loopback6, TOPOLOGY_VRF_DEFAULT, n, 0);
	}
	for (uint32_t h = 0; h < t->host_count; h++) {
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct sliced_port *port = sliced_port(c->s, h, p);
			struct claim *ip4 =
				add(c, 4, port->put.ip4, port->put.vrf, t->first_host + h, p);
			struct claim *ip6 =
				add(c, 6, port->put.ip6, port->put.vrf, t->first_host + h, p);

			ip4->own = port->own4;
			ip4->pos = port->pos4;
			ip4->attach = port->attach4;
			ip6->own = port->own6;
			ip6->pos = port->pos6;
			ip6->attach = port->attach6;
		}
	}
	for (uint32_t b = 0; b < t->border_count; b++) {
		const struct topo_border *from = &t->borders[b];
		struct claim *claim = add(c, from->prefix.version, from->prefix.address, from->vrf,
					  t->first_host + from->host, from->port);

		claim->prefix = from->prefix;
		claim->pos = from->pos;
		claim->own = claim->border = true;
	}
}

// vrf: where the two met.
static void
report(const struct address_conflicts *c, const struct claim *claim, const struct claim *before,
       uint16_t vrf)
{
	const struct topology *t = &c->s->next;
	const char *name = t->nodes[before->node].name;
	char text[INET6_ADDRSTRLEN + 8], key[CONFIG_NAME_MAX + 32];
	char whose[2 * CONFIG_NAME_MAX + 32], where[CONFIG_NAME_MAX + 32] = "";

	inet_ntop(claim->prefix.version == 4 ? AF_INET : AF_INET6, claim->prefix.address, text,
		  INET6_ADDRSTRLEN);
	if (claim->border)
		snprintf(text + strlen(text), 8, "/%u", claim->prefix.length);
	if (before->node < t->first_host)
		snprintf(whose, sizeof(whose), "%s's loopback", name);
	else if (!topology_sliced(t))
		snprintf(whose, sizeof(whose), "%s's", name);
	else
		snprintf(whose, sizeof(whose), "%s%s%s (tenant %s)",
			 before->border ? "behind " : "", name, before->border ? "" : "'s",
			 t->vrfs[before->vrf].name);
	if (claim->vrf != before->vrf && vrf == TOPOLOGY_VRF_DEFAULT)
		snprintf(where, sizeof(where), ": both are plain between switches");
	else if (claim->vrf != before->vrf)
		snprintf(where, sizeof(where), ": VRF %s would know both", t->vrfs[vrf].name);
	else if (claim->border && before->border)
		snprintf(where, sizeof(where), ": only in VXLAN may one stand in for another");
	if (claim->attach != NULL)
		snprintf(key, sizeof(key), "attach.%s.ip", claim->attach->host.text);
	else
		snprintf(key, sizeof(key), "tenants.%s.%s", t->vrfs[claim->vrf].name,
			 claim->border ? "border" : "addresses");
	diag_error(c->s->diag, t->config->file, claim->pos, key, "%s is already %s%s", text, whose,
		   where);
}

static bool
stands_in(const struct address_conflicts *c, const struct claim *claim, const struct claim *before)
{
	return claim->border && before->border && claim->vrf == before->vrf &&
	       c->s->next.vrfs[claim->vrf].encap == CONFIG_ENCAP_VXLAN;
}

static bool
meet(struct address_conflicts *c, const struct claim *run, size_t i, uint16_t vrf)
{
	if (c->first[vrf] == 0) {
		c->first[vrf] = i + 1;
		return false;
	}
	if (c->first[vrf] == i + 1 || stands_in(c, &run[i], &run[c->first[vrf] - 1]))
		return false;
	report(c, &run[i], &run[c->first[vrf] - 1], vrf);
	return true;
}

// Claims of one prefix. One error each is enough.
static void
check_run(struct address_conflicts *c, const struct claim *run, size_t count)
{
	const struct topology *t = &c->s->next;

	memset(c->first, 0, t->vrf_count * sizeof(*c->first));
	for (size_t i = 0; i < count; i++) {
		const struct topo_vrf *vrf = &t->vrfs[run[i].vrf];
		bool met = meet(c, run, i, run[i].vrf);

		if (!met && vrf->encap == CONFIG_ENCAP_PLAIN)
			met = meet(c, run, i, TOPOLOGY_VRF_DEFAULT);
		for (uint16_t l = 0; !met && l < vrf->leak_count; l++)
			met = meet(c, run, i, vrf->leaks[l]);
	}
}

static bool
anything_to_check(const struct slicing *s)
{
	for (unsigned i = 0; i < s->next.config->tenant_count; i++)
		if (s->next.config->tenants[i].address_count > 0)
			return true;
	for (unsigned i = 0; i < s->next.config->attach_count; i++)
		if (s->next.config->attach[i].ip_count > 0)
			return true;
	return s->next.border_count > 0;
}

void
tenants_check_addresses(const struct slicing *s)
{
	const struct topology *t = &s->next;
	size_t room = 2 * (size_t)t->first_host + t->border_count +
		      2 * (size_t)t->host_count * TOPOLOGY_HOST_PORTS_MAX;
	struct address_conflicts c = {.s = s};

	if (!anything_to_check(s))
		return;
	c.all = memory_array(room, sizeof(*c.all), "addresses");
	c.first = memory_array(t->vrf_count, sizeof(*c.first), "VRFs");
	gather(&c);
	qsort(c.all, c.count, sizeof(*c.all), compare_claims);
	for (size_t i = 0, end; i < c.count; i = end) {
		for (end = i + 1; end < c.count && memcmp(&c.all[end].prefix, &c.all[i].prefix,
							  sizeof(c.all[i].prefix)) == 0;)
			end++;
		if (end > i + 1)
			check_run(&c, &c.all[i], end - i);
	}
	free(c.first);
	free(c.all);
}
