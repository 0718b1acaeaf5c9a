// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void
addresses_ip4(const struct place *place, uint8_t out[static 4])
{
	out[0] = 10;
	out[1] = (uint8_t)(place->plane * ADDRESSES_PODS + place->pod);
	out[2] = (uint8_t)place->leaf; // 256 is written 0
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
	put16(out + 12, place->leaf);
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

static int
place_of_ip4(const uint8_t ip[static 4], struct place *out)
{
	if (ip[0] != 10)
		return -ENOENT;
	*out = (struct place){
		.plane = ip[1] / ADDRESSES_PODS,
		.pod = ip[1] % ADDRESSES_PODS,
		.leaf = ip[2] != 0 ? ip[2] : 256,
		.port = ip[3] != 0 ? ip[3] : 256,
	};
	return 0;
}

static int
place_of_ip6(const uint8_t ip[static 16], struct place *out)
{
	static const uint8_t head[8] = {0xfd};
	struct place place = {
		.plane = (uint16_t)(ip[8] << 8 | ip[9]),
		.pod = (uint16_t)(ip[10] << 8 | ip[11]),
		.leaf = (uint16_t)(ip[12] << 8 | ip[13]),
		.port = (uint16_t)(ip[14] << 8 | ip[15]),
	};

	if (memcmp(ip, head, sizeof(head)) != 0 || place.plane >= ADDRESSES_PLANES ||
	    place.pod >= ADDRESSES_PODS || place.leaf == 0 || place.leaf > 256 || place.port == 0 ||
	    place.port > 256)
		return -ENOENT;
	*out = place;
	return 0;
}

static int
place_of_mac(const char *text, struct place *out)
{
	unsigned byte[6];
	uint8_t ip[4];
	int end = 0;

	if (strlen(text) != 17 ||
	    sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2], &byte[3],
		   &byte[4], &byte[5], &end) != 6 ||
	    end != 17)
		return -EINVAL;
	if (byte[0] != 0x02 || byte[1] != 0x00)
		return -ENOENT;
	for (unsigned i = 0; i < 4; i++)
		ip[i] = (uint8_t)byte[2 + i];
	return place_of_ip4(ip, out);
}

int
addresses_find_place(const char *text, struct place *out)
{
	uint8_t ip[16];

	if (inet_pton(AF_INET, text, ip) == 1)
		return place_of_ip4(ip, out);
	if (inet_pton(AF_INET6, text, ip) == 1)
		return place_of_ip6(ip, out);
	return place_of_mac(text, out);
}
