// SPDX-License-Identifier: BSD-3-Clause
// What `attach:` says of hosts: the NICs that an entry means, their MACs, addresses and MTUs. MACs
// and addresses hold in virtual time too, so that a fabric is the same in both; MTUs only live.
#include "topology_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KEY_MAX (CONFIG_NAME_MAX + 32)

bool
topology_find_attached(const struct topology *t, const struct config_attach *attach,
		       struct topo_attached *out)
{
	bool whole = strchr(attach->host.text, '.') == NULL;
	struct topo_ref ref = {0};

	if (whole)
		ref.node = topology_find_node(t, attach->host.text);
	else if (topology_find_port(t, attach->host.text, &ref) != 0)
		return false;
	if (ref.node == TOPOLOGY_NONE || t->nodes[ref.node].role != CONFIG_ROLE_HOST)
		return false;
	*out = (struct topo_attached){.host = topology_host_of(t, ref.node), .first = ref.port};
	out->count = whole && config_attach_makes_interface(attach) ? t->nodes[ref.node].port_count
								    : 1;
	return true;
}

// ---- MACs ---------------------------------------------------------------------------------------

// The node that has a port with this MAC, or TOPOLOGY_NONE.
static uint32_t
find_mac(const struct topology *t, const uint8_t *mac)
{
	for (uint32_t n = 0; n < t->node_count; n++) {
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			if (memcmp(t->nodes[n].ports[p].mac, mac, 6) == 0)
				return n;
		if (n < t->first_host && memcmp(t->nodes[n].router_mac, mac, 6) == 0)
			return n;
	}
	return TOPOLOGY_NONE;
}

// An address of its own is one NIC's.
static bool
is_one_nic(const struct topology *t, const struct config_attach *attach, const char *key,
	   const struct topo_attached *at, struct diag *diag)
{
	char path[KEY_MAX];

	if (at->count == 1)
		return true;
	snprintf(path, sizeof(path), "attach.%s.%s", attach->host.text, key);
	diag_error(diag, t->config->file, attach->host.pos, path,
		   "%s has %u NICs: name the one that has it, such as %s.eth2", attach->host.text,
		   at->count, attach->host.text);
	return false;
}

int
topology_give_mac(struct topology *t, const struct config_attach *attach, struct diag *diag)
{
	unsigned before = diag->errors;
	struct topo_attached at;
	char path[KEY_MAX];
	uint32_t other;

	if (!attach->mac.set || !topology_find_attached(t, attach, &at) ||
	    !is_one_nic(t, attach, "mac", &at, diag))
		return diag->errors == before ? 0 : -EINVAL;
	other = find_mac(t, attach->mac.bytes);
	if (other == TOPOLOGY_NONE || other == t->first_host + at.host) {
		memcpy(topology_host_port(t, at.host, at.first)->mac, attach->mac.bytes, 6);
		return 0;
	}
	snprintf(path, sizeof(path), "attach.%s.mac", attach->host.text);
	diag_error(diag, t->config->file, attach->host.pos, path, "this is the MAC of %s already",
		   t->nodes[other].name);
	return -EINVAL;
}

int
attached_give_macs(struct topology *t, struct diag *diag)
{
	const struct config *config = t->config;
	unsigned before = diag->errors;

	for (unsigned i = 0; i < config->attach_count; i++)
		(void)topology_give_mac(t, &config->attach[i], diag);
	return diag->errors == before ? 0 : -EINVAL;
}

// ---- IP addresses -------------------------------------------------------------------------------

static void
give_address(struct slicing *s, struct sliced_port *port, const struct config_attach *attach,
	     const struct config_address *address)
{
	bool *own = address->version == 6 ? &port->own6 : &port->own4;
	char path[KEY_MAX];

	snprintf(path, sizeof(path), "attach.%s.ip", attach->host.text);
	if (*own)
		diag_error(s->diag, s->next.config->file, address->pos, path,
			   "%s has an IPv%u address already: its tenant gives it one",
			   attach->host.text, address->version);
	*own = true;
	if (address->version == 6) {
		memcpy(port->put.ip6, address->bytes, sizeof(port->put.ip6));
		port->pos6 = address->pos;
		port->attach6 = attach;
	} else {
		memcpy(port->put.ip4, address->bytes, sizeof(port->put.ip4));
		port->pos4 = address->pos;
		port->attach4 = attach;
	}
}

void
attached_give_addresses(struct slicing *s)
{
	const struct config *config = s->next.config;

	for (unsigned i = 0; i < config->attach_count; i++) {
		const struct config_attach *attach = &config->attach[i];
		struct topo_attached at;

		if (attach->ip_count == 0 || !topology_find_attached(&s->next, attach, &at) ||
		    !is_one_nic(&s->next, attach, "ip", &at, s->diag))
			continue;
		for (unsigned j = 0; j < attach->ip_count; j++)
			give_address(s, sliced_port(s, at.host, at.first), attach, &attach->ip[j]);
	}
}

// ---- MTUs ---------------------------------------------------------------------------------------

void
topology_apply_attach(struct topology *t)
{
	const struct config *config = t->config;
	struct diag ignored = {0}; // it would repeat what the making of the topology has reported

	for (unsigned i = 0; i < config->attach_count; i++) {
		const struct config_attach *attach = &config->attach[i];
		uint32_t mtu = attach->mtu;
		struct topo_attached at;

		if (!topology_find_attached(t, attach, &at))
			continue;
		if (mtu == 0)
			mtu = attach->dev.text == NULL && config->fabric.mtu > TOPOLOGY_VETH_MTU
				      ? TOPOLOGY_VETH_MTU
				      : config->fabric.mtu;
		t->attached_mtu = mtu > t->attached_mtu ? mtu : t->attached_mtu;
		for (uint8_t p = at.first; p < at.first + at.count; p++) {
			struct topo_port *port = topology_host_port(t, at.host, p);

			port->mtu = mtu;
			t->nodes[port->peer_node].ports[port->peer_port].mtu = mtu;
			t->links[port->link].mtu = mtu;
		}
	}
	builder_make_room(t, &ignored);
	diag_free(&ignored);
}
