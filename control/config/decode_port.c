// SPDX-License-Identifier: BSD-3-Clause
// `qos.ports`: what one port does otherwise than the switch's `qos` says for all. Sections merge
// here as everywhere, key by key; but a port's map of DSCPs, PCPs or new marks stands for itself:
// what it does not list is as if the switch had none either.
#include "decode_switch.h"

#include "scalar.h"

#include <string.h>

#define PORTS_MAX 256 // as many numbers as scalar_port_number() takes

static void
decode_port_trust(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	struct config_port_qos *port = base;

	(void)key;
	decode_trust_list(d, node, &port->trust_count, port->trust);
}

static void
decode_port_dscps(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	struct port_draft *port = base;

	(void)key;
	decode_number_map(d, node, CONFIG_DSCPS, port->qos.dscp_to_priority, &port->dscp);
}

static void
decode_port_pcps(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	struct port_draft *port = base;

	(void)key;
	decode_number_map(d, node, CONFIG_PRIORITIES, port->qos.pcp_to_priority, &port->pcp);
}

#define AT(member) SCHEMA_AT(struct config_port_qos, member)

// In the order of the bits of enum config_port_qos_set.
static const struct schema_key port_keys[] = {
	{"trust", SCHEMA_CUSTOM, .help = "the first that the packet carries", AT(trust),
	 .decode = decode_port_trust, .form = &schema_form_trust},
	{"port-priority", SCHEMA_INTEGER, .help = "of a packet that carries nothing trusted",
	 AT(port_priority), .min = 0, .max = 7},
	{"dscp-to-priority", SCHEMA_CUSTOM, .help = "unlisted: DSCP / 8", AT(dscp_to_priority),
	 .decode = decode_port_dscps, .form = &schema_form_dscp_map},
	{"pcp-to-priority", SCHEMA_CUSTOM, .help = "unlisted: PCP", AT(pcp_to_priority),
	 .decode = decode_port_pcps, .form = &schema_form_pcp_map},
	{"remark", SCHEMA_CUSTOM, .help = "DSCP and PCP on the way out", AT(remark),
	 .decode = decode_remark, .form = &schema_form_remark},
	{"max-rate", SCHEMA_RATE, .help = "shaped to this", AT(max_rate_bps),
	 .min = SCHEMA_RATE_MIN, .max = SCHEMA_RATE_MAX, .word = "none"},
};

static void
check_port(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_port_qos *port = base;

	(void)d;
	for (unsigned i = 0; i < sizeof(port_keys) / sizeof(port_keys[0]); i++)
		if (yaml_tree_get(node, port_keys[i].name) != NULL)
			port->set |= 1u << i;
}

const struct schema schema_port = {SCHEMA_COUNT(port_keys), .check = check_port};

// The draft of a port, a new one where no section has named it yet.
static struct port_draft *
draft_port(struct switch_draft *draft, unsigned number)
{
	struct port_draft *port = draft->ports;

	for (; port < draft->ports + draft->port_count; port++)
		if (port->qos.number == number)
			return port;
	draft->port_count++;
	*port = (struct port_draft){.qos.number = number, .dscp.value = -1, .pcp.value = -1};
	memset(&port->qos.remark, -1, sizeof(port->qos.remark));
	return port;
}

void
decode_ports(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct switch_draft *draft = base;
	struct port_draft *ports;
	unsigned room = draft->port_count + node->count;

	if (!decode_is_map(d, node) || node->count == 0)
		return;
	decode_mark(d, (char *)base + key->offset, node->pos);
	ports = decode_alloc(d, (room < PORTS_MAX ? room : PORTS_MAX) * sizeof(*ports));
	if (ports == NULL)
		return;
	if (draft->port_count > 0)
		memcpy(ports, draft->ports, draft->port_count * sizeof(*ports));
	draft->ports = ports;
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		size_t path = decode_enter(d, pair->key);
		unsigned number;

		if (scalar_port_number(pair->key, "swp", &number) < 0) {
			decode_error(d, pair->key_pos, "\"%.40s\" is not a port: swp1 to swp256",
				     pair->key);
		} else {
			struct port_draft *port = draft_port(draft, number);

			port->qos.name = (struct config_name){pair->key, pair->key_pos};
			decode_map(d, &schema_port, pair->value, port);
		}
		decode_leave(d, path);
	}
}
