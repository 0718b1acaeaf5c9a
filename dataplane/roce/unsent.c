// SPDX-License-Identifier: BSD-3-Clause
#include "unsent.h"

#include "icrc.h"

#include <errno.h>
#include <string.h>

int
unsent_copy(struct rte_mbuf *m, uint8_t *to, size_t length)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	size_t there = meta->data_len < length ? meta->data_len : length;
	struct icrc_span span;
	uint8_t trailer[ROCE_ICRC_BYTES];
	uint32_t icrc;

	memmove(to, data, there);
	memset(to + there, 0, length - there);
	if (!(meta->flags & PACKET_UNSENT) || !(meta->flags & PACKET_ROCE))
		return 0; // nothing but zeros is missing
	if (icrc_find(data, meta->data_len, &span) != 0 || icrc_compute(data, meta->data_len, &icrc) != 0)
		return -EINVAL;
	icrc_store(trailer, icrc);
	for (size_t i = 0; i < sizeof(trailer) && span.icrc + i < length; i++)
		to[span.icrc + i] = trailer[i];
	return 0;
}

int
unsent_write(struct rte_mbuf *m, uint32_t data_room)
{
	struct packet_meta *meta = packet_meta(m);
	int rc;

	if (meta->data_off + meta->wire_bytes > data_room)
		return -EMSGSIZE;
	rc = unsent_copy(m, packet_data(m), meta->wire_bytes);
	if (rc != 0)
		return rc;
	meta->data_len = (uint16_t)meta->wire_bytes;
	meta->flags &= (uint8_t)~PACKET_UNSENT;
	return 0;
}
