// SPDX-License-Identifier: BSD-3-Clause
// Any packets, in any order and at any time: each passes once, those of one flow that wait are
// bounded, and nothing waits longer than its time.
//
// Input: a byte for how many packets may wait, then records of 8 bytes, each a packet: what it is
// and how long after the last it comes. The memory of a frame ends where the frame does.
#include "require.h"
#include "tests/unit/dataplane/harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/reorder.h"
#include "dataplane/stages/parse.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES 8u
#define TIMEOUT (100 * PS_PER_US)
#define FIRST (20 * PS_PER_US)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	IP6 = 1 << 0,
	SHORT = 1 << 1,   // nothing behind the BTH but what the UDP header promises
	NO_ROOM = 1 << 2, // the caller has none
	EXPIRE = 1 << 3,  // what is due goes first
	SPOIL = 1 << 4,   // a byte of it is another
	SENT = 1 << 5,    // the host sends it
};

static struct harness harness;
static uint64_t given;

static void
collect_one(struct rte_mbuf *m)
{
	free(m);
	given++;
}

static void
collect(struct rte_mbuf *m)
{
	while (m != NULL) {
		struct rte_mbuf *next = packet_meta(m)->next;

		collect_one(m);
		m = next;
	}
}

// record: flags, opcode, queue pair, PSN (3), extent, time.
static struct rte_mbuf *
make(const uint8_t *record)
{
	const uint32_t l3 = record[0] & IP6 ? 40 : 20, behind = record[6] % 40;
	const uint32_t udp_bytes = 8 + sizeof(struct roce_bth) + behind + ROCE_ICRC_BYTES;
	const uint32_t length = 14 + l3 + udp_bytes - (record[0] & SHORT ? behind : 0);
	struct rte_mbuf *m = malloc(sizeof(*m) + PACKET_META_BYTES + length);
	uint8_t *frame, *ip, *udp;
	uint16_t sum;

	require(m != NULL);
	memset(packet_meta(m), 0, PACKET_META_BYTES);
	packet_init_frame(m, 0, (uint16_t)length);
	packet_meta(m)->wire_bytes = 14 + l3 + udp_bytes < 60 ? 60 : 14 + l3 + udp_bytes;
	frame = packet_data(m);
	memset(frame, 0, length);
	ip = frame + 14;
	udp = ip + l3;
	header_put16(frame + 12, record[0] & IP6 ? HEADER_TYPE_IP6 : HEADER_TYPE_IP4);
	if (record[0] & IP6) {
		ip[0] = 0x60;
		header_put16(ip + 4, (uint16_t)udp_bytes);
		ip[6] = HEADER_PROTOCOL_UDP;
		ip[8] = ip[24] = 0xfd;
		ip[record[0] & SENT ? 39 : 23] = record[2] >> 4;
	} else {
		ip[0] = 0x45;
		header_put16(ip + 2, (uint16_t)(20 + udp_bytes));
		ip[9] = HEADER_PROTOCOL_UDP;
		ip[12] = ip[16] = 10;
		ip[record[0] & SENT ? 19 : 15] = record[2] >> 4;
		sum = checksum_ipv4_header(ip, 20);
		memcpy(ip + 10, &sum, 2);
	}
	header_put16(udp + 2, ROCE_UDP_PORT);
	header_put16(udp + 4, (uint16_t)udp_bytes);
	udp[8] = record[1];
	udp[8 + 7] = record[2] & 0xf;
	memcpy(udp + 8 + 9, record + 3, 3);
	if (length > 14 + l3 + 8 + 12 + 16)
		header_put16(udp + 8 + 12 + 14, (uint16_t)(record[5] * 64));
	if (record[0] & SPOIL)
		frame[record[6] % length] ^= record[7];
	return m;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reorder_settings settings = {.timeout = TIMEOUT};
	const struct reorder_counters *counters;
	struct reorder *r;
	uint64_t taken = 0;
	ps_t now = 0;

	if (size == 0)
		return 0;
	if (harness.node == NULL)
		harness_open(&harness, harness_tables(2));
	given = 0;
	settings.packets = 1 + data[0] % 64;
	settings.first = data[0] & 64 ? FIRST : 0;
	require(reorder_create(&r, &settings) == 0);
	counters = reorder_counters(r);
	for (data++, size--; size >= RECORD_BYTES; data += RECORD_BYTES, size -= RECORD_BYTES) {
		struct rte_mbuf *m = make(data);

		now += data[7] * PS_PER_US;
		if (data[0] & EXPIRE) {
			collect(reorder_expire(r, now));
			require(reorder_next(r) > now);
		}
		stage_parse(harness.node, &harness.node->ports[0], m, now);
		taken++;
		if (data[0] & SENT) {
			collect(reorder_note_sent(r, m, now));
			collect_one(m);
		} else {
			collect(reorder_take(r, m, !(data[0] & NO_ROOM), now));
		}
		require(taken == given + counters->waiting);
		require((counters->waiting == 0) == (reorder_next(r) == PS_NEVER));
		require(counters->waiting <= 64);
	}
	collect(reorder_expire(r, now + FIRST));
	collect(reorder_expire(r, now + FIRST + TIMEOUT));
	require(taken == given && counters->waiting == 0);
	reorder_destroy(r);
	return 0;
}
