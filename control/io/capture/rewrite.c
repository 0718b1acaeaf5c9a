// SPDX-License-Identifier: BSD-3-Clause
// What is rewritten: source and destination of Ethernet, of ARP (RFC 826), of IPv4 and IPv6, behind
// up to two VLAN tags. The longest prefix that matches counts, once for each address. What lies
// deeper stays: addresses inside tunnels, in ICMP errors, neighbour discovery and IPv6 routing
// headers.
//
// The header checksum of IPv4 and the checksums of TCP, UDP and ICMPv6, which cover the addresses,
// change by as much as the addresses do (RFC 1624): what was wrong stays wrong, as a capture of
// errors wants it, and a first fragment needs no other. A RoCEv2 packet gets a new ICRC if its own
// was right.
#include "rewrite.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/config/scalar.h"
#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"
#include "dataplane/roce/icrc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TAGS_MAX 2
#define ARP_BYTES 28
#define EXTENSIONS_MAX 8

// ---- rules --------------------------------------------------------------------------------------

// A prefix, or an address as one of full length.
static int
read_prefix(const char *text, struct config_prefix *out, char *why)
{
	char address[64];

	if (strchr(text, '/') != NULL || strlen(text) > 45)
		return scalar_prefix(text, out, why);
	snprintf(address, sizeof(address), "%s/%d", text, strchr(text, ':') != NULL ? 128 : 32);
	return scalar_prefix(address, out, why);
}

static int
add_prefix(struct rewrite *w, const char *from_text, const char *to_text, char *why)
{
	struct config_prefix from, to;
	struct rewrite_prefix row = {0};
	size_t at;

	if (read_prefix(from_text, &from, why) != 0 || read_prefix(to_text, &to, why) != 0)
		return -EINVAL;
	if (from.version != to.version || from.length != to.length)
		return scalar_refuse(why, "want two prefixes of one kind and one length");
	row.version = from.version;
	row.length = from.length;
	memcpy(row.from, from.address, sizeof(row.from));
	memcpy(row.to, to.address, sizeof(row.to));
	for (at = 0; at < w->prefix_count && w->prefixes[at].length >= row.length; at++)
		if (w->prefixes[at].version == row.version &&
		    w->prefixes[at].length == row.length &&
		    memcmp(w->prefixes[at].from, row.from, sizeof(row.from)) == 0)
			return scalar_refuse(why, "%.50s is given twice", from_text);
	w->prefixes = memory_grow(w->prefixes, w->prefix_count, sizeof(row), "rules of --map");
	memmove(&w->prefixes[at + 1], &w->prefixes[at], (w->prefix_count - at) * sizeof(row));
	w->prefixes[at] = row;
	w->prefix_count++;
	return 0;
}

static int
add_mac(struct rewrite *w, const uint8_t from[6], const char *to_text, char *why)
{
	struct config_mac to;

	if (scalar_mac(to_text, &to, why) != 0)
		return -EINVAL;
	for (size_t i = 0; i < w->mac_count; i++)
		if (memcmp(w->macs[i].from, from, 6) == 0)
			return scalar_refuse(why, "the MAC address is given twice");
	w->macs = memory_grow(w->macs, w->mac_count, sizeof(*w->macs), "rules of --map");
	memcpy(w->macs[w->mac_count].from, from, 6);
	memcpy(w->macs[w->mac_count++].to, to.bytes, 6);
	return 0;
}

int
rewrite_add(struct rewrite *w, const char *text, struct diag *diag)
{
	const char *equals = strchr(text, '=');
	char why[SCALAR_WHY], *from;
	uint8_t mac[6];
	int rc;

	if (strcmp(text, "mac=port") == 0) {
		w->mac_to_port = true;
		return 0;
	}
	if (equals == NULL || equals == text || equals[1] == '\0')
		return diag_fail(diag, EINVAL,
				 "--map %.80s: want FROM=TO, such as 203.0.113.0/24=10.0.1.0/24, "
				 "MAC=MAC, or mac=port",
				 text);
	from = memory_text_part(text, (size_t)(equals - text));
	rc = text_mac(from, mac) ? add_mac(w, mac, equals + 1, why)
				 : add_prefix(w, from, equals + 1, why);
	free(from);
	return rc == 0 ? 0 : diag_fail(diag, EINVAL, "--map %.120s: %s", text, why);
}

