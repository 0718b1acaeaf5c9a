// SPDX-License-Identifier: BSD-3-Clause
// One BFD session in asynchronous mode (RFC 5880): its state machine and its timers, without
// authentication, echo, or demand mode of its own. Time is an argument, in microseconds of any
// clock that does not go back. bfd_session.c says how it is driven. Any thread, one at a time.
#pragma once

#include "bfd_packet.h"

#include "dataplane/base/random.h"

#define BFD_NEVER INT64_MAX
#define BFD_SLOW_US 1000000u // the least interval between packets while a session is not up

// What the client of a session wants.
struct bfd_settings {
	uint32_t local_discr;
	uint32_t min_tx_us, min_rx_us;
	uint8_t detect_mult;
	bool passive;  // sends nothing before it has received something
	bool shutdown; // administratively down
	bool cpi;
};

// What the far end has last said.
struct bfd_remote {
	uint32_t discr; // 0: unknown
	enum bfd_state state;
	uint8_t diag, detect_mult;
	bool demand, cpi;
	uint32_t desired_min_tx_us, required_min_rx_us, required_min_echo_rx_us;
};

struct bfd_session {
	struct bfd_settings settings;
	struct random *random; // of the jitter; the caller's
	enum bfd_state state;
	uint8_t diag;
	struct bfd_remote remote;
	// What packets announce, and what is in force: it follows at once, or when the far end has
	// confirmed it (section 6.8.3).
	uint32_t desired_min_tx_us, required_min_rx_us;
	uint32_t tx_us, rx_us;
	bool polling;    // packets have the Poll bit until one with Final arrives
	bool poll_again; // announced values have changed since
	bool polled;     // a packet with the Poll bit has been sent
	bool final_due;  // the far end polls
	bool send_now;   // contents have changed
	int64_t sent_us; // the last periodic packet, or when the session began
	int64_t next_us; // when the next periodic packet is due
	bool heard;      // within the detection time
	int64_t heard_us;
};

// Starts a session, which is down (or administratively down), at `now`. The first packet is due at
// once.
void bfd_session_start(struct bfd_session *s, const struct bfd_settings *settings,
		       struct random *random, int64_t now);

// Changes what the client wants, except for local_discr.
void bfd_session_change(struct bfd_session *s, const struct bfd_settings *settings);

// Takes a packet that bfd_packet_parse() has accepted and that is for this session.
void bfd_session_receive(struct bfd_session *s, const struct bfd_packet *packet, int64_t now);

// When the detection time ends, BFD_NEVER if it does not run. bfd_session_expire() then takes the
// session down; it does nothing earlier.
int64_t bfd_session_detect_at(const struct bfd_session *s);
void bfd_session_expire(struct bfd_session *s, int64_t now);

// When a packet is due; in the past if it is due at once; BFD_NEVER: none. bfd_session_send() is to
// be called then, makes the packet and takes it for sent.
int64_t bfd_session_send_at(const struct bfd_session *s);
void bfd_session_send(struct bfd_session *s, int64_t now, struct bfd_packet *out);

// The interval between packets without jitter, and the detection time, both in us.
uint64_t bfd_session_interval_us(const struct bfd_session *s);
uint64_t bfd_session_detect_us(const struct bfd_session *s);
