// SPDX-License-Identifier: BSD-3-Clause
// Every reason for which a packet can be dropped: its name as users see it, and the advice that
// `roost show drops` prints. This list is the only place that knows them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// X(id, name, advice)
#define DROP_REASONS(X)                                                                            \
	X(RUNT, "runt", "shorter than an Ethernet header: look at the sender or the capture")      \
	X(TRUNCATED, "truncated",                                                                  \
	  "the frame is shorter than its headers say: look at the capture's snaplen")              \
	X(MALFORMED, "malformed", "a header contradicts itself or the frame: look at the sender")  \
	X(BAD_FCS, "bad-fcs",                                                                      \
	  "the frame was corrupted on the link: look at the cable and its optics")                 \
	X(BAD_CHECKSUM, "bad-checksum",                                                            \
	  "the IPv4 header checksum is wrong: turn off checksum offload at the sender")            \
	X(BAD_ICRC, "bad-icrc",                                                                    \
	  "the RoCEv2 ICRC is wrong: something on the path rewrote covered fields")                \
	X(NOT_IP, "not-ip",                                                                        \
	  "only IPv4 and IPv6 are routed; ARP is answered only at ports of hosts")                 \
	X(MULTICAST, "multicast", "multicast and broadcast are not routed")                        \
	X(MULTICAST_SOURCE, "multicast-source",                                                    \
	  "the source address is multicast, which is never valid: look at the sender")             \
	X(LOOPED, "looped",                                                                        \
	  "the frame carries this port's own source MAC: look for a loop or a mirror")             \
	X(WRONG_MAC, "wrong-mac",                                                                  \
	  "the destination MAC is not this port's: check the sender's neighbour entry")            \
	X(RESERVED_ADDRESS, "reserved-address",                                                    \
	  "01:80:c2:00:00:0x never passes a switch; no action needed")                             \
	X(MARTIAN, "martian",                                                                      \
	  "an address that may not cross a router: check the sender's addressing")                 \
	X(MTU_EXCEEDED, "mtu-exceeded",                                                            \
	  "larger than the MTU of the port or tunnel: lower the sender's or the RoCE path MTU")    \
	X(TTL_EXPIRED, "ttl-expired", "TTL or hop limit ran out: a routing loop, or a traceroute") \
	X(NO_ROUTE, "no-route",                                                                    \
	  "no route in the port's VRF, or one that says drop: tenants are isolated, or a route "   \
	  "is missing")                                                                            \
	X(UNKNOWN_VNI, "unknown-vni",                                                              \
	  "no VRF here has the VXLAN header's VNI: compare the tenants' `vni` at both ends")       \
	X(UNKNOWN_VLAN, "unknown-vlan",                                                            \
	  "no VRF here has the tag's VLAN: compare the tenants' `vlan` at both ends")              \
	X(TUNNEL_ECN, "tunnel-ecn",                                                                \
	  "marked CE in a tunnel, not ECT inside (RFC 6040): enable ECN at the sender")            \
	X(TENANT_MOVED, "tenant-moved",                                                            \
	  "in flight to or from a host when it changed tenants; no action needed")                 \
	X(NO_NEXT_HOP, "no-next-hop",                                                              \
	  "every next hop is down: look at the links of the route's group")                        \
	X(NO_NEIGHBOUR, "no-neighbour",                                                            \
	  "the neighbour's MAC is not known yet: check whether it answers (show neighbour)")       \
	X(LINK_DOWN, "link-down",                                                                  \
	  "sent to a link that is down: a host's own link, or routes have not converged yet")      \
	X(LINK_FAULT, "link-fault",                                                                \
	  "lost by a fault that an event or `roost link` has put on the link")                     \
	X(HEADROOM, "headroom",                                                                    \
	  "headroom too small for rate, cable or MTU, or the sender ignores pauses, as with "      \
	  "`nic: off`")                                                                            \
	X(INGRESS_POOL, "ingress-pool",                                                            \
	  "a lossy group reached its ingress threshold: congestion, or alpha too small")           \
	X(EGRESS_POOL, "egress-pool",                                                              \
	  "a queue reached its egress threshold: congestion, or alpha too small")                  \
	X(TENANT_SHARE, "tenant-share",                                                            \
	  "the tenant used up its share of the pool: raise its share or guarantee")                \
	X(RED, "red",                                                                              \
	  "random early detection: not ECT in a congested queue; enable ECN at the sender")        \
	X(WATCHDOG, "watchdog",                                                                    \
	  "the PFC watchdog holds the queue in a storm: find out what pauses it")                  \
	X(TRIMMED, "trimmed", "a switch trimmed the packet to its headers: congestion on the way") \
	X(NOT_FOR_HOST, "not-for-host",                                                            \
	  "the NIC does not accept it: wrong destination, or not RoCEv2")                          \
	X(RECEIVE_BUFFER, "receive-buffer",                                                        \
	  "the host took packets too slowly: look at its drain-rate, stall and PFC")               \
	X(HOST_BUFFER, "host-buffer",                                                              \
	  "the host sent more than its link carries: slow it down, or raise attach.HOST.buffer")   \
	X(NO_QUEUE_PAIR, "no-queue-pair",                                                          \
	  "the NIC has no queue pair with that number: look at the flow list")                     \
	X(PACKET_MEMORY, "packet-memory",                                                          \
	  "the switch has used up its share of packet memory: raise `live.packet-memory`")         \
	X(NO_MBUF, "no-mbuf",                                                                      \
	  "no packet memory was free, or the packet lacks room for a tunnel: lower the load or "   \
	  "the MTU")                                                                               \
	X(TO_SWITCH, "to-switch",                                                                  \
	  "sent to the switch itself, which answers only ping, ARP and neighbour discovery")       \
	X(CONTROL_PLANE, "control-plane",                                                          \
	  "more LLDP frames than the switch reads, or too long a frame: look at the sender")       \
	X(LRH_VERSION, "lrh-version",                                                              \
	  "the local route header's LVer is not 0: look at the sender")                            \
	X(LRH_LENGTH, "lrh-length",                                                                \
	  "the packet is not as long as its local route header says: look at the sender")          \
	X(RAW_PACKET, "raw-packet",                                                                \
	  "LNH says that no transport header follows: only InfiniBand transport is switched")      \
	X(VIRTUAL_LANE, "virtual-lane",                                                            \
	  "the VL is none of the port's data VLs 0 to 7: check the sender's SL2VL table")          \
	X(VL15, "vl15", "management packets do not cross simulated links; use `roost subnet`")     \
	X(SERVICE_LEVEL, "service-level",                                                          \
	  "SLs 8 to 15 map to no VL: use SLs 0 to 7 at the sender")                                \
	X(UNKNOWN_LID, "unknown-lid",                                                              \
	  "the forwarding table has no port for the DLID: check LIDs and links (show lft)")        \
	X(PARTITION, "partition",                                                                  \
	  "the P_Key is another partition's: tenants are isolated, or the sender's key is wrong")  \
	X(BAD_CREDIT, "bad-credit",                                                                \
	  "a frame of credits contradicts itself or the link's flow control: look at the sender")  \
	X(LLR_FLUSH, "llr-flush",                                                                  \
	  "link-level retry gave up: look at the cable, or raise qos.llr.replay-max")              \
	X(LLR_DISCARD, "llr-discard", "the link was restarting, and qos.llr.init-action is discard")

enum drop_reason {
#define X(id, name, advice) DROP_##id,
	DROP_REASONS(X)
#undef X
		DROP_COUNT,
};

// The name of a reason, as in counters.json.
const char *drop_name(enum drop_reason reason);

// What to do about it, in one line.
const char *drop_advice(enum drop_reason reason);

// Whether a packet that is dropped for it has an output port and a queue.
bool drop_is_at_queue(enum drop_reason reason);
