// SPDX-License-Identifier: BSD-3-Clause
// The sessions of a switch, and what the agent knows of each. Control thread.
#pragma once

#include "bfd_agent.h"

#include "control/io/bfd/bfd_client.h"
#include "dataplane/base/punt.h"
#include "dataplane/device/xdp/steering.h"

#define BFD_PEERS_MAX 1024

// BGP packets that are dropped.
struct bfd_hold {
	const struct device_port *at; // NULL: none
	struct steering_address from, to;
};

// A session of bfdd.
struct bfd_peer {
	struct bfd_request request; // with the discriminator that bfdd uses
	struct bfd_session session; // with that of packets
	bool orphaned;              // bfdd has gone and not added it again
	struct bfd_path path;
	struct device_port *device; // by which it is reached; NULL: none yet
	struct bfd_hold hold;       // of BGP with the neighbour
	bool resolved;              // the neighbour's MAC is known
	int64_t resolve_us;         // when the kernel is asked again
	int64_t resolve_wait_us;    // how long the last wait was, while something is unknown
	bool logged_without_port;   // that its interface is no port
	int64_t since_us;           // of its state
	struct bfd_counts counts;
	enum bfd_state logged_state;
	enum bfd_state notified_state; // to bfdd
	struct bfd_remote notified;
};

// A frame for the worker to send.
struct bfd_outgoing {
	uint16_t port;
	uint16_t length;
	bool sent;
	uint32_t discr; // of the session's packets, which may be gone by then
	uint8_t frame[BFD_FRAME_MAX];
};

struct bfd_outbox {
	struct bfd_outgoing *frames;
	uint32_t count;
};

struct bfd_agent {
	struct live_fabric *live;
	uint32_t node;
	struct bfd_client *client;
	struct punt *punt;
	struct random random; // of the jitter
	struct bfd_peer **peers;
	uint32_t count;
	uint16_t source_port;      // of the session that was made last
	uint8_t protocol_version;  // of bfdd
	struct bfd_outbox waiting; // last packets of deleted sessions, and then what is due
	struct bfd_outbox sending; // the worker's, if `busy`
	struct live_request request;
	bool busy;
	int64_t now_us;                      // of this poll
	int64_t keep_until_us;               // sessions that bfdd has left
	uint64_t malformed, routed, unknown; // frames that were ignored
};

// ---- bfd_peers.c: sessions, and what bfdd and neighbours say of them ----------------------------

// For struct bfd_client_options; context: the agent.
void bfd_peers_take(void *context, const struct bfd_message *message);
void bfd_peers_end(void *context);
void bfd_peers_notify(void *context, const char *line);
// Logs "the session with PEER at INTERFACE WHAT".
void bfd_peers_notify_session(const struct bfd_agent *a, const struct bfd_request *request,
			      const char *what);
// Takes a frame that came in by a port.
void bfd_peers_receive(struct bfd_agent *a, uint16_t port, const uint8_t *frame, size_t length);
// Takes sessions down whose detection time has ended.
void bfd_peers_expire(struct bfd_agent *a);
// Adds the packets that are due to a->waiting.
void bfd_peers_send(struct bfd_agent *a);
// When anything of a session is due, in us: a packet only if `packets`.
int64_t bfd_peers_next_us(const struct bfd_agent *a, bool packets);
// By the discriminator of its packets; NULL: none.
struct bfd_peer *bfd_peers_find(const struct bfd_agent *a, uint32_t discr);

// ---- bfd_ports.c: the ports of sessions, and MACs -----------------------------------------------

// Looks for what is not known, and anew for what may have changed.
void bfd_ports_resolve(struct bfd_agent *a);
// Stops BGP with the neighbour of a session if that is lost, and else lets it go on.
void bfd_ports_hold_bgp(struct bfd_agent *a, struct bfd_peer *peer);
void bfd_ports_release_bgp(struct bfd_peer *peer);
