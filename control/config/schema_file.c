// SPDX-License-Identifier: BSD-3-Clause
// The schema of a file's top level and of its sections other than `fabric:`, switches and hosts.
#include "format.h"
#include "schema_keys_internal.h"
#include "dataplane/drive/live.h"
#include "dataplane/roce/reorder.h"

#include <string.h>

#define AT(member) SCHEMA_AT(struct config, member)

static const struct schema_choice idles[] = {
	{"sleep", CONFIG_IDLE_SLEEP},
	{"poll", CONFIG_IDLE_POLL},
	{NULL, 0},
};
static const struct schema_choice hugepages[] = {
	{"auto", CONFIG_HUGEPAGES_AUTO}, {"on", CONFIG_HUGEPAGES_ON},
	{"off", CONFIG_HUGEPAGES_OFF},   {"true", CONFIG_HUGEPAGES_ON},
	{"false", CONFIG_HUGEPAGES_OFF}, {NULL, 0},
};

static const struct schema_key cpu_item = {"CPU", SCHEMA_INTEGER, .size = sizeof(uint16_t),
					   .max = 4095};
static const struct schema_form cpu = {SCHEMA_INTEGER, .min = 0, .max = 4095};
static const struct schema_form cpus = {SCHEMA_LIST, .min = 1, .max = CONFIG_CPUS_MAX, .item = &cpu,
					.other = &schema_form_auto};

static const struct schema_key live_keys[] = {
	{"workers", SCHEMA_INTEGER, .def = "1", .help = "poll-mode threads", AT(live.workers),
	 .min = 1, .max = LIVE_WORKERS_MAX},
	{"cpus", SCHEMA_ARRAY, .flags = SCHEMA_UNIQUE, .def = "auto",
	 .help = "auto, or a list of CPU numbers", AT(live.cpus),
	 .flag_offset = offsetof(struct config, live.cpu_count), .min = 1, .item = &cpu_item,
	 .word = "auto", .form = &cpus},
	{"idle", SCHEMA_ENUM, .def = "sleep", .help = "what a worker without work does",
	 AT(live.idle), .choices = idles},
	{"hugepages", SCHEMA_ENUM, .def = "auto", .help = "auto: use hugepages if there are any",
	 AT(live.hugepages), .choices = hugepages},
	{"max-lag", SCHEMA_DURATION, .def = "10ms", .help = "wall time before the clock slips",
	 AT(live.max_lag_ps), .min = 1000000, .max = SCHEMA_HOUR_PS},
	{"packet-memory", SCHEMA_BYTES, .def = "auto",
	 .help = "memory for packets; auto: half of the machine's memory",
	 AT(live.packet_memory_bytes), .word = "auto",
	 .flag_offset = offsetof(struct config, live.packet_memory_auto), .min = 1,
	 .max = SCHEMA_BYTES_MAX},
	{"capture-memory", SCHEMA_BYTES, .def = "16MiB",
	 .help = "memory of each worker, and of each client, for captured packets while `roost "
		 "capture` runs; a worker's is rounded down to a power of two",
	 AT(live.capture_memory_bytes), .min = 65536, .max = 1 << 30},
	{"wait-for-interfaces", SCHEMA_BOOL, .def = "off",
	 .help = "a port whose Linux interface does not exist or cannot be opened is down until "
		 "it can; off: `up` fails",
	 AT(live.wait_for_interfaces)},
	{"readers", SCHEMA_TEXT,
	 .help = "the group whose members may read, through the API and `show`", AT(live.readers)},
};

static const struct schema_choice subnet_engines[] = {
	{"min-hop", CONFIG_SUBNET_MIN_HOP},
	{"up-down", CONFIG_SUBNET_UP_DOWN},
	{"fat-tree", CONFIG_SUBNET_FAT_TREE},
	{NULL, 0},
};

static const struct schema_key subnet_keys[] = {
	{"engine", SCHEMA_ENUM, .def = "min-hop", .help = "how forwarding tables are computed",
	 AT(subnet.engine), .choices = subnet_engines},
	{"alternate", SCHEMA_BOOL, .def = "off",
	 .help = "a switch avoids a port that is down before it has new tables",
	 AT(subnet.alternate)},
	{"lfts", SCHEMA_TEXT,
	 .help = "a file with the forwarding tables of all switches, as OpenSM writes it to "
		 "opensm-lfts.dump, instead of an engine",
	 AT(subnet.lfts.path)},
};
static const struct schema subnet = {SCHEMA_COUNT(subnet_keys)};

#define ATTACH_AT(member) SCHEMA_AT(struct config_attach, member)

