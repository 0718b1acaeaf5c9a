// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.h"

#include "control/base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define LOOPBACK_SECOND 16

void
addresses_ip4(const struct place *place, uint8_t out[static 4])
{
	out[0] = 10;
	out[1] = (uint8_t)(place->plane * ADDRESSES_PODS + place->pod);
	out[2] = (uint8_t)place->number; // 256 is written 0
	out[3] = (uint8_t)place->port;
}

static void
put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

void
addresses_ip6(const struct place *place, uint8_t out[static 16])
{
	memset(out, 0, 16);
	out[0] = 0xfd;
	put16(out + 8, place->plane);
	put16(out + 10, place->pod);
	put16(out + 12, place->number);
	put16(out + 14, place->port);
}

void
addresses_host_mac(const struct place *place, uint8_t out[static 6])
{
	out[0] = 0x02;
	out[1] = 0x00;
	addresses_ip4(place, out + 2);
}

void
addresses_switch_mac(uint32_t node, uint16_t number, uint8_t out[static 6])
{
	out[0] = 0x02;
	out[1] = 0x01;
	out[2] = (uint8_t)(node >> 16);
	put16(out + 3, (uint16_t)node);
	out[5] = (uint8_t)number; // up to 256 numbers: 256 is 0
}

void
addresses_loopback4(const struct place *place, uint8_t out[static 4])
{
	out[0] = 172;
	out[1] = (uint8_t)(LOOPBACK_SECOND + place->tier);
	out[2] = (uint8_t)(place->plane * ADDRESSES_PODS + place->pod);
	out[3] = (uint8_t)place->number;
}

void
addresses_loopback6(const struct place *place, uint8_t out[static 16])
{
	memset(out, 0, 16);
	out[0] = 0xfd;
	put16(out + 6, (uint16_t)(1 + place->tier));
	put16(out + 8, place->plane);
	put16(out + 10, place->pod);
	put16(out + 12, place->number);
}

void
addresses_link_local(const struct place *place, uint8_t out[static 16])
{
	memset(out, 0, 16);
	out[0] = 0xfe;
	out[1] = 0x80;
	out[8] = (uint8_t)(1 + place->tier);
	out[9] = (uint8_t)place->plane;
	put16(out + 10, place->pod);
	put16(out + 12, place->number);
	put16(out + 14, place->port);
}

void
addresses_router_mac(uint32_t node, uint8_t out[static 6])
{
	addresses_switch_mac(node, 0, out);
	out[1] = 0x02;
}

// ---- back ---------------------------------------------------------------------------------------

static uint16_t
get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

// A number of 1 to 256 in one byte.
static uint16_t
number_of(uint8_t byte)
{
	return byte != 0 ? byte : 256;
}

static bool
is_number(uint16_t number)
{
	return number >= 1 && number <= 256;
}

static bool
is_place(const struct place *p)
{
	return p->tier < ADDRESSES_TIERS && p->plane < ADDRESSES_PLANES &&
	       p->pod < ADDRESSES_PODS && is_number(p->number);
}

static int
find_ip4(const uint8_t *ip, struct addresses_found *out)
{
	if (ip[0] == 10) {
		out->kind = ADDRESSES_HOST;
		out->place = (struct place){ip[1] / ADDRESSES_PODS, ip[1] % ADDRESSES_PODS,
					    number_of(ip[2]), number_of(ip[3])};
		return 0;
	}
	out->kind = ADDRESSES_LOOPBACK;
	out->place = (struct place){.plane = ip[2] / ADDRESSES_PODS,
				    .pod = ip[2] % ADDRESSES_PODS,
				    .number = number_of(ip[3]),
				    .tier = (uint16_t)(ip[1] - LOOPBACK_SECOND)};
	return ip[0] == 172 && is_place(&out->place) ? 0 : -ENOENT;
}

static int
find_ip6(const uint8_t *ip, struct addresses_found *out)
{
	static const uint8_t unique[6] = {0xfd}, local[8] = {0xfe, 0x80};
	struct place *place = &out->place;
	bool has_port;

	*place = (struct place){get16(ip + 8), get16(ip + 10), get16(ip + 12), get16(ip + 14)};
	if (memcmp(ip, local, sizeof(local)) == 0) {
		out->kind = ADDRESSES_LINK_LOCAL;
		place->tier = (uint16_t)(ip[8] - 1);
		place->plane = ip[9];
		has_port = true;
	} else if (memcmp(ip, unique, sizeof(unique)) == 0) {
		has_port = get16(ip + 6) == 0;
		out->kind = has_port ? ADDRESSES_HOST : ADDRESSES_LOOPBACK;
		place->tier = has_port ? 0 : (uint16_t)(get16(ip + 6) - 1);
	} else {
		return -ENOENT;
	}
	return is_place(place) && (has_port ? is_number(place->port) : place->port == 0) ? 0
											 : -ENOENT;
}

static int
find_mac(const uint8_t *mac, struct addresses_found *out)
{
	if (mac[0] != 0x02)
		return -ENOENT;
	out->node = (uint32_t)(mac[2] << 16 | mac[3] << 8 | mac[4]);
	out->port = number_of(mac[5]);
	switch (mac[1]) {
	case 0x00: // before the address of a host
		return mac[2] == 10 ? find_ip4(mac + 2, out) : -ENOENT;
	case 0x01:
		out->kind = ADDRESSES_SWITCH_PORT;
		return 0;
	case 0x02:
		out->kind = ADDRESSES_ROUTER_MAC;
		out->port = 0;
		return mac[5] == 0 ? 0 : -ENOENT;
	default:
		return -ENOENT;
	}
}

int
addresses_parse(const char *text, uint8_t *version, uint8_t out[static 16])
{
	memset(out, 0, 16);
	*version = 4;
	if (inet_pton(AF_INET, text, out) == 1)
		return 0;
	*version = 6;
	if (inet_pton(AF_INET6, text, out) == 1)
		return 0;
	memset(out, 0, 16);
	*version = 0;
	return text_mac(text, out) ? 0 : -EINVAL;
}

int
addresses_find(const char *text, struct addresses_found *out)
{
	uint8_t address[16], version;

	*out = (struct addresses_found){0};
	if (addresses_parse(text, &version, address) != 0)
		return -EINVAL;
	if (version == 4)
		return find_ip4(address, out);
	return version == 6 ? find_ip6(address, out) : find_mac(address, out);
}
