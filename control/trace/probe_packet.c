// SPDX-License-Identifier: BSD-3-Clause
// The packet is that of the computed trace with a text and a number behind its headers, by which it
// is found in what taps copy. Its UDP checksum and its ICRC are wrong, so that a host discards it
// without an answer: Linux by the first, whatever listens at the port, and a NIC by the second.
#include "trace_internal.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"
#include "dataplane/roce/frame.h"

#include <errno.h>
#include <string.h>

#define MARK_BYTES 16u // the text, and the number

static const uint8_t mark_text[MARK_BYTES - sizeof(uint64_t)] = {'r', 'o', 'o', 's',
								 't', 'p', 'r', 'b'};

// As it should be, with zeros behind what is there.
static uint16_t
udp_checksum(const struct probe *p, uint32_t udp, bool ip6)
{
	const uint32_t addresses = ip6 ? 32 : 8;
	const uint8_t pseudo[4] = {0, FRAME_PROTOCOL_UDP, p->data[udp + 4], p->data[udp + 5]};
	uint32_t sum = checksum_add(0, p->data + udp - addresses, addresses);

	sum = checksum_add(sum, pseudo, sizeof(pseudo));
	return (uint16_t)~checksum_fold(checksum_add(sum, p->data + udp, p->meta.data_len - udp));
}

// Another one than that, and not 0, which stands for none.
static void
put_wrong_checksum(struct probe *p, uint32_t udp, bool ip6)
{
	const uint16_t right = udp_checksum(p, udp, ip6);
	const uint16_t wrong = right == 0x0101 ? 0x0202 : right ^ 0x0101;

	memcpy(p->data + udp + 6, &wrong, sizeof(wrong));
}

int
trace_probe_make(const struct fabric *f, const struct trace_flow *flow, uint64_t number,
		 struct probe *out, struct diag *diag)
{
	const uint32_t udp = FRAME_ETHERNET_BYTES + (flow->ip6 ? FRAME_IP6_BYTES : FRAME_IP4_BYTES);
	const bool roce = flow->dport == ROCE_UDP_PORT;
	const uint32_t least = udp + FRAME_UDP_BYTES + MARK_BYTES +
			       (roce ? (uint32_t)sizeof(struct roce_bth) + ROCE_ICRC_BYTES : 0);
	struct trace_memory memory;
	struct rte_mbuf *m;

	if (flow->infiniband)
		return diag_fail(diag, EINVAL,
				 "a probe is an Ethernet frame: trace without sending");
	if (flow->bytes < least)
		return diag_fail(diag, EINVAL, "bytes: %u is too short for a probe: at least %u",
				 flow->bytes, least);
	trace_memory_create(&memory);
	m = trace_flow_packet(f, flow, memory.packets);
	out->meta = *packet_meta(m);
	memcpy(out->data, packet_data(m), out->meta.data_len);
	trace_memory_destroy(&memory);
	memcpy(out->data + out->meta.data_len, mark_text, sizeof(mark_text));
	memcpy(out->data + out->meta.data_len + sizeof(mark_text), &number, sizeof(number));
	out->meta.data_len += MARK_BYTES;
	out->meta.data_off = 0;
	out->meta.flags |= PACKET_PROBE | PACKET_BAD_PAYLOAD | (roce ? PACKET_ROCE : 0);
	out->meta.opcode = roce ? ROCE_OP_SEND_ONLY : 0;
	put_wrong_checksum(out, udp, flow->ip6);
	return 0;
}

bool
trace_probe_number(const uint8_t *data, size_t length, uint64_t *out)
{
	const uint8_t *at = memmem(data, length, mark_text, sizeof(mark_text));

	if (at == NULL || (size_t)(data + length - at) < MARK_BYTES)
		return false;
	memcpy(out, at + sizeof(mark_text), sizeof(*out));
	return true;
}