static const struct schema_key attach_keys[] = {
	{"netns", SCHEMA_TEXT, .help = "a named network namespace; created if it does not exist",
	 ATTACH_AT(netns)},
	{"pid", SCHEMA_INTEGER, .help = "the network namespace of a process", ATTACH_AT(pid),
	 .min = 1, .max = SCHEMA_PID_MAX},
	{"container", SCHEMA_TEXT, .help = "the network namespace of a container, by its name",
	 ATTACH_AT(container)},
	{"tap", SCHEMA_TEXT, .help = "a tap interface that Roost creates for a virtual machine",
	 ATTACH_AT(tap)},
	{"dev", SCHEMA_TEXT, .help = "a DPDK device", ATTACH_AT(dev)},
	{"mac", SCHEMA_MAC, .help = "its MAC address, instead of the address plan's",
	 ATTACH_AT(mac)},
	// Custom: one address, or one of each IP version.
	{"ip", SCHEMA_CUSTOM, .help = "its IP address or addresses, instead of the address plan's",
	 ATTACH_AT(ip), .decode = decode_attach_ip, .encode = encode_attach_ip,
	 .form = &schema_form_host_addresses},
	{"mtu", SCHEMA_INTEGER, .help = "IP MTU", ATTACH_AT(mtu), SCHEMA_MTUS},
	{"nic", SCHEMA_BOOL, .def = "on",
	 .help = "an edge NIC between host and leaf, which obeys pauses and keeps to the link's "
		 "rate",
	 ATTACH_AT(nic)},
	{"buffer", SCHEMA_BYTES, .def = "auto",
	 .help = "how much the edge NIC holds of each priority, each way", ATTACH_AT(buffer_bytes),
	 .min = 65536, .max = 1 << 30, .word = "auto"},
	{"reorder", SCHEMA_BOOL, .def = "off",
	 .help = "the edge NIC puts RoCE packets in order for a host that goes back N",
	 ATTACH_AT(reorder)},
	{"reorder-window", SCHEMA_INTEGER, .def = "1024",
	 .help = "packets that may wait for missing ones", ATTACH_AT(reorder_window), .min = 1,
	 .max = REORDER_PACKETS_MAX},
	{"reorder-timeout", SCHEMA_DURATION, .def = "500us",
	 .help = "how long to wait for a missing packet", ATTACH_AT(reorder_timeout_ps),
	 .min = 1000000, .max = SCHEMA_HOUR_PS},
	{"reorder-first", SCHEMA_DURATION, .def = "100us",
	 .help = "how long the first packet of a queue pair waits for packets before it",
	 ATTACH_AT(reorder_first_ps), .max = SCHEMA_HOUR_PS},
};

const struct schema schema_attach = {SCHEMA_COUNT(attach_keys),
				     .size = sizeof(struct config_attach), .check = check_attach};

static const struct schema_key record_keys[] = {
	{"interval", SCHEMA_DURATION,
	 .help = "time between samples; required for everything but pcap", AT(record.interval_ps),
	 .min = 1000, .max = SCHEMA_HOUR_PS},
	{"queues", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE,
	 .help = "depths: such as leaf1.swp5.3, or all", AT(record.queues)},
	{"flows", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE,
	 .help = "rates: names of workload items, ids of flows, or all", AT(record.flows)},
	{"links", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE,
	 .help = "loads: such as leaf1-spine1 (both directions) or leaf1.swp5, or all",
	 AT(record.links)},
	{"pauses", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE, .help = "pauses of these ports, or all",
	 AT(record.pauses)},
	{"pools", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE, .help = "pools of these switches, or all",
	 AT(record.pools)},
	{"film", SCHEMA_BOOL, .def = "off",
	 .help = "record a film of all ports and switches; needs interval", AT(record.film)},
	{"film-limit", SCHEMA_BYTES, .def = "1GB",
	 .help = "maximum size of the film; the run goes on without it",
	 AT(record.film_limit_bytes), .min = 65536, .max = INT64_MAX},
	{"pcap", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE, .help = "ports to capture", AT(record.pcap)},
	{"snaplen", SCHEMA_BYTES, .def = "128B", .help = "bytes kept of each packet, or full",
	 AT(record.snaplen_bytes), .min = 14, .max = 65536, .word = "full",
	 .flag_offset = offsetof(struct config, record.snaplen_full)},
};

static void
check_record(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_record *r = &((struct config *)base)->record;
	const struct yaml_pair *interval = yaml_tree_get(node, "interval");

	unsigned series = r->queues.count + r->flows.count + r->links.count + r->pauses.count +
			  r->pools.count;

	r->pos = node->pos;
	r->interval_pos = interval != NULL ? interval->value->pos : node->pos;
	if ((series != 0 || r->film) && interval == NULL)
		decode_error(d, node->pos,
			     "needs an interval between samples, such as interval: 1us");
	else if (r->film && r->interval_ps % 1000 != 0)
		decode_error(d, node->pos, "the interval of a film must be whole nanoseconds");
}

// ---- the top level ------------------------------------------------------------------------------

static const struct schema live = {SCHEMA_COUNT(live_keys)};
static const struct schema record = {SCHEMA_COUNT(record_keys), .check = check_record};

