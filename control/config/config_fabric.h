// SPDX-License-Identifier: BSD-3-Clause
// What stands in a fabric: its topology and links, or the ports of one switch; who uses it, and how
// it runs live.
#pragma once

#include "config_values.h"

enum config_topology {
	CONFIG_TOPOLOGY_LEAF_SPINE,
	CONFIG_TOPOLOGY_EXPLICIT,
	CONFIG_TOPOLOGY_SINGLE, // one switch: `ports` and `routes` below
};

struct config_node {
	struct config_name name;
	enum config_role role;
};

// One end of an explicit link: "leaf1.swp1", "h1.eth1"; port 0: "h1", the host's only one.
struct config_endpoint {
	struct config_name name; // as written
	char *node;
	unsigned port;
};

struct config_explicit_link {
	struct config_endpoint a, b;
	bool rate_set, delay_set, mtu_set; // else links.host or links.fabric of its kind
	struct config_link link;
	struct config_pos pos;
};

struct config_framing {
	uint16_t preamble_bytes;
	uint16_t fcs_bytes;
	uint16_t gap_bytes;
};

struct config_fabric {
	struct config_name name;
	enum config_topology topology;
	struct config_pos topology_pos;
	uint32_t leaves, spines, hosts_per_leaf; // leaf-spine
	uint32_t planes;
	struct config_node *nodes; // explicit
	unsigned node_count;
	struct config_explicit_link *links; // explicit
	unsigned link_count;
	struct config_link host_link;
	struct config_link fabric_link;
	struct config_framing framing;
	uint32_t mtu; // the hosts' IP MTU
	uint64_t seed;
	uint32_t dilation;
};

enum config_idle { CONFIG_IDLE_SLEEP, CONFIG_IDLE_POLL };
enum config_hugepages { CONFIG_HUGEPAGES_AUTO, CONFIG_HUGEPAGES_ON, CONFIG_HUGEPAGES_OFF };

struct config_live {
	uint32_t workers;
	bool cpus_auto;
	uint16_t cpu_count;
	uint16_t cpus[CONFIG_CPUS_MAX];
	enum config_idle idle;
	enum config_hugepages hugepages;
	uint64_t max_lag_ps; // wall time
};

enum config_encap { CONFIG_ENCAP_PLAIN, CONFIG_ENCAP_VXLAN, CONFIG_ENCAP_VLAN };

struct config_tenant {
	struct config_name name; // also its VRF
	struct config_names hosts;
	uint32_t vni; // 0: none
	enum config_encap encap;
	bool buffer_set;
	uint64_t guaranteed_bytes;
	struct config_amount share; // PERCENT, ALPHA, or NONE
	struct config_pos buffer_pos;
};

struct config_attach {
	struct config_name host;
	struct config_name netns; // text NULL: none
	struct config_name dev;   // a DPDK device string; text NULL: AF_XDP on a veth into netns
	uint32_t mtu;             // 0: 1500, or the fabric's where the device carries it
};

// ---- one switch ---------------------------------------------------------------------------------

struct config_port {
	struct config_name name;
	unsigned number; // swpN
	struct config_link link;
	bool link_written;         // cable or delay stands in the file
	struct config_name vrf;    // "default" where not written
	struct config_name tenant; // text NULL: none
	struct config_name dev;    // text NULL: none
	struct config_mac mac;
};

struct config_single {
	enum config_role role;
	struct config_mac mac; // every port's where it has none of its own
	struct config_port *ports;
	unsigned port_count;
	struct config_route *routes;
	unsigned route_count;
};
