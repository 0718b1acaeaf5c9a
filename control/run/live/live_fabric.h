// SPDX-License-Identifier: BSD-3-Clause
// A live fabric in this process: worker lcores, device ports, hosts in namespaces. bring_up.c says
// in which order it comes up and goes down. Control thread.
#pragma once

#include "control/events/events.h"
#include "control/fabric/flows.h"
#include "control/fabric/log.h"
#include "control/io/host/veth.h"
#include "control/run/device_ports.h"

#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>

struct bfd_agent;
struct device_drops_state;
struct device_links;
struct host_ending;
struct learner;
struct lldp_agent;
struct answer_source;
struct local_addresses;
struct node_snapshot;
struct watcher;

struct live_fabric {
	struct config *config;
	char name[CONFIG_RUN_NAME_MAX]; // of this process (config_run_name())
	const struct config_part *part; // that it runs; NULL: all of the fabric
	uint32_t revision;              // that it came up as; 0: from a file
	struct topology *topology;
	bool *attached;              // by host
	uint16_t *workers;           // by node
	struct packet_pool **pools;  // by node
	struct rte_mempool *packets; // that devices receive into
	struct packet_store *store;  // the fabric's own
	struct packet_pool *lifos[LIVE_WORKERS_MAX];
	struct fabric *fabric;
	struct workload *workload;
	struct fabric_flows *flows;
	struct events *events;
	struct fabric_log *log;
	struct device_port *devices;
	uint32_t device_count, device_room;
	bool in_user_namespace;                    // of Linux, where no process may use AF_XDP
	struct device_drops_state *detached_drops; // of devices whose host has been detached
	struct config_attach
		*entries; // of `attach:`, where some were added; NULL: those of the file
	struct local_addresses *local_addresses; // NULL: no port shares an interface with Linux
	struct answer_source *answer_sources;    // by port of that switch
	struct device_links *links;              // NULL: no device, and no host to attach one to
	bool *links_reported;    // by link: another part has reported it down; NULL: none has yet
	struct watcher *watcher; // takes interfaces down if the process dies
	struct learner *learner; // NULL: no switch learns routes
	struct lldp_agent *lldp;
	struct bfd_agent *bfd;       // NULL: no switch runs BFD sessions
	struct host_ending *endings; // processes of detached hosts that are to end
	uint32_t ending_count;
	struct live_drive drive;
	int64_t since; // when the workers started, in seconds since 1970
	bool drive_ready;
	bool running;
	bool eal;
	int outer_netns; // the namespace the process came from; -1: it never left
	uint32_t worker_count;
	size_t huge_bytes;     // memory in huge pages (dataplane/base/huge.h), as shown last,
	int64_t huge_bytes_ms; // and when that was found out; 0: never
	FILE *notes;           // lines for the user once it is up: host settings, what is left out
};

// Where a fabric's description comes from.
struct live_source {
	const char *file;   // for messages; read if text is NULL
	const char *text;   // what a fabric ran
	size_t length;      // of text
	const char *beside; // of text: config_load_revision()
	uint32_t revision;  // that text is
	const char *part;   // to run; NULL: all of the fabric
};

// How many packets it gets (packet_plan.c).
struct packet_plan {
	struct pool_options devices;
	unsigned reserve; // of those, kept for receiving
	struct packet_store_options store;
	struct fabric_packets waiting; // of those of the store, what buffers may hold
	uint64_t memory_bytes;         // that all may take
};

#define LIVE_LIFO_PACKETS 1024u

// Whether this process runs a node: else another part does.
static inline bool
live_is_here(const struct live_fabric *live, uint32_t node)
{
	return live->part == NULL || topology_part_of(live->topology, node) == live->part;
}
// Returns 0 if it does, or -EINVAL with an error in diag that says which process to ask instead.
// (bring_up.c)
int live_check_here(const struct live_fabric *live, uint32_t node, struct diag *diag);

// ---- bring_up.c ---------------------------------------------------------------------------------
// Errors are in diag: those of the file with their place, others without one.

// Zeroed, but for outer_netns and the stream that the caller has opened.
#define LIVE_FABRIC_NONE(stream) ((struct live_fabric){.outer_netns = -1, .notes = (stream)})