// Where a node's own section may stand: names by place, or any that the topology lists.
#define PLACED(name_) "^(p[1-9]-)?" name_ "[1-9][0-9]*$"
#define SWITCH                                    \
	{                                         \
		SCHEMA_MAP, .sub = &schema_switch \
	}
static const struct schema_form host = {SCHEMA_MAP, .sub = &schema_host};
static const struct schema_others nodes[] = {
	{PLACED("leaf"), "leafN", "one leaf", SWITCH, .live = true},
	{PLACED("spine"), "spineN", "one spine", SWITCH, .live = true},
	{PLACED("super"), "superN", "one super-spine", SWITCH, .live = true},
	{"^h[1-9][0-9]*$", "hN", "one host", {SCHEMA_MAP, .sub = &schema_host}, .live = false},
	{"^[A-Za-z0-9][A-Za-z0-9_-]*$",
	 "NODE",
	 "a node by the name that the topology gives it",
	 {SCHEMA_MAP, .sub = &schema_switch, .other = &host},
	 .live = true,
	 .listed = true},
	{.pattern = NULL},
};

// clang-format off
#define COMMON_KEYS										\
	{"live", SCHEMA_MAP, .help = "how it runs live", .sub = &live},				\
	{"tenants", SCHEMA_NAMED, .flags = SCHEMA_LIVE, .help = "tenants by name, each a VRF",	\
	 SCHEMA_ITEMS(struct config, tenants, tenant_count), .sub = &schema_tenant},		\
	{"events", SCHEMA_LIST, .help = "what happens while it runs",				\
	 SCHEMA_ITEMS(struct config, events, event_count), .sub = &schema_event},		\
	{"record", SCHEMA_MAP, .help = "what to write in addition to the result", .sub = &record},	\
	{"stop", SCHEMA_DURATION, .def = "idle",						\
	 .help = "when a run ends; idle: when nothing is left to do", AT(stop.time_ps), .min = 1,\
	 .max = INT64_MAX, .word = "idle", .flag_offset = offsetof(struct config, stop.idle)},	\
	{"stall", SCHEMA_DURATION, .def = "10ms",						\
	 .help = "deadlock: no packet moves, or flows only retransmit, for this long",		\
	 AT(stall_ps), .min = 1000,								\
	 .max = SCHEMA_HOUR_PS}
// clang-format on

// Every file that this version reads without errors is of its own version once it is read.
#define VERSION_KEY                                                                            \
	{                                                                                      \
		"version", SCHEMA_INTEGER,                                                     \
			.def = FORMAT_VERSION_TEXT,                                            \
			.help = "the version of the file's format, which `roost save` writes", \
			AT(version), .min = 1, .max = FORMAT_VERSION                           \
	}

static const struct schema_key fabric_file_keys[] = {
	VERSION_KEY,
	{"fabric", SCHEMA_SECTION, .help = "the fabric", .sub = &schema_fabric, .required = 1},
	{"subnet", SCHEMA_MAP, .help = "forwarding tables of an InfiniBand fabric", .sub = &subnet},
	{"switch", SCHEMA_SECTION, .flags = SCHEMA_LIVE, .help = "every switch",
	 .sub = &schema_switch},
	COMMON_KEYS,
	{"leaf", SCHEMA_SECTION, .flags = SCHEMA_LIVE, .help = "every leaf", .sub = &schema_switch},
	{"spine", SCHEMA_SECTION, .flags = SCHEMA_LIVE, .help = "every spine",
	 .sub = &schema_switch},
	{"super-spine", SCHEMA_SECTION, .flags = SCHEMA_LIVE, .help = "every super-spine",
	 .sub = &schema_switch},
	{"hosts", SCHEMA_SECTION, .help = "every host", .sub = &schema_host},
	{"attach", SCHEMA_NAMED, .flags = SCHEMA_ENDPOINTS | SCHEMA_LIVE,
	 .help = "live: real hosts, by name, or single NICs of them, such as h1.eth2",
	 SCHEMA_ITEMS(struct config, attach, attach_count), .sub = &schema_attach,
	 SCHEMA_FORM(SCHEMA_NAMED, .pattern = SCHEMA_ENDPOINT_PATTERN, .sub = &schema_attach)},
	{"workload", SCHEMA_LIST, .help = "what the hosts send",
	 SCHEMA_ITEMS(struct config, workload, work_count), .sub = &schema_work},
};
// An unknown key may be the name of a node: load.c checks.
const struct schema schema_fabric_file = {SCHEMA_COUNT(fabric_file_keys),
					  .unknown_passed_over = true, .others = nodes};

static const struct schema_key switch_file_keys[] = {
	VERSION_KEY,
	{"switch", SCHEMA_SECTION, .help = "the switch", .sub = &schema_single, .required = 1},
	COMMON_KEYS,
};
const struct schema schema_switch_file = {SCHEMA_COUNT(switch_file_keys),
					  .unknown_passed_over = true};
