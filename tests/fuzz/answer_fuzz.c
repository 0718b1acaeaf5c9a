// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame at a leaf that answers: nothing is read behind it, and what is said is
// sound, no longer than it may be, no answer to an ICMP error, and one packet at the most.
//
// Input: a byte of flags, one of choices, then the frame.
#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/stages/answers.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"
#include "dataplane/stages/answer.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/route.h"

#define PORTS 3u
#define FRAME_MAX 1500u
#define IP4_ERROR_MAX (14u + 576)
#define IP6_ERROR_MAX (14u + 1280)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	TO_LEAF = 1 << 0,
	MAKE_IP4 = 1 << 1,
	MAKE_IP6 = 1 << 2,
	TO_OWN = 1 << 3,    // the loopback, or the gateway
	MAKE_ICMP = 1 << 4, // with a right checksum
	FROM_HOST = 1 << 5, // a source that has a route
	MAKE_ARP = 1 << 6,
	LAST_HOP = 1 << 7,
};

static const uint8_t gateways[2][16] = {{169, 254, 0, 1}, {0xfe, 0x80, [15] = 1}};
static struct harness leaf;

static void
make_icmp(uint8_t *ip, uint32_t bytes, bool ip6)
{
	const uint32_t head = ip6 ? 40 : 20;
	uint16_t sum;

	if (bytes < head + 4)
		return;
	if (!ip6)
		ip[0] = 0x45;
	ip[ip6 ? 6 : 9] = ip6 ? 58 : 1;
	memset(ip + head + 2, 0, 2);
	sum = ip6 ? answer_icmp6_checksum(ip, ip + head, bytes - head)
		  : (uint16_t)~checksum_fold(checksum_add(0, ip + head, bytes - head));
	memcpy(ip + head + 2, &sum, 2);
}

static void
make_ip(uint8_t *ip, uint32_t bytes, uint8_t flags, uint8_t choice)
{
	const bool ip6 = flags & MAKE_IP6;
	const uint8_t *own = ip6 ? answers_own6 : answers_own4;
	uint16_t sum;

	if (bytes < (ip6 ? 40 : 20))
		return;
	ip[0] = ip6                                                                  ? 0x60
		: ip[0] >> 4 != 4 || (ip[0] & 0xf) < 5 || (ip[0] & 0xfu) * 4 > bytes ? 0x45
										     : ip[0];
	header_put16(ip + (ip6 ? 4 : 2), (uint16_t)(ip6 ? bytes - 40 : bytes));
	if (flags & TO_OWN)
		memcpy(ip + (ip6 ? 24 : 16), choice & 1 ? own : gateways[ip6], ip6 ? 16 : 4);
	if (flags & FROM_HOST)
		memcpy(ip + (ip6 ? 8 : 12),
		       ip6 ? (uint8_t[16]){0xfd, [15] = 2} : (uint8_t[16]){10, 0, 0, 2},
		       ip6 ? 16 : 4);
	if (flags & LAST_HOP)
		ip[ip6 ? 7 : 8] = choice & 2 ? 255 : 1;
	if (flags & MAKE_ICMP)
		make_icmp(ip, bytes, ip6);
	if (ip6)
		return;
	sum = checksum_ipv4_header(ip, (ip[0] & 0xfu) * 4);
	memcpy(ip + 10, &sum, 2);
}

static void
make_frame(uint8_t *frame, uint32_t bytes, uint8_t flags, uint8_t choice)
{
	if (bytes < 14)
		return;
	if (flags & TO_LEAF)
		memcpy(frame, harness_leaf_mac, 6);
	if (flags & MAKE_ARP && bytes >= 42) {
		memcpy(frame + 12, "\x08\x06\0\1\x08\0\6\4\0\1", 10);
		if (flags & TO_OWN)
			memcpy(frame + 38, gateways[0], 4);
	} else if (flags & (MAKE_IP4 | MAKE_IP6)) {
		memcpy(frame + 12, flags & MAKE_IP6 ? "\x86\xdd" : "\x08\x00", 2);
		make_ip(frame + 14, bytes - 14, flags, choice);
	}
}