// Reads the file and checks everything that needs neither root nor devices. Returns 0 or -EINVAL;
// live_fabric_close() in either case.
int live_fabric_load(struct live_fabric *live, const struct live_source *source, struct diag *diag);
// Brings it up: EAL, namespaces, devices, nodes; workers run when it returns 0. After -errno
// live_fabric_close() leaves nothing behind. The process enters a network namespace of its own if
// there are hosts.
int live_fabric_open(struct live_fabric *live, struct diag *diag);
// At most the least delay of a link between workers. window: the least of all links; lookahead: of
// those into switches.
ps_t live_fabric_reach(const struct live_fabric *live, ps_t window, ps_t lookahead);
// Stops the workers, closes devices and removes the namespaces that were made. LIVE_FABRIC_NONE()
// is fine, and that is what is left.
void live_fabric_close(struct live_fabric *live);

// ---- packet_plan.c ------------------------------------------------------------------------------

// Works out how many packets a fabric needs, within `live.packet-memory`; devices are listed,
// workers assigned. A note says so if that is less than its buffers can take. Returns 0 or -ENOMEM.
int packet_plan_make(const struct live_fabric *live, struct packet_plan *plan, struct diag *diag);

// ---- devices.c: attached hosts, and ports of a switch that are devices --------------------------

// Lists the device ports of the file. Returns 0 or -EINVAL.
int devices_list(struct live_fabric *live, struct diag *diag);
// Reads the MTU and MAC of interfaces of `netdev:`, before the fabric is made. Returns 0 or -errno.
int devices_query_netdevs(struct live_fabric *live, struct diag *diag);
// Opens them all and joins each to its port by two wires. The fabric exists. Returns 0 or -errno.
int devices_open(struct live_fabric *live, struct diag *diag);
void devices_close(struct live_fabric *live);

// The same of one device, at any time: before the workers start, or while they run. Opening makes
// what it needs (namespace, veth), and has its worker poll it from then on. Closing takes the
// port's link down, waits until the worker has let go of the device, and removes its veth; its
// wires and its namespace stay, and it may be opened again. After an error nothing of it is open.
int devices_open_one(struct live_fabric *live, struct device_port *d, struct diag *diag);
void devices_close_one(struct live_fabric *live, struct device_port *d);
// Takes the link of a port whose device is open down, or up: a worker polls only devices whose link
// is up. Workers run.
void devices_set_link(struct live_fabric *live, struct device_port *d, bool up);
// Gives up the device's entry of `attach:` that stands in no file, and frees it if no other device
// of the host refers to it.
void devices_release_own(struct live_fabric *live, struct device_port *d);
// Frees the packets of a wire that nobody puts on any more, and the wire. NULL is fine.
void devices_close_wire(struct wire *w, struct packet_pool *packets);
// Has a node's own worker change the carrier of a port.
void devices_set_carrier(struct live_fabric *live, const struct node *node, uint16_t port, bool up);

// ---- device_interfaces.c: what is under devices in Linux ----------------------------------------

// Makes namespaces and veths, and notes wrong settings of interfaces that the user gave. Returns 0
// or -errno; devices_close() undoes what was made. The second does so for one device.
int devices_prepare(struct live_fabric *live, struct diag *diag);
int devices_prepare_one(struct live_fabric *live, struct device_port *d, struct diag *diag);
// Gives an interface of an attached host the addresses that it has now; `had`: those before.
// Returns 0, also for an interface that Roost did not make, or -errno.
int devices_readdress(const struct live_fabric *live, uint32_t host, uint8_t port,
		      const struct tenant_port *had, struct diag *diag);
// Gives the interface of an attached host, which has been down, its addresses and routes again.
// Nothing for one that Roost did not make. Returns 0 or -errno.
int devices_restore_host(const struct live_fabric *live, const struct device_port *d,
			 struct diag *diag);
// After devices_close_one(): removes what was made for a device, namespace and tap, or the rules in
// a namespace that stays.
void devices_remove_made(struct live_fabric *live, struct device_port *d);
// Whether a host has IPv6. With it Linux sends router solicitations and multicast reports, which a
// lossless fabric would have to drop: only hosts that are configured for it.
bool host_uses_ip6(const struct live_fabric *live, uint32_t host);

// ---- device_links.c: the links of devices -------------------------------------------------------

// Listens for changes; workers run. live->links stays NULL where no device can be. Returns 0 or
// -errno.
int device_links_open(struct live_fabric *live, struct diag *diag);
// Takes ports down whose device has lost its link, closes devices that are gone, and has both back
// when they are. Each change is in the log.
void device_links_poll(struct live_fabric *live);
// NULL is fine.
void device_links_close(struct device_links *links);

// ---- host_netns.c: where attached hosts are -----------------------------------------------------

