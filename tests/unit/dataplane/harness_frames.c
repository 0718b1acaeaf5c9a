// SPDX-License-Identifier: BSD-3-Clause
#include "harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/roce_headers.h"

#include <string.h>

const uint8_t harness_leaf_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
const uint8_t harness_host_mac[6] = {0x02, 0, 0, 0, 0x09, 0x02};

static void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void
write_udp(uint8_t *udp, const struct frame *f, uint32_t length)
{
	put16(udp, f->sport != 0 ? f->sport : 49152);
	put16(udp + 2, f->dport != 0 ? f->dport : 9);
	put16(udp + 4, length);
	if (f->dport == ROCE_UDP_PORT)
		roce_bth_init((struct roce_bth *)(udp + 8), f->opcode, 16, 0, 0);
}

static void
write_ip4(uint8_t *ip, const struct frame *f, uint32_t length)
{
	uint16_t checksum;

	ip[0] = 0x45;
	ip[1] = (uint8_t)(f->dscp << 2 | f->ecn);
	put16(ip + 2, length);
	put16(ip + 4, f->id);
	ip[8] = f->ttl != 0 ? f->ttl : 64;
	ip[9] = 17;
	memcpy(ip + 12, (uint8_t[]){10, 9, 0, 1, 10, f->second, (uint8_t)f->to, 2}, 8);
	checksum = checksum_ipv4_header(ip, 20);
	memcpy(ip + 10, &checksum, 2);
	write_udp(ip + 20, f, length - 20);
}

static void
write_ip6(uint8_t *ip, const struct frame *f, uint32_t length)
{
	ip[0] = 0x60 | f->dscp >> 2;
	ip[1] = (uint8_t)((f->dscp & 3) << 6 | f->ecn << 4);
	put16(ip + 4, length - 40);
	ip[6] = 17;
	ip[7] = f->ttl != 0 ? f->ttl : 64;
	memcpy(ip + 8, (uint8_t[16]){0xfd, [3] = 9, [15] = 1}, 16);
	memcpy(ip + 24, (uint8_t[16]){0xfd, [7] = (uint8_t)f->to, [15] = 2}, 16);
	write_udp(ip + 40, f, length - 40);
}

uint32_t
harness_write_frame(uint8_t *data, const struct frame *f)
{
	uint32_t bytes = f->bytes != 0 ? f->bytes : 300, l3 = 14;

	memset(data, 0, bytes);
	memcpy(data, harness_leaf_mac, 6);
	memcpy(data + 6, harness_host_mac, 6);
	if (f->vlan_pcp != 0) {
		put16(data + 12, 0x8100);
		put16(data + 14, (f->vlan_pcp & 7u) << 13 | 100);
		l3 += 4;
	}
	put16(data + l3 - 2, f->ip6 ? 0x86dd : 0x0800);
	if (f->ip6)
		write_ip6(data + l3, f, bytes - l3);
	else
		write_ip4(data + l3, f, bytes - l3);
	return bytes;
}

struct rte_mbuf *
harness_frame(struct harness *h, const struct frame *f)
{
	struct rte_mbuf *m = packet_alloc(h->pool);
	uint32_t bytes = f->bytes != 0 ? f->bytes : 300;
	uint8_t data[PACKET_FRAME_MAX];

	assert_non_null(m);
	harness_write_frame(data, f);
	// Of a frame too large for the packet, the headers are enough.
	packet_init_frame(m, 0, (uint16_t)(bytes < 1024 ? bytes : 1024));
	memcpy(packet_data(m), data, packet_meta(m)->data_len);
	packet_meta(m)->wire_bytes = bytes < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : bytes;
	return m;
}

struct rte_mbuf *
harness_pfc(struct harness *h, uint8_t vector, const uint16_t quanta[PRIORITIES])
{
	struct rte_mbuf *m = packet_alloc(h->pool);
	uint8_t *data;

	assert_non_null(m);
	packet_init_frame(m, 0, PACKET_FRAME_MIN);
	data = packet_data(m);
	memset(data, 0, PACKET_FRAME_MIN);
	memcpy(data, (uint8_t[]){0x01, 0x80, 0xc2, 0, 0, 0x01}, 6);
	memcpy(data + 6, harness_host_mac, 6);
	put16(data + 12, 0x8808);
	put16(data + 14, 0x0101);
	put16(data + 16, vector);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		put16(data + 18 + 2 * i, quanta[i]);
	return m;
}

uint8_t
harness_read_pfc(struct harness *h, unsigned int port, struct rte_mbuf *m,
		 uint16_t quanta[PRIORITIES])
{
	static const uint8_t start[6] = {0x01, 0x80, 0xc2, 0, 0, 0x01};
	static const uint8_t zeros[26];
	const uint8_t *data;

	assert_non_null(m);
	data = packet_data(m);
	assert_int_equal(packet_meta(m)->wire_bytes, 60);
	assert_int_equal(packet_meta(m)->data_len, 60);
	assert_memory_equal(data, start, 6);
	assert_memory_equal(data + 6, h->tables->ports[port].mac, 6);
	assert_memory_equal(data + 12, ((uint8_t[]){0x88, 0x08, 0x01, 0x01, 0x00}), 5);
	assert_memory_equal(data + 34, zeros, sizeof(zeros));
	for (unsigned int i = 0; i < PRIORITIES; i++)
		quanta[i] = (uint16_t)(data[18 + 2 * i] << 8 | data[19 + 2 * i]);
	return data[17];
}
