// SPDX-License-Identifier: BSD-3-Clause
// A port with a kernel beside it has two readers of its frames: the dataplane, by an AF_XDP socket,
// and Linux, where a routing daemon runs. This program runs in the driver and gives each frame to
// one of them. Linux gets what a switch's CPU would: what belongs to the link (ARP, neighbour
// discovery, 802.1's own addresses, link-local destinations) and what is addressed to the switch,
// so BGP, BFD and pings of it too. Everything else is the dataplane's: fragments, truncated
// frames, unknown protocols. The dataplane drops what it cannot forward, with a reason.
//
// - One 802.1Q tag is skipped, and stays on the frame.
// - MAC control (0x8808) is the dataplane's, though its address is one of 802.1's own: that is PFC.
// - VXLAN to an address of the switch is the dataplane's: tunnels end there.
// - Single-hop BFD is the dataplane's if the switch runs its own sessions. Such a frame gets a
//   reserved destination MAC, by which the pipeline knows it.
// - BGP of a neighbour that BFD has lost is dropped: the session would come up again, although the
//   neighbour's dataplane does not forward.
// - The addresses of the switch are two maps that the control thread fills.
// - With no socket open a frame for the dataplane is dropped: the kernel would route it, past every
//   queue and counter of the switch.
//
// Each read is behind a check against the frame's end, as the verifier wants it; lengths that a
// frame claims are used for nothing but the place of the ports behind IPv4 options. Kernels from
// 5.3.
#include "steer.h"

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <stdbool.h>

#define VLAN_HEADER 4
#define IP_FRAGMENT 0x3fff // more fragments, or an offset
#define ICMPV6 58
#define ND_FIRST 133
#define ND_LAST 137
#define PORT_BGP 179
#define PORT_BFD 3784
#define PORT_BFD_ECHO 3785
#define PORT_BFD_MULTIHOP 4784

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, STEER_QUEUES);
	__type(key, __u32);
	__type(value, __u32);
} xsks_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STEER_CLASSES);
	__type(key, __u32);
	__type(value, struct steer_count);
} steer_counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, STEER_ADDRESSES);
	__type(key, __be32);
	__type(value, __u8);
} steer_local4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, STEER_ADDRESSES);
	__type(key, struct in6_addr);
	__type(value, __u8);
} steer_local6 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} steer_settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, STEER_HELD_MAX);
	__type(key, struct steer_endpoints);
	__type(value, __u8);
} steer_held SEC(".maps");

// Ports of TCP and UDP; the first byte alone of ICMPv6.
struct ports {
	__be16 source;
	__be16 destination;
};

// What comes to the kernel's address is by protocol and ports; `otherwise` is what it is without.
static __always_inline enum steer_class
class_of_payload(__u8 protocol, void *payload, void *end, enum steer_class otherwise)
{
	const struct ports *ports = payload;
	__u16 source, destination;

	if ((void *)(ports + 1) > end)
		return otherwise;
	source = bpf_ntohs(ports->source);
	destination = bpf_ntohs(ports->destination);
	if (protocol == IPPROTO_TCP && (source == PORT_BGP || destination == PORT_BGP))
		return STEER_BGP;
	if (protocol != IPPROTO_UDP)
		return otherwise;
	if (destination == PORT_BFD)
		return STEER_BFD_OFFLOAD; // if the switch runs its sessions: offload_bfd()
	if (destination == PORT_BFD_ECHO || destination == PORT_BFD_MULTIHOP)
		return STEER_BFD;
	if (destination == STEER_PORT_VXLAN && otherwise == STEER_LOCAL)
		return STEER_VXLAN;
	return otherwise;
}

static __always_inline enum steer_class
class_of_bgp(const struct steer_endpoints *endpoints)
{
	return bpf_map_lookup_elem(&steer_held, endpoints) != NULL ? STEER_BGP_HELD : STEER_BGP;
}

static __always_inline enum steer_class
class_of_ip4(void *at, void *end)
{
	const struct iphdr *ip = at;
	enum steer_class class = STEER_LINK_LOCAL;
	struct steer_endpoints endpoints = {0};
	__be32 destination;

	if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl < sizeof(*ip) / 4)
		return STEER_OTHER;
	destination = ip->daddr;
	// 224.0.0.0/24 and the broadcast of this link.
	if ((destination & bpf_htonl(0xffffff00)) != bpf_htonl(0xe0000000) &&
	    destination != bpf_htonl(0xffffffff)) {
		if (bpf_map_lookup_elem(&steer_local4, &destination) == NULL)
			return STEER_OTHER;
		class = STEER_LOCAL;
	}
	if (ip->frag_off & bpf_htons(IP_FRAGMENT))
		return class;
	class = class_of_payload(ip->protocol, at + ip->ihl * 4, end, class);
	if (class != STEER_BGP)
		return class;
	endpoints.from[10] = endpoints.from[11] = endpoints.to[10] = endpoints.to[11] = 0xff;
	__builtin_memcpy(endpoints.from + 12, &ip->saddr, sizeof(ip->saddr));
	__builtin_memcpy(endpoints.to + 12, &ip->daddr, sizeof(ip->daddr));
	return class_of_bgp(&endpoints);
}