#define HOST_NETNS_TEXT 160
// What a host's network namespace is called behind the word "namespace". Returns text.
const char *host_netns_text(const struct config_attach *attach, char text[static HOST_NETNS_TEXT]);
// The command that runs another in it: "ip netns exec NAME". Returns text.
const char *host_netns_enter(const struct config_attach *attach, char text[static HOST_NETNS_TEXT]);
// Opens the network namespace of an attached host, as it is now: it may be another one than last
// time if a container has restarted. Returns a descriptor for the caller to close, or -errno with
// an error in diag. Waits for the program of Docker only the first time; -EAGAIN while that is
// asked again.
int host_netns_open(const struct live_fabric *live, const struct device_port *d, struct diag *diag);

// A device of another entry that is attached to the same named namespace: another NIC of the host.
// NULL: none.
struct device_port *host_netns_other(const struct live_fabric *live, const struct device_port *d);
// To be called before host_netns_open(), for what is remembered of a container or a process; frees
// it.
void host_container_prepare(struct device_port *d);
void host_container_free(struct host_container *c); // NULL is fine
// Whether the process of `pid:`, or of the container, lives.
bool host_netns_has_process(const struct device_port *d);
// Whether a container is being looked for.
bool host_container_searched(const struct device_port *d);

// ---- host_routes.c: routes in the namespaces of attached hosts ----------------------------------

#define HOST_ROUTES_MAX 3
// The routes of a NIC for an IP version, at most HOST_ROUTES_MAX. Returns their number.
unsigned host_routes_list(const struct live_fabric *live, const struct device_port *d, int family,
			  struct veth_route *out);
// The rules of a host with several NICs: what is sent from the addresses of this one leaves by it.
// options: of its veth. Return 0, or -errno with an error in diag.
int host_rules_add(const struct live_fabric *live, const struct device_port *d,
		   const struct veth_options *options, struct diag *diag);
// The addresses were `old`, as many.
int host_rules_change(const struct live_fabric *live, const struct device_port *d,
		      const struct veth_options *options, const struct veth_address *old,
		      struct diag *diag);
// Of a namespace that stays.
void host_rules_delete(const struct live_fabric *live, const struct device_port *d);

// ---- attach.c: hosts that are attached and detached while the fabric runs -----------------------

// Attaching has two steps: in between, what a fabric that is killed would leave is recorded
// (instance_record()). The first checks what is to be attached and finds its places in the list of
// devices; the second attaches it, and cancelling gives the places up. Return 0, or -errno with an
// error in diag and nothing changed.
int live_attach_plan(struct live_fabric *live, const char *host, const struct yaml_node *entry,
		     const struct config_attach **out, struct diag *diag);
int live_attach(struct live_fabric *live, const struct config_attach *attach, struct diag *diag);
void live_attach_cancel(struct live_fabric *live, const struct config_attach *attach);
// Warns of packets that overtake each other on their way to hosts that are attached now.
void live_attach_advice(const struct live_fabric *live, struct diag *diag);
// Detaches it: a simulated NIC comes back if the file has not attached it. Returns as above.
int live_detach(struct live_fabric *live, const char *host, struct diag *diag);

// ---- attach_restore.c: hosts of a fabric that comes up as it ran -------------------------------

struct store;

// Whether a process runs and began before `at`, in seconds since 1970.
bool attach_process_is_there(uint32_t pid, int64_t at);
// Leaves out, with a warning, hosts by `pid:` whose process has ended. revision: which the
// configuration is.
void attach_leave_out_ended(struct live_fabric *live, uint32_t revision, struct diag *diag);
// The same of the tree of a revision that is about to be in force again, but for hosts that are
// attached so.
void attach_leave_out_of(struct yaml_node *root, const struct config *running,
			 const struct store *store, uint32_t revision, struct diag *diag);

// ---- attach_nic.c: the place of a host that is attached while the fabric runs -------------------

// Makes the place for a device, which is not open: an edge NIC, or the leaf's port. Returns 0, or
// -errno with an error in diag; attach_leave_place() undoes it, also then.
int attach_make_place(struct live_fabric *live, struct device_port *d, struct diag *diag);
// Its device is closed, and it is marked as detached. A simulated NIC comes back where nothing else
// is attached to the host.
void attach_leave_place(struct live_fabric *live, struct device_port *d);

// ---- attach_addresses.c: addresses of hosts that are attached while the fabric runs -------------

// Gives a simulated host the MAC and the addresses that its entry says, if any; or those back that
// it had before. Both return 0, or -errno with an error in diag and nothing changed.
int attach_take_addresses(struct live_fabric *live, struct device_port *d, struct diag *diag);
int attach_return_addresses(struct live_fabric *live, struct device_port *d, struct diag *diag);

