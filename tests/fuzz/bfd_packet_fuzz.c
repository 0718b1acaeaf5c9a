// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a BFD frame, and frames of a neighbour with some of their bytes changed, into a
// session: nothing is read behind the frame, what is read can be built again, and whatever a
// neighbour says, the session sends no more often than it should and its times stay in bounds.
//
// Input: a byte, 0 for a frame that is changed; then pairs of where and what, or the frame.
#include "require.h"

#include "control/io/bfd/bfd_session.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_session(const struct bfd_packet *packet)
{
	static const struct bfd_settings settings = {
		.local_discr = 7, .min_tx_us = 10000, .min_rx_us = 10000, .detect_mult = 3};
	struct random random = random_stream(1, 1);
	struct bfd_packet again = *packet, sent = {0};
	struct bfd_session s;
	int64_t now = 0;

	bfd_session_start(&s, &settings, &random, now);
	for (int i = 0; i < 8; i++) {
		again.state = (enum bfd_state)(((unsigned)packet->state + (unsigned)i) % 4);
		bfd_session_receive(&s, &again, now);
		require(bfd_session_detect_at(&s) > now);
		require(bfd_session_interval_us(&s) >= 10000);
		for (int k = 0; k < 2 && bfd_session_send_at(&s) <= now; k++)
			bfd_session_send(&s, now, &sent);
		require(bfd_session_send_at(&s) > now);
		require(!(sent.poll && sent.final));
		now += 10000;
	}
	bfd_session_expire(&s, INT64_MAX - 1);
	require(s.state == BFD_DOWN && s.remote.discr == 0);
}

static void
check(const uint8_t *bytes, size_t length)
{
	uint8_t *frame = malloc(length + 1), again[BFD_FRAME_MAX];
	struct bfd_path path, back_path;
	struct bfd_packet packet, back;

	require(frame != NULL);
	memcpy(frame + 1, bytes, length); // exactly as long as it is, for the sanitizer
	if (bfd_frame_parse(frame + 1, length, &path, &packet) == 0) {
		require(packet.my_discr != 0 && packet.detect_mult != 0);
		require(bfd_state_name(packet.state) != NULL && bfd_diag_text(packet.diag) != NULL);
		length = bfd_frame_build(&path, &packet, again);
		require(length <= BFD_FRAME_MAX);
		require(bfd_frame_parse(again, length, &back_path, &back) == 0);
		require(back.state == packet.state && back.poll == packet.poll &&
			back.my_discr == packet.my_discr &&
			back.required_min_echo_rx_us == packet.required_min_echo_rx_us);
		require(memcmp(back_path.peer, path.local, sizeof(path.local)) == 0);
		check_session(&packet);
	}
	free(frame);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct bfd_path path = {.version = 4,
					     .local = {10, 0, 0, 1},
					     .peer = {10, 0, 0, 2},
					     .source_port = BFD_SOURCE_PORT_MIN};
	uint8_t frame[BFD_FRAME_MAX];
	struct bfd_packet packet = {.state = BFD_DOWN, .detect_mult = 3, .my_discr = 9};
	size_t length;

	if (size == 0 || size > 4000)
		return 0;
	if (data[0] != 0) {
		check(data + 1, size - 1);
		return 0;
	}
	// What a packet says is under no checksum that a neighbour could not compute.
	if (size > BFD_PACKET_BYTES && bfd_packet_parse(data + 1, BFD_PACKET_BYTES, &packet) == 0)
		check_session(&packet);
	length = bfd_frame_build(&path, &packet, frame);
	for (size_t i = 1; i + 1 < size; i += 2)
		frame[data[i] % length] = data[i + 1];
	check(frame, length);
	return 0;
}
