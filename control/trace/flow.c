// SPDX-License-Identifier: BSD-3-Clause
#include "trace_internal.h"

#include "control/base/memory.h"
#include "control/model/topology/addresses.h"
#include "dataplane/queueing/ecn.h"
#include "dataplane/roce/frame.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define DEFAULT_SPORT 49152
#define DEFAULT_QUEUE_PAIR 2
#define PAYLOAD_MAX 4096u
#define PAYLOAD_MIN 256u

// One end: a NIC, and an address, which need not be that of any.
struct end {
	uint32_t host; // TOPOLOGY_NONE: no NIC has the address
	uint8_t port;
	bool whole;      // the name was the host's alone
	uint8_t version; // 0: of a name
	uint8_t address[16];
};

// ---- ends ---------------------------------------------------------------------------------------

static int
find_address(const struct topology *t, const char *text, int tenant, struct end *end,
	     struct diag *diag)
{
	uint32_t found = 0;

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct topo_port *port = topology_host_port(t, h, p);
			const uint8_t *own = end->version == 6 ? port->ip6 : port->ip4;

			if ((tenant >= 0 && port->tenant != tenant) ||
			    memcmp(own, end->address, address_bytes(end->version)) != 0)
				continue;
			if (found++ != 0)
				return diag_fail(diag, EINVAL,
						 "%s: %s and %s have this address: name the host, "
						 "or its tenant",
						 text, topology_host(t, end->host)->name,
						 topology_host(t, h)->name);
			end->host = h;
			end->port = p;
		}
	return 0;
}

static int
read_end(const struct topology *t, const char *key, const char *text, int tenant, struct end *end,
	 struct diag *diag)
{
	struct config_name name = {.text = (char *)(uintptr_t)text};
	struct topo_endpoint at;

	*end = (struct end){.host = TOPOLOGY_NONE};
	if (addresses_parse(text, &end->version, end->address) == 0) {
		if (end->version == 0)
			return diag_fail(diag, EINVAL, "%s: a MAC has no route: name the host",
					 text);
		return find_address(t, text, tenant, end, diag);
	}
	if (topology_resolve_endpoint(t, NULL, &name, key, &at, diag) != 0)
		return -EINVAL;
	end->host = at.host;
	end->port = at.port;
	end->whole = at.whole;
	if (tenant >= 0 && topology_host_port(t, at.host, at.port)->tenant != tenant)
		return diag_fail(diag, EINVAL, "%s is not in tenant %s", text,
				 t->tenants[tenant].name);
	return 0;
}

// Of hosts with several NICs, the first two that the network joins.
static void
choose_nics(const struct topology *t, struct end *from, struct end *to)
{
	uint8_t froms = from->whole ? (uint8_t)topology_host(t, from->host)->port_count : 1;
	uint8_t tos = to->host != TOPOLOGY_NONE && to->whole
			      ? (uint8_t)topology_host(t, to->host)->port_count
			      : 1;

	if (to->host == TOPOLOGY_NONE)
		return;
	for (uint8_t p = 0; p < froms; p++)
		for (uint8_t k = 0; k < tos; k++) {
			uint8_t a = from->whole ? p : from->port, b = to->whole ? k : to->port;

			if (!topology_joined(t, from->host, a, to->host, b))
				continue;
			from->port = a;
			to->port = b;
			return;
		}
}

static void
copy_address(const struct trace_flow *flow, const struct topo_port *nic, uint8_t to[16])
{
	if (flow->infiniband) {
		to[0] = (uint8_t)(nic->lid >> 8);
		to[1] = (uint8_t)nic->lid;
	} else {
		memcpy(to, flow->ip6 ? nic->ip6 : nic->ip4, flow->ip6 ? 16 : 4);
	}
}