// ---- host_names.c, host_processes.c: in the namespaces that this fabric has made ----------------

// Writes what names of hosts mean there, as they are now. live->notes has the namespaces that have
// a file of the user's, when the fabric comes up.
void host_names_write(const struct live_fabric *live);
// The processes there, of one host as it was attached or of all (NULL), as [{"pid", "command",
// "netns"}].
json_t *host_processes_list(const struct live_fabric *live, const char *host);
// Has them end, and says which on stderr: by SIGTERM now, and by SIGKILL a second later. To be
// polled until they have; or waited for, at most two seconds.
void host_processes_end(struct live_fabric *live, const char *host);
void host_processes_poll(struct live_fabric *live);
void host_processes_finish(struct live_fabric *live);

// ---- live_events.c: the file's events -----------------------------------------------------------

// Resolves them; the fabric exists. Returns 0 or -EINVAL.
int live_events_create(struct live_fabric *live, struct diag *diag);
// Publishes the tables that were prepared for nodes, and frees the previous ones when no worker
// holds them any more: one grace period for all. Workers run.
void live_events_publish_tables(struct live_fabric *live, struct tables **old, uint32_t count);
// Applies the events that are due. Errors go to the log.
void live_events_apply(struct live_fabric *live);
// How long until the next event in wall time, in ms, at most `most`.
int live_events_next_ms(const struct live_fabric *live, int most);

// ---- learning.c: routes that switches learn (`learn:`) ------------------------------------------

// Opens the sources of all VRFs that learn and waits briefly until what they know is in force.
// Returns 0 or -errno.
int learning_open(struct live_fabric *live, struct diag *diag);
void learning_close(struct live_fabric *live);
// Takes in what sources and switches report.
void learning_poll(struct live_fabric *live);
// Becomes readable when it is time to; -1 if no VRF learns.
int learning_fd(const struct live_fabric *live);
// How long until learning_poll() has to be called, in ms, at most `most`.
int learning_wait_ms(const struct live_fabric *live, int most);

// ---- local_addresses.c: packets to Linux's own addresses are for the kernel, by whichever port --

// Gives all ports that share an interface with the kernel the addresses that Linux has there, and
// listens for changes from then on. live->local_addresses stays NULL without such a port. Returns 0
// or -errno.
int local_addresses_open(struct live_fabric *live, struct diag *diag);
// A port was opened again: it needs them too.
void local_addresses_refresh(struct live_fabric *live);
// Gives the ports changed addresses.
void local_addresses_poll(struct live_fabric *live);
// How many addresses there are, as last reported, and how many of them found no room.
void local_addresses_count(const struct local_addresses *l, size_t *addresses, size_t *left_out);
// NULL is fine.
void local_addresses_close(struct local_addresses *l);

// ---- icmp_sources.c: where ICMP errors of a switch come from whose addresses are Linux's --------

// The addresses of Linux, each with its interface, in the order in which Linux names them.
struct local_list {
	struct steering_address *addresses;
	char (*interfaces)[IFNAMSIZ];
	size_t count;
};

// The ports' sources are chosen anew. Workers may run.
void icmp_sources_set(struct live_fabric *live, const struct local_list *l);

// ---- node_snapshot.c: a copy of the nodes' counters, each as it stood between two turns ---------
// The workers copy; the control thread reads.

struct node_snapshot {
	struct report_node *reports; // of the last copy, by node of the topology
	ps_t at;                     // the latest time of one of its nodes
	ps_t *times;                 // of each
	bool restarts_peaks;         // of queues, when it is taken
	// The watermarks that are cleared at the instant at which a node is copied, or NULL, and of
	// which node; TOPOLOGY_NONE: of all.
	const struct watermark_choice *clears;
	uint32_t clears_of;
	struct node_copy *nodes;      // where reports point to
	struct node *const *in_force; // the fabric's, by index
	uint32_t count;
};

struct node_snapshot *node_snapshot_create(const struct live_fabric *live);
void node_snapshot_destroy(struct node_snapshot *c);
// When a node's copy was made.
ps_t node_snapshot_at(const struct node_snapshot *c, uint32_t node);
// Has the workers fill it.
void node_snapshot_take(struct node_snapshot *c, struct live_fabric *live);
// The same, and clears watermarks of a node, or of all (TOPOLOGY_NONE). The copy has what they
// were: no packet comes between the two.
void node_snapshot_clear(struct node_snapshot *c, struct live_fabric *live, uint32_t node,
			 const struct watermark_choice *which);