bool
rewrite_any(const struct rewrite *w)
{
	return w->prefix_count + w->mac_count != 0 || w->mac_to_port;
}

void
rewrite_clear(struct rewrite *w)
{
	free(w->prefixes);
	free(w->macs);
	*w = (struct rewrite){0};
}

// ---- frames -------------------------------------------------------------------------------------

static bool
map_mac(const struct rewrite *w, uint8_t *mac)
{
	for (size_t i = 0; i < w->mac_count; i++)
		if (memcmp(w->macs[i].from, mac, 6) == 0) {
			memcpy(mac, w->macs[i].to, 6);
			return true;
		}
	return false;
}

static bool
has_prefix(const struct rewrite_prefix *p, const uint8_t *address)
{
	const unsigned int bytes = p->length / 8, bits = p->length % 8;

	return memcmp(p->from, address, bytes) == 0 &&
	       (bits == 0 || (p->from[bytes] ^ address[bytes]) >> (8 - bits) == 0);
}

static bool
map_address(const struct rewrite *w, uint8_t version, uint8_t *address)
{
	for (size_t i = 0; i < w->prefix_count; i++) {
		const struct rewrite_prefix *p = &w->prefixes[i];
		const unsigned int bytes = p->length / 8, bits = p->length % 8;

		if (p->version != version || !has_prefix(p, address))
			continue;
		memcpy(address, p->to, bytes);
		if (bits != 0)
			address[bytes] = (uint8_t)(p->to[bytes] | (address[bytes] & 0xffu >> bits));
		return true;
	}
	return false;
}

// Changes a checksum by what `count` bytes, an even number, changed from `before` to `after`.
static void
mend_checksum(uint8_t *checksum, const uint8_t *before, const uint8_t *after, size_t count)
{
	uint16_t sum, old, new;

	memcpy(&sum, checksum, sizeof(sum));
	for (size_t i = 0; i < count; i += 2) {
		memcpy(&old, before + i, sizeof(old));
		memcpy(&new, after + i, sizeof(new));
		sum = checksum_ipv4_update16(sum, old, new);
	}
	memcpy(checksum, &sum, sizeof(sum));
}

// The checksum of a header that covers its IP addresses, at `l4` of at most `count` bytes; NULL:
// none, or UDP without one (RFC 768).
static uint8_t *
find_checksum(uint8_t *l4, size_t count, uint8_t protocol)
{
	const size_t at = protocol == HEADER_PROTOCOL_TCP     ? 16
			  : protocol == HEADER_PROTOCOL_UDP   ? 6
			  : protocol == HEADER_PROTOCOL_ICMP6 ? 2
							      : SIZE_MAX - 2;

	if (at + 2 > count)
		return NULL;
	return protocol == HEADER_PROTOCOL_UDP && header_get16(l4 + at) == 0 ? NULL : l4 + at;
}

static void
mend_transport(uint8_t *checksum, uint8_t protocol, const uint8_t *before, const uint8_t *after,
	       size_t count)
{
	mend_checksum(checksum, before, after, count);
	if (protocol == HEADER_PROTOCOL_UDP && header_get16(checksum) == 0)
		header_put16(checksum, 0xffff);
}

// Where the transport header of an IPv6 packet of `count` bytes begins, with *protocol; 0: there is
// none, as in a later fragment.
static size_t
find_ip6_transport(const uint8_t *ip, size_t count, uint8_t *protocol)
{
	size_t at = HEADER_IP6_BYTES;

	*protocol = ip[6];
	for (unsigned int i = 0; i < EXTENSIONS_MAX; i++) {
		const bool fragment = *protocol == HEADER_PROTOCOL_FRAGMENT;

		if (!fragment && *protocol != HEADER_PROTOCOL_HOP_BY_HOP &&
		    *protocol != HEADER_PROTOCOL_ROUTING &&
		    *protocol != HEADER_PROTOCOL_DESTINATION)
			return at;
		if (at + 8 > count || (fragment && (header_get16(ip + at + 2) & 0xfff8) != 0))
			return 0;
		*protocol = ip[at];
		at += fragment ? 8 : 8 + ip[at + 1] * 8u;
	}
	return 0;
}

