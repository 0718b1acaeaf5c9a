// SPDX-License-Identifier: BSD-3-Clause
// What the XDP program of a port with a kernel beside it (steer.bpf.c) and who loads it
// (steering.c) agree on. Of the kernel's own headers only, for one side is compiled for BPF.
#pragma once

#include <linux/types.h>

// What a frame was taken for. The first go to the dataplane, two are dropped, those from STEER_ARP
// on go to the kernel.
enum steer_class {
	STEER_OTHER,       // to be forwarded, or dropped with a reason
	STEER_PAUSE,       // MAC control: PFC and 802.3x
	STEER_VXLAN,       // to the switch's end of a tunnel
	STEER_BFD_OFFLOAD, // single hop, of a switch that runs its sessions itself
	STEER_UNREAD,      // for the dataplane, but nobody reads its AF_XDP socket: dropped
	STEER_BGP_HELD,    // BGP of a neighbour that BFD has lost: dropped
	STEER_ARP,
	STEER_ND,   // ICMPv6 133 to 137
	STEER_LLDP, // and whatever else 802.1 keeps on one link: STP, LACP, ...
	STEER_BGP,
	STEER_BFD,
	STEER_LINK_LOCAL, // other packets that no router passes on
	STEER_LOCAL,      // other packets to an address of the switch
	STEER_CLASSES,
};

struct steer_count {
	__u64 packets;
	__u64 bytes;
};

#define STEER_PROGRAM "roost_steer"
#define STEER_XSKS "xsks_map" // the name that the port driver looks for
#define STEER_COUNTERS "steer_counters"
#define STEER_LOCAL4 "steer_local4"
#define STEER_LOCAL6 "steer_local6"
#define STEER_SETTINGS "steer_settings"
#define STEER_HELD "steer_held"

#define STEER_QUEUES 64
#define STEER_ADDRESSES 4096 // of each version, that the kernel beside a port may have

// The only value of STEER_SETTINGS: bits.
#define STEER_SETTING_BFD 1u // the dataplane gets BFD
// The last byte of the destination that such frames get, 01:80:c2:00:00:05: the switch's pipeline
// has a branch for reserved addresses already. No frame has that destination otherwise, because the
// kernel gets those.
#define STEER_BFD_ADDRESS_LAST 0x05

// Keys of STEER_HELD: the endpoints of a BFD session that is lost. An IPv4 address is written
// ::ffff:192.0.2.1.
struct steer_endpoints {
	__u8 from[16], to[16];
};
#define STEER_HELD_MAX 1024

#define STEER_PORT_VXLAN 4789
