// SPDX-License-Identifier: BSD-3-Clause
// BFD Control packets (RFC 5880, section 4.1), and the frames that carry them over a single hop
// (RFC 5881). Frames come from outside: the parser checks everything. Any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BFD_PORT 3784             // of UDP, single hop
#define BFD_SOURCE_PORT_MIN 49152 // of what is sent
#define BFD_SOURCE_PORT_MAX 65535
#define BFD_PACKET_BYTES 24
#define BFD_FRAME_MAX (14 + 40 + 8 + BFD_PACKET_BYTES) // that bfd_frame_build() makes

enum bfd_state { BFD_ADMIN_DOWN, BFD_DOWN, BFD_INIT, BFD_UP };

enum bfd_diag { // why a session left its last state
	BFD_DIAG_NONE = 0,
	BFD_DIAG_EXPIRED = 1,        // control detection time expired
	BFD_DIAG_NEIGHBOUR_DOWN = 3, // the neighbour signalled that its session is down
	BFD_DIAG_ADMIN_DOWN = 7,
	BFD_DIAG_MAX = 31,
};

struct bfd_packet {
	enum bfd_state state;
	uint8_t diag; // enum bfd_diag, or another number up to BFD_DIAG_MAX
	bool poll, final;
	bool cpi;    // control plane independent
	bool demand; // the sender wants no periodic packets
	uint8_t detect_mult;
	uint32_t my_discr, your_discr;
	uint32_t desired_min_tx_us, required_min_rx_us, required_min_echo_rx_us;
};

// Both ends of a session's packets, as the local end sees them.
struct bfd_path {
	uint8_t version;             // of IP: 4 or 6
	uint8_t local[16], peer[16]; // network byte order; the first 4 of version 4
	uint8_t local_mac[6], peer_mac[6];
	uint16_t source_port; // of what is sent
};

// Parses a Control packet, the payload of UDP. Returns 0, or -EBADMSG if RFC 5880, section 6.8.6
// has it discarded before a session is looked for, or because it is authenticated.
int bfd_packet_parse(const uint8_t *bytes, size_t length, struct bfd_packet *out);

// Builds the frame of a packet. Returns its length.
size_t bfd_frame_build(const struct bfd_path *path, const struct bfd_packet *packet,
		       uint8_t frame[static BFD_FRAME_MAX]);

// Parses a frame, Ethernet header included, whose destination MAC does not matter: the path of who
// sent it is reversed, so that `local` is where it was sent to. Returns 0; -EBADMSG if headers,
// checksums or the packet are wrong; -EMULTIHOP if a router has passed it on (TTL below 255).
int bfd_frame_parse(const uint8_t *frame, size_t length, struct bfd_path *path,
		    struct bfd_packet *out);

// "up"; "neighbour signalled session down".
const char *bfd_state_name(enum bfd_state state);
const char *bfd_diag_text(uint8_t diag);