struct packet {
	uint8_t *addresses; // source, then destination
	size_t address_bytes;
	uint8_t *ip_checksum; // NULL: of IPv6
	uint8_t *checksum;    // of the transport, or NULL
	uint8_t protocol;
};

static bool
find_ip4(uint8_t *ip, size_t count, struct packet *out)
{
	size_t header, total;

	if (count < HEADER_IP4_BYTES || ip[0] >> 4 != 4)
		return false;
	header = (ip[0] & 15u) * 4;
	total = header_get16(ip + 2);
	if (header < HEADER_IP4_BYTES || total < header || total > count)
		return false;
	*out = (struct packet){ip + 12, 4, ip + CHECKSUM_IPV4_OFFSET, .protocol = ip[9]};
	if ((header_get16(ip + 6) & 0x1fff) == 0)
		out->checksum = find_checksum(ip + header, total - header, ip[9]);
	return true;
}

static bool
find_ip6(uint8_t *ip, size_t count, struct packet *out)
{
	size_t total, l4;

	if (count < HEADER_IP6_BYTES || ip[0] >> 4 != 6)
		return false;
	total = HEADER_IP6_BYTES + header_get16(ip + 4);
	if (total > count)
		return false;
	*out = (struct packet){ip + 8, 16};
	l4 = find_ip6_transport(ip, total, &out->protocol);
	if (l4 != 0 && l4 <= total)
		out->checksum = find_checksum(ip + l4, total - l4, out->protocol);
	return true;
}

static void
rewrite_ip(const struct rewrite *w, struct packet *p, uint8_t *frame, size_t count)
{
	const size_t bytes = 2 * p->address_bytes;
	const uint8_t version = p->ip_checksum != NULL ? 4 : 6;
	uint8_t before[32], icrc[ROCE_ICRC_BYTES];
	struct icrc_span span;
	bool roce, changed;

	memcpy(before, p->addresses, bytes);
	roce = icrc_verify(frame, count) == 0 && icrc_find(frame, count, &span) == 0;
	changed = map_address(w, version, p->addresses);
	changed |= map_address(w, version, p->addresses + p->address_bytes);
	if (!changed)
		return;
	if (p->ip_checksum != NULL)
		mend_checksum(p->ip_checksum, before, p->addresses, bytes);
	if (p->checksum != NULL)
		mend_transport(p->checksum, p->protocol, before, p->addresses, bytes);
	if (!roce)
		return;
	memcpy(icrc, frame + span.icrc, sizeof(icrc));
	icrc_write(frame, count);
	if (p->checksum !=
	    NULL) // which covers the ICRC, at an even distance: the payload is padded
		mend_transport(p->checksum, p->protocol, icrc, frame + span.icrc, sizeof(icrc));
}

static void
rewrite_arp(const struct rewrite *w, uint8_t *arp, size_t count)
{
	static const uint8_t ethernet_ip4[6] = {0, 1, 8, 0, 6, 4};

	if (count < ARP_BYTES || memcmp(arp, ethernet_ip4, sizeof(ethernet_ip4)) != 0)
		return;
	map_mac(w, arp + 8);
	map_address(w, 4, arp + 14);
	map_mac(w, arp + 18);
	map_address(w, 4, arp + 24);
}

void
rewrite_frame(const struct rewrite *w, const uint8_t port_mac[6], uint8_t *frame, size_t count)
{
	size_t at = HEADER_ETHERNET_BYTES;
	struct packet packet;
	uint16_t type;

	if (count < HEADER_ETHERNET_BYTES)
		return;
	if (!map_mac(w, frame) && w->mac_to_port && !(frame[0] & 1))
		memcpy(frame, port_mac, 6);
	map_mac(w, frame + 6);
	type = header_get16(frame + 12);
	for (int i = 0; i < TAGS_MAX && header_is_tag(type); i++) {
		at += HEADER_TAG_BYTES;
		if (at > count)
			return;
		type = header_get16(frame + at - 2);
	}
	if (type == HEADER_TYPE_ARP)
		rewrite_arp(w, frame + at, count - at);
	else if ((type == HEADER_TYPE_IP4 && find_ip4(frame + at, count - at, &packet)) ||
		 (type == HEADER_TYPE_IP6 && find_ip6(frame + at, count - at, &packet)))
		rewrite_ip(w, &packet, frame, count);
}