static int
read_ends(const struct fabric *f, const json_t *params, struct trace_flow *out, struct diag *diag)
{
	const struct topology *t = f->topology;
	const char *source = json_string_value(json_object_get(params, "source"));
	const char *destination = json_string_value(json_object_get(params, "destination"));
	const char *tenant_name = json_string_value(json_object_get(params, "tenant"));
	int tenant = tenant_name != NULL ? topology_find_tenant(t, tenant_name) : -1;
	const struct topo_port *nic;
	struct end from, to;
	uint8_t version;

	if (tenant_name != NULL && tenant < 0)
		return diag_fail(diag, EINVAL, "%s: no such tenant", tenant_name);
	if (topology_is_single(t))
		return diag_fail(diag, EINVAL,
				 "one switch has no hosts that a packet could come from: "
				 "use `roost replay`");
	if (read_end(t, "source", source, tenant, &from, diag) != 0 ||
	    read_end(t, "destination", destination, -1, &to, diag) != 0)
		return -EINVAL;
	if (from.host == TOPOLOGY_NONE)
		return diag_fail(diag, EINVAL, "%s: no host has this address", source);
	choose_nics(t, &from, &to);
	out->infiniband = topology_is_infiniband(t);
	if (out->infiniband && (from.version != 0 || to.version != 0))
		return diag_fail(diag, EINVAL,
				 "%s: hosts of an InfiniBand fabric have LIDs: name the host",
				 from.version != 0 ? source : destination);
	nic = topology_host_port(t, from.host, from.port);
	version = to.version != 0     ? to.version
		  : from.version != 0 ? from.version
				      : f->hosts[from.host].ip_version;
	if (from.version != 0 && from.version != version)
		return diag_fail(diag, EINVAL, "%s and %s are of different IP versions", source,
				 destination);
	out->host = from.host;
	out->port = from.port;
	out->to_host = to.host;
	out->to_port = to.port;
	out->ip6 = version == 6;
	copy_address(out, nic, out->from);
	if (to.version == 0) {
		copy_address(out, topology_host_port(t, to.host, to.port), out->to);
	} else {
		memcpy(out->to, to.address, sizeof(out->to));
	}
	return 0;
}

// ---- numbers ------------------------------------------------------------------------------------

struct number {
	const char *key;
	json_int_t least, most;
};

// A number of the question, or `otherwise`. Returns 0 or -EINVAL.
static int
read_number(const json_t *params, const struct number *number, json_int_t otherwise,
	    json_int_t *out, struct diag *diag)
{
	const json_t *value = json_object_get(params, number->key);

	*out = value != NULL ? json_integer_value(value) : otherwise;
	if (value == NULL || (*out >= number->least && *out <= number->most))
		return 0;
	return diag_fail(diag, EINVAL,
			 "%s: %" JSON_INTEGER_FORMAT " is out of range: %" JSON_INTEGER_FORMAT
			 " to %" JSON_INTEGER_FORMAT,
			 number->key, *out, number->least, number->most);
}

static unsigned int
network_of(const struct trace_flow *flow)
{
	return flow->infiniband ? FRAME_INFINIBAND : flow->ip6 ? FRAME_IP6 : FRAME_IP4;
}

static uint32_t
headers_bytes(const struct trace_flow *flow)
{
	if (flow->infiniband)
		return IB_LRH_BYTES;
	return FRAME_ETHERNET_BYTES + (flow->ip6 ? FRAME_IP6_BYTES : FRAME_IP4_BYTES) +
	       FRAME_UDP_BYTES;
}

// The frame of a full data packet of the host's RoCEv2 flows.
static uint32_t
default_bytes(const struct fabric *f, const struct trace_flow *flow)
{
	uint32_t payload = f->hosts[flow->host].path_mtu, room;

	if (payload != 0)
		return frame_data_bytes(network_of(flow), FRAME_SIZE_REAL, payload, 0);
	room = flow->to_host != TOPOLOGY_NONE && flow->to_host != flow->host
		       ? topology_path_mtu(f->topology, flow->host, flow->port, flow->to_host,
					   flow->to_port)
		       : topology_host_port(f->topology, flow->host, flow->port)->mtu;
	for (payload = PAYLOAD_MAX; payload > PAYLOAD_MIN; payload /= 2)
		if (frame_data_bytes(network_of(flow), FRAME_SIZE_REAL, payload, 0) -
			    (flow->infiniband ? 0 : FRAME_ETHERNET_BYTES) <=
		    room)
			break;
	return frame_data_bytes(network_of(flow), FRAME_SIZE_REAL, payload, 0);
}