static void
check_ip(struct rte_mbuf *m, uint32_t asked)
{
	const uint8_t *ip = packet_data(m) + 14;
	const bool ip6 = ip[0] >> 4 == 6;
	const uint32_t head = ip6 ? 40 : (ip[0] & 0xfu) * 4, bytes = packet_meta(m)->data_len - 14u;
	const uint8_t *icmp = ip + head;
	const bool error = ip6 ? icmp[0] < 128 : icmp[0] == 3 || icmp[0] == 11;

	require(bytes == (ip6 ? 40u + header_get16(ip + 4) : header_get16(ip + 2)));
	require(ip6 ||
		checksum_ipv4_header(ip, head) == *(const uint16_t *)(const void *)(ip + 10));
	require(ip6 ? answer_icmp6_checksum(ip, icmp, bytes - head) == 0
		    : (uint16_t)~checksum_fold(checksum_add(0, icmp, bytes - head)) == 0);
	if (error) {
		require(bytes + 14 <= (ip6 ? IP6_ERROR_MAX : IP4_ERROR_MAX) &&
			bytes <= asked + head + 8);
		// Not about an error that has no more headers than it must.
		if (!ip6 && icmp[8] == 0x45 && icmp[8 + 9] == 1 && bytes > head + 28)
			require(icmp[28] != 3 && icmp[28] != 11);
		if (ip6 && icmp[8 + 6] == 58 && bytes > head + 48)
			require(icmp[48] >= 128);
	}
}

// What the stages say of the frame, on memory that ends with it, and the answer to that.
static void
ask(const uint8_t *frame, uint32_t bytes)
{
	struct node *n = leaf.node;
	struct port *in = &n->ports[0];
	struct rte_mbuf *m = poison_packet(leaf.pool, frame, bytes);
	struct answer answer = {0};
	int verdict;

	packet_meta(m)->in_port = 0;
	packet_meta(m)->tenant = TENANT_NONE;
	verdict = stage_parse(n, in, m, leaf.now);
	if (verdict == STAGE_NEXT && header_reserved_address(packet_data(m)))
		verdict = STAGE_CONSUMED; // control_frames is theirs
	if (verdict == STAGE_NEXT)
		verdict = stage_control_frames(n, in, m, leaf.now);
	if (verdict == STAGE_NEXT)
		verdict = stage_classify(n, in, m, leaf.now, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_route(n, in, m, leaf.now);
	if (verdict >= 0)
		answer_refused(n, in, m, verdict, leaf.now, &answer);
	poison_end(m, bytes);
	packet_free(leaf.pool, m);
	if (answer.packet == NULL)
		return;
	m = answer.packet;
	require(packet_meta(m)->data_len <= leaf.pool->data_room &&
		!(packet_data(m)[0] & 1 && packet_data(m)[0] != 0x33));
	if (header_get16(packet_data(m) + 12) != HEADER_TYPE_ARP)
		check_ip(m, bytes);
	packet_free(leaf.pool, m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX];
	uint32_t bytes = (uint32_t)size - 2;

	if (size < 3 || bytes > FRAME_MAX)
		return 0;
	if (leaf.node == NULL)
		harness_open(&leaf, answers_tables(PORTS));
	leaf.tables->answers.proxy = data[1] & 4;
	leaf.node->ports[1].up = !(data[1] & 8);
	memcpy(frame, data + 2, bytes);
	make_frame(frame, bytes, data[0], data[1]);
	leaf.node->ports[0].answer_due = 0;
	memset(leaf.node->ports[0].answers, 0, sizeof(leaf.node->ports[0].answers));
	ask(frame, bytes);
	for (unsigned int i = 0; i < ANSWER_COUNT; i++)
		require(leaf.node->ports[0].answers[i] <= 1);
	memset(leaf.node->ports[0].answers, 0, sizeof(leaf.node->ports[0].answers));
	return 0;
}