static __always_inline enum steer_class
class_of_ip6(void *at, void *end)
{
	const struct ipv6hdr *ip = at;
	const __u8 *payload = at + sizeof(*ip);
	enum steer_class class = STEER_LINK_LOCAL;
	struct in6_addr destination;
	struct steer_endpoints endpoints;

	if ((void *)payload > end || ip->version != 6)
		return STEER_OTHER;
	if (ip->nexthdr == ICMPV6 && (void *)(payload + 1) <= end && *payload >= ND_FIRST &&
	    *payload <= ND_LAST)
		return STEER_ND;
	destination = ip->daddr;
	// fe80::/10 and ff02::/16.
	if ((destination.s6_addr16[0] & bpf_htons(0xffc0)) != bpf_htons(0xfe80) &&
	    destination.s6_addr16[0] != bpf_htons(0xff02)) {
		if (bpf_map_lookup_elem(&steer_local6, &destination) == NULL)
			return STEER_OTHER;
		class = STEER_LOCAL;
	}
	// Extension headers are not walked: such a packet is counted with the others to its
	// address.
	class = class_of_payload(ip->nexthdr, (void *)payload, end, class);
	if (class != STEER_BGP)
		return class;
	__builtin_memcpy(endpoints.from, &ip->saddr, sizeof(endpoints.from));
	__builtin_memcpy(endpoints.to, &ip->daddr, sizeof(endpoints.to));
	return class_of_bgp(&endpoints);
}

// 01:80:c2:00:00:00 to 0f, which no bridge passes on (IEEE 802.1Q, table 8-1).
static __always_inline bool
is_link_address(const __u8 *mac)
{
	return mac[0] == 0x01 && mac[1] == 0x80 && mac[2] == 0xc2 && mac[3] == 0 && mac[4] == 0 &&
	       (mac[5] & 0xf0) == 0;
}

static __always_inline enum steer_class
class_of(void *frame, void *end)
{
	const struct ethhdr *ethernet = frame;
	void *at = frame + sizeof(*ethernet);
	__be16 type;

	if (at > end)
		return STEER_OTHER;
	type = ethernet->h_proto;
	if (type == bpf_htons(ETH_P_8021Q)) {
		const __be16 *tag = at;

		if (at + VLAN_HEADER > end)
			return STEER_OTHER;
		type = tag[1];
		at += VLAN_HEADER;
	}
	if (type == bpf_htons(ETH_P_PAUSE))
		return STEER_PAUSE;
	if (is_link_address(ethernet->h_dest) || type == bpf_htons(ETH_P_LLDP))
		return STEER_LLDP;
	if (type == bpf_htons(ETH_P_ARP))
		return STEER_ARP;
	if (type == bpf_htons(ETH_P_IP))
		return class_of_ip4(at, end);
	if (type == bpf_htons(ETH_P_IPV6))
		return class_of_ip6(at, end);
	return STEER_OTHER;
}

static __always_inline bool
is_tagged(const struct ethhdr *ethernet)
{
	return ethernet->h_proto == bpf_htons(ETH_P_8021Q);
}

// Linux gets what has a tag: its sessions are those of an interface of their own.
static __always_inline enum steer_class
offload_bfd(struct ethhdr *ethernet)
{
	const __u32 zero = 0;
	const __u32 *settings = bpf_map_lookup_elem(&steer_settings, &zero);

	if (settings == NULL || !(*settings & STEER_SETTING_BFD) || is_tagged(ethernet) ||
	    ethernet->h_dest[0] & 1)
		return STEER_BFD;
	ethernet->h_dest[0] = 0x01;
	ethernet->h_dest[1] = 0x80;
	ethernet->h_dest[2] = 0xc2;
	ethernet->h_dest[3] = 0;
	ethernet->h_dest[4] = 0;
	ethernet->h_dest[5] = STEER_BFD_ADDRESS_LAST;
	return STEER_BFD_OFFLOAD;
}

SEC("xdp")
int
roost_steer(struct xdp_md *context)
{
	void *frame = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	__u32 class = class_of(frame, end);
	int verdict = XDP_PASS;
	struct steer_count *count;

	if (class == STEER_BFD_OFFLOAD && frame + sizeof(struct ethhdr) <= end)
		class = offload_bfd(frame);
	if (class == STEER_BGP_HELD && frame + sizeof(struct ethhdr) <= end && is_tagged(frame))
		class = STEER_BGP;
	if (class == STEER_BGP_HELD) {
		verdict = XDP_DROP;
	} else if (class < STEER_ARP) {
		verdict = (int)bpf_redirect_map(&xsks_map, context->rx_queue_index, XDP_DROP);
		if (verdict == XDP_DROP)
			class = STEER_UNREAD;
	}
	count = bpf_map_lookup_elem(&steer_counters, &class);
	if (count != NULL) {
		count->packets++;
		count->bytes += (__u64)(end - frame);
	}
	return verdict;
}

char steer_license[] SEC("license") = "BSD";