// The DSCP of the hosts' RoCEv2 packets, or that which stands for a priority at the leaf.
static int
read_dscp(const struct fabric *f, const json_t *params, struct trace_flow *flow, struct diag *diag)
{
	const struct host_config *host = &f->hosts[flow->host];
	const uint32_t leaf = topology_host_port(f->topology, flow->host, flow->port)->peer_node;
	bool by_priority = json_object_get(params, "priority") != NULL;
	json_int_t priority, dscp;

	if (by_priority && json_object_get(params, "dscp") != NULL)
		return diag_fail(diag, EINVAL, "dscp and priority: give one of them");
	if (read_number(params, &(struct number){"priority", 0, PRIORITIES - 1}, host->priority,
			&priority, diag) != 0)
		return -EINVAL;
	flow->priority = (uint8_t)priority;
	if (flow->infiniband && json_object_get(params, "dscp") != NULL)
		return diag_fail(diag, EINVAL,
				 "dscp: InfiniBand has service levels: give the "
				 "priority");
	if (flow->infiniband)
		return 0;
	dscp = host->dscp;
	if (by_priority || dscp < 0)
		dscp = config_priority_dscp(&f->switches[leaf], (unsigned)priority);
	if (dscp < 0 && by_priority)
		return diag_fail(diag, EINVAL, "priority: no DSCP maps to priority %d at %s",
				 (int)priority, f->topology->nodes[leaf].name);
	if (read_number(params, &(struct number){"dscp", 0, 63}, dscp < 0 ? 0 : dscp, &dscp,
			diag) != 0)
		return -EINVAL;
	flow->dscp = (uint8_t)dscp;
	return 0;
}

// What another part sends is traced where that runs.
static int
check_here(const struct fabric *f, const struct trace_flow *flow, struct diag *diag)
{
	const uint32_t node = f->topology->first_host + flow->host;
	char name[CONFIG_RUN_NAME_MAX];
	const char *part;

	if (fabric_is_here(f, node))
		return 0;
	part = topology_part_of(f->topology, node)->name.text;
	return diag_fail(diag, EINVAL, "%s is in part %s, which another process runs: use -f %s",
			 f->topology->nodes[node].name, part,
			 config_run_name(&f->config->fabric, part, name));
}

int
trace_flow_read(const struct fabric *f, const json_t *params, struct trace_flow *out,
		struct diag *diag)
{
	json_int_t sport, dport, ttl, bytes, pair;

	if (read_ends(f, params, out, diag) != 0 || check_here(f, out, diag) != 0 ||
	    read_dscp(f, params, out, diag) != 0)
		return -EINVAL;
	if (read_number(params, &(struct number){"sport", 0, UINT16_MAX}, DEFAULT_SPORT, &sport,
			diag) != 0 ||
	    read_number(params, &(struct number){"dport", 0, UINT16_MAX}, ROCE_UDP_PORT, &dport,
			diag) != 0 ||
	    read_number(params, &(struct number){"ttl", 1, UINT8_MAX}, FRAME_TTL, &ttl, diag) !=
		    0 ||
	    read_number(params, &(struct number){"queue-pair", 0, 0xffffff}, DEFAULT_QUEUE_PAIR,
			&pair, diag) != 0)
		return -EINVAL;
	out->sport = (uint16_t)sport;
	out->dport = (uint16_t)dport;
	out->ttl = (uint8_t)ttl;
	out->queue_pair = (uint32_t)pair;
	if (read_number(params,
			&(struct number){"bytes",
					 headers_bytes(out) + (uint32_t)sizeof(struct roce_bth) +
						 ROCE_ICRC_BYTES,
					 PACKET_FRAME_MAX},
			default_bytes(f, out), &bytes, diag) != 0)
		return -EINVAL;
	out->bytes = (uint32_t)bytes;
	return 0;
}

// ---- the packet ---------------------------------------------------------------------------------

static struct rte_mbuf *
infiniband_packet(const struct topo_port *nic, const struct trace_flow *flow, struct rte_mbuf *m)
{
	struct frame_address address = {
		.peer_qpn = flow->queue_pair,
		.priority = flow->priority,
		.tc = flow->priority,
		.network = FRAME_INFINIBAND,
	};
	struct frame_template template;
	uint8_t *bth;

	frame_template_init_infiniband(&template, nic->lid,
				       TOPOLOGY_PKEY_MEMBER | topology_pkey(nic));
	memcpy(address.peer_ip, flow->to, 2);
	frame_address_init(&address, &template);
	frame_start(m, &template, &address, PACKET_NO_PAYLOAD | PACKET_ROCE,
		    flow->bytes - IB_LRH_BYTES, sizeof(struct roce_bth), flow->bytes, &bth);
	frame_put_bth(bth, ROCE_OP_SEND_ONLY, 0, &address, false, 0);
	return m;
}

