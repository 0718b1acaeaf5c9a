// SPDX-License-Identifier: BSD-3-Clause
#include "replay.h"

#include "control/base/memory.h"
#include "dataplane/base/ib_headers.h"
#include "dataplane/roce/icrc.h"

#include <string.h>

int
replay_input_check(const struct replay_input *input, uint32_t *largest, struct diag *diag)
{
	struct replay_input in = {.path = input->path,
				  .options = input->options,
				  .infiniband = input->infiniband,
				  .diag = diag};
	struct capture_packet packet;
	int rc = replay_input_open(&in);

	if (rc != 0)
		return rc;
	// Stamps are checked as they will be read; those of the day are shifted later, by one
	// amount for all inputs, so here by this file's own.
	rc = capture_reader_align(&in.reader, 1, NULL, diag);
	if (rc == 0)
		while ((rc = capture_reader_next(in.reader, &packet, diag)) == 1)
			*largest = packet.data_len > *largest ? packet.data_len : *largest;
	capture_reader_close(in.reader);
	return rc;
}

static const uint8_t *
port_mac(const struct replay_input *in)
{
	return in->node->current->ports[in->port->index].mac;
}

int
replay_input_open(struct replay_input *in)
{
	int rc = capture_reader_open(&in->reader, in->path, in->diag);

	if (rc != 0)
		return rc;
	capture_reader_limit(in->reader, PACKET_FRAME_MAX);
	if (in->infiniband)
		capture_reader_take_infiniband(in->reader);
	if (in->port != NULL)
		capture_reader_set_mac(in->reader, port_mac(in));
	if (in->options->sort)
		capture_reader_sort(in->reader);
	if (in->options->line_rate)
		capture_reader_ignore_stamps(in->reader);
	return 0;
}

// Of an InfiniBand packet.
static uint32_t
bytes_before_vcrc(const struct replay_input *in)
{
	return in->packet.data_len > IB_VCRC_BYTES ? in->packet.data_len - IB_VCRC_BYTES : 0;
}

// A packet whose VCRC is wrong was corrupted on the link.
static void
init_infiniband(struct replay_input *in, struct rte_mbuf *m)
{
	const uint32_t bytes = bytes_before_vcrc(in);
	const uint8_t *data = in->packet.data;
	uint16_t vcrc;

	packet_init_infiniband(m, 0, (uint16_t)bytes);
	memcpy(packet_data(m), data, bytes);
	vcrc = icrc_vcrc(0, data, bytes);
	if (in->packet.data_len >= IB_VCRC_BYTES && data[bytes] == (vcrc & 0xff) &&
	    data[bytes + 1] == vcrc >> 8)
		return;
	packet_meta(m)->flags |= PACKET_BAD_FCS;
	in->port->rx_faults |= PORT_RX_CORRUPT;
}

// Finds when the packet just read arrives.
static void
set_arrival(struct replay_input *in)
{
	const struct port_profile *profile = in->port->profile;
	uint32_t bytes = in->infiniband                           ? bytes_before_vcrc(in)
			 : in->packet.data_len < PACKET_FRAME_MIN ? PACKET_FRAME_MIN
								  : in->packet.data_len;
	ps_t time = time_of_bytes(profile->byte_time, bytes + profile->preamble + profile->fcs);
	ps_t gap = time_of_bytes(profile->byte_time, profile->gap);

	if (in->options->line_rate)
		in->packet.stamp = in->line_free + time;
	else if (in->packet.stamp < in->line_free + time && in->begun)
		in->overlapping++;
	in->begun = true;
	in->line_free = in->packet.stamp + gap;
	in->arrival = in->packet.stamp + in->latency;
}

static bool
fill(struct replay_input *in)
{
	int rc;

	if (in->ready || in->error != 0)
		return in->ready;
	rc = capture_reader_next(in->reader, &in->packet, in->diag);
	if (rc < 0)
		in->error = rc;
	in->ready = rc == 1;
	if (in->ready)
		set_arrival(in);
	return in->ready;
}

static void
put(struct replay_input *in)
{
	struct rte_mbuf *m = packet_alloc(in->node->packets);

	if (m == NULL)
		memory_exhausted(1, in->packet.data_len, "packets of a capture");
	if (in->infiniband) {
		init_infiniband(in, m);
	} else {
		packet_init_frame(m, 0, (uint16_t)in->packet.data_len);
		memcpy(packet_data(m), in->packet.data, in->packet.data_len);
		rewrite_frame(&in->options->rewrite, port_mac(in), packet_data(m),
			      in->packet.data_len);
	}
	// The wire is not shared, so it grows.
	if (wire_put(in->port->in, m, in->arrival) != 0)
		memory_exhausted(wire_count(in->port->in), sizeof(m), "packets of a wire");
}

ps_t
replay_input_feed(struct replay_input *in, ps_t until)
{
	while (fill(in)) {
		if (in->arrival >= until)
			return in->arrival;
		put(in);
		in->ready = false;
	}
	return PS_NEVER;
}
