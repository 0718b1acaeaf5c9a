// SPDX-License-Identifier: BSD-3-Clause
// Ports of switches whose far end is a DPDK device: those of attached hosts, and a lone switch's
// with `dev:` or `netdev:`. What a file asks for is checked here, for `roost check` and for a
// fabric that comes up; control/run/live opens the devices. Control thread.
#pragma once

#include "control/base/arena.h"
#include "control/io/host/netns.h"
#include "control/model/topology/topology.h"
#include "dataplane/device/device.h"
#include "dataplane/device/pool.h"
#include "dataplane/drive/live.h"

#include <string.h>

struct device_drops_state;
struct host_container;

struct device_port {
	char name[TOPOLOGY_NAME_MAX]; // "leaf1.swp1"
	char spec[DEVICE_SPEC_MAX];
	uint32_t node;
	uint16_t port;
	uint32_t host;                      // TOPOLOGY_NONE: not a host's
	uint8_t host_port;                  // index among the host's NICs
	const struct config_attach *attach; // NULL: not a host's
	const char *netns;                  // its name; NULL: none, or not by name
	bool own_veth;                 // its far end stands in the network namespace of `attach`
	char interface[IFNAMSIZ];      // own_veth: its near end; or a tap that Roost makes
	const char *netdev;            // the interface that it shares with the kernel, or NULL
	uint32_t mtu;                  // 0: the interface's, which only the machine knows
	const struct config_part *far; // of a link to another part, that part; NULL: it is none
	struct diag_pos pos;

	// Of a live fabric.
	bool detached;     // by a command, or not attached yet: nothing is there, nor looked for
	struct arena *own; // of an entry in no file, shared by its NICs; NULL: in the file
	struct wire *nic_in, *nic_out; // of the leaf's port, while the device is in a NIC's place
	struct host_container *container; // or process; NULL: it is neither
	bool own_addresses;               // that `attach` has given it while the fabric runs
	uint8_t was_mac[6];               // before that,
	uint8_t was_ip4[4], was_ip6[16];  // and its addresses
	bool netns_created, tap_created;
	struct live_port live;
	bool up;                // its worker has it: the device is open and its link is up
	struct netns_id id;     // of the namespace that it is attached to
	uint32_t carrier_downs; // of its own veth, when last read
	char *waiting;          // why it is not open, as the log has it; NULL: it is
	struct device_drops_state *drops;
};

// Devices that may be added to a list while a fabric runs.
#define DEVICE_PORTS_SPARE 64

// Lists the device ports of a topology that topology_apply_attach() has seen, in a list that has
// room for DEVICE_PORTS_SPARE more; the caller frees it. It refers to the topology and its
// configuration. part: which of `fabric.parts` they are of, with its ends of links to others; NULL:
// all nodes. Returns 0, or -EINVAL with errors in diag.
int device_ports_list(struct device_port **out, uint32_t *count, const struct topology *topology,
		      const struct config_part *part, struct diag *diag);

// A place of the list that nothing stands at any more.
static inline bool
device_port_is_free(const struct device_port *d)
{
	return d->detached && d->attach == NULL;
}

// A NIC that is bound to DPDK; others have a driver's name.
static inline bool
device_port_is_on_pci(const struct device_port *d)
{
	return strncmp(d->spec, "net_", 4) != 0;
}

// Adds what an entry of `attach:` names to a list that has room for it, at places that are free or
// at the end: those whose `attach` it is then, also after an error. Returns 0, or -EINVAL with
// errors in diag.
int device_ports_add(struct device_port *list, uint32_t *count, const struct topology *topology,
		     const struct config_attach *attach, struct diag *diag);

// The Linux interface that a device string names. Returns name, or NULL if there is none.
const char *device_port_interface(const char *spec, char name[static IFNAMSIZ]);

// Whether a veth that Roost makes while the fabric runs can be opened by AF_XDP with packets of
// this pool: they suit it, and enough are free. Then device_port_use_af_xdp() has it opened so;
// number: its place in the list.
bool device_port_fits_af_xdp(const struct rte_mempool *pool, uint32_t mtu);
void device_port_use_af_xdp(struct device_port *d, uint32_t number);

// Has the veths that Roost makes opened by packet sockets, for a process that may not use AF_XDP.
void device_ports_avoid_af_xdp(struct device_port *ports, uint32_t count);

// The packets that the devices need: their number is what the devices and edge NICs hold on to.
struct pool_options device_ports_pool(const struct device_port *ports, uint32_t count);

// Whether the devices can be opened and carry their MTUs, as far as the file shows. Ports without
// an MTU count as the smallest. Warns of attached hosts whose MTU is more than a path carries.
// Returns 0, or -EINVAL with errors in diag.
int device_ports_check(const struct device_port *ports, uint32_t count,
		       const struct topology *topology, struct diag *diag);