struct rte_mbuf *
trace_flow_packet(const struct fabric *f, const struct trace_flow *flow,
		  struct packet_pool *packets)
{
	const struct topo_port *nic = topology_host_port(f->topology, flow->host, flow->port);
	const struct topo_port *leaf = &f->topology->nodes[nic->peer_node].ports[nic->peer_port];
	const uint32_t udp = headers_bytes(flow) - FRAME_UDP_BYTES;
	const bool roce = flow->dport == ROCE_UDP_PORT;
	struct rte_mbuf *m = packet_alloc(packets);
	struct frame_address address = {
		.udp_sport = rte_cpu_to_be_16(flow->sport),
		.traffic_class = (uint8_t)(flow->dscp << 2 | ECN_ECT0),
		.peer_qpn = flow->queue_pair,
		.network = flow->ip6 ? FRAME_IP6 : FRAME_IP4,
	};
	struct frame_template template;
	uint8_t *payload;

	if (m == NULL)
		memory_exhausted(1, flow->bytes, "packets");
	if (flow->infiniband)
		return infiniband_packet(nic, flow, m);
	frame_template_init(&template, flow->ip6, nic->mac, leaf->mac, flow->from);
	template.headers[FRAME_ETHERNET_BYTES + (flow->ip6 ? 7 : 8)] = flow->ttl;
	template.headers[udp + 2] = (uint8_t)(flow->dport >> 8);
	template.headers[udp + 3] = (uint8_t)flow->dport;
	memcpy(address.peer_ip, flow->to, sizeof(address.peer_ip));
	frame_address_init(&address, &template);
	frame_start(m, &template, &address, PACKET_NO_PAYLOAD, flow->bytes - headers_bytes(flow),
		    roce ? sizeof(struct roce_bth) : 0,
		    flow->bytes < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : flow->bytes, &payload);
	if (roce)
		frame_put_bth(payload, ROCE_OP_SEND_ONLY, 0, &address, false, 0);
	return m;
}

static json_t *
infiniband_json(const struct topology *t, const struct trace_flow *flow)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:s, s:i, s:I, s:i}", "host",
			 topology_host(t, flow->host)->name, "nic",
			 topology_host_port(t, flow->host, flow->port)->name, "source",
			 json_sprintf("lid %u", flow->from[0] << 8 | flow->from[1]), "destination",
			 json_sprintf("lid %u", flow->to[0] << 8 | flow->to[1]), "protocol",
			 "infiniband", "sl", (int)flow->priority, "bytes", (json_int_t)flow->bytes,
			 "queue_pair", (int)flow->queue_pair);
}

json_t *
trace_flow_json(const struct fabric *f, const struct trace_flow *flow)
{
	const int family = flow->ip6 ? AF_INET6 : AF_INET;
	const struct topology *t = f->topology;
	const struct topo_port *nic = topology_host_port(t, flow->host, flow->port);
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	json_t *out;

	if (flow->infiniband) {
		out = infiniband_json(t, flow);
		json_object_set_new(out, "to", json_string(topology_host(t, flow->to_host)->name));
		return out;
	}
	inet_ntop(family, flow->from, from, sizeof(from));
	inet_ntop(family, flow->to, to, sizeof(to));
	out = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:I}", "host",
			topology_host(t, flow->host)->name, "nic", nic->name, "source", from,
			"destination", to, "protocol", "udp", "sport", (int)flow->sport, "dport",
			(int)flow->dport, "dscp", (int)flow->dscp, "ttl", (int)flow->ttl, "bytes",
			(json_int_t)flow->bytes);
	if (flow->dport == ROCE_UDP_PORT)
		json_object_set_new(out, "queue_pair", json_integer(flow->queue_pair));
	if (flow->to_host != TOPOLOGY_NONE)
		json_object_set_new(out, "to", json_string(topology_host(t, flow->to_host)->name));
	return out;
}
