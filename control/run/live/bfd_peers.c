// SPDX-License-Identifier: BSD-3-Clause
// A session begins when bfdd adds it and ends when bfdd deletes it. If bfdd dies, its sessions
// continue for KEEP_S, so that neighbours do not notice a restart. The new bfdd adds them again
// with new discriminators. Packets keep the old one, which the neighbour knows.
//
// A packet belongs to a session by its discriminator, or by its addresses if it has none, and only
// if it came in by the session's port and from the session's neighbour.
//
// Multihop sessions are refused, and stay down: their packets may arrive by any port. Echo and
// demand mode are not supported; a session with them runs without.
#include "bfd_agent_internal.h"

#include "control/base/memory.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_MIN_US 10000 // what this thread can do
#define PARTS 10              // of a detection time, in which frames are read
#define KEEP_S 20             // sessions without bfdd
#define KEEP_US (INT64_C(1000000) * KEEP_S)
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static size_t
ip_bytes(uint8_t version)
{
	return version == 4 ? 4 : 16;
}

// ---- words -------------------------------------------------------------------------------------

void
bfd_peers_notify(void *context, const char *line)
{
	const struct bfd_agent *a = context;
	char text[320];

	snprintf(text, sizeof(text), "%s: BFD: %s", a->live->topology->nodes[a->node].name, line);
	fabric_log_note(a->live->log, live_clock(&a->live->drive), FABRIC_LOG_BFD, text);
}

void
bfd_peers_notify_session(const struct bfd_agent *a, const struct bfd_request *request,
			 const char *what)
{
	char address[INET6_ADDRSTRLEN] = "?", line[256];

	inet_ntop(request->version == 4 ? AF_INET : AF_INET6, request->peer, address,
		  sizeof(address));
	snprintf(line, sizeof(line), "the session with %s%s%s %s", address,
		 request->interface[0] != '\0' ? " at " : "", request->interface, what);
	bfd_peers_notify((void *)(uintptr_t)a, line);
}

// ---- notifying bfdd ---------------------------------------------------------------------------

static bool
same_remote(const struct bfd_remote *a, const struct bfd_remote *b)
{
	return a->discr == b->discr && a->diag == b->diag && a->detect_mult == b->detect_mult &&
	       a->demand == b->demand && a->cpi == b->cpi &&
	       a->desired_min_tx_us == b->desired_min_tx_us &&
	       a->required_min_rx_us == b->required_min_rx_us &&
	       a->required_min_echo_rx_us == b->required_min_echo_rx_us;
}

static void
log_state(const struct bfd_agent *a, const struct bfd_peer *peer)
{
	char what[96];

	if (peer->session.state == BFD_UP) {
		bfd_peers_notify_session(a, &peer->request, "is up");
	} else if (peer->logged_state == BFD_UP) {
		snprintf(what, sizeof(what), "is down: %s", bfd_diag_text(peer->session.diag));
		bfd_peers_notify_session(a, &peer->request, what);
	}
}

// Reports a new state, or what the far end says otherwise than before.
static void
report(struct bfd_agent *a, struct bfd_peer *peer)
{
	const struct bfd_session *s = &peer->session;
	uint8_t message[BFD_REPLY_MAX];

	if (s->state != peer->logged_state) {
		log_state(a, peer);
		peer->logged_state = s->state;
		peer->since_us = a->now_us;
	}
	bfd_ports_hold_bgp(a, peer); // before bgpd can connect again
	if (peer->orphaned ||
	    (s->state == peer->notified_state && same_remote(&s->remote, &peer->notified)))
		return;
	peer->notified_state = s->state;
	peer->notified = s->remote;
	bfd_client_send(a->client, message,
			bfd_build_state(a->protocol_version, peer->request.settings.local_discr, s,
					message));
}

// What bfdd takes a session for that it has just added.
static void
reset_notified(struct bfd_peer *peer)
{
	peer->notified_state = BFD_DOWN;
	peer->notified = (struct bfd_remote){.state = BFD_DOWN, .required_min_rx_us = 1};
}

// ---- sessions ----------------------------------------------------------------------------------

struct bfd_peer *
bfd_peers_find(const struct bfd_agent *a, uint32_t discr)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->peers[i]->session.settings.local_discr == discr)
			return a->peers[i];
	return NULL;
}

// The session that bfdd calls by this discriminator.
static struct bfd_peer *
find_known(const struct bfd_agent *a, uint32_t discr)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (!a->peers[i]->orphaned && a->peers[i]->request.settings.local_discr == discr)
			return a->peers[i];
	return NULL;
}

static bool
same_endpoints(const struct bfd_request *a, const struct bfd_request *b)
{
	const size_t bytes = ip_bytes(a->version);

	return a->version == b->version && memcmp(a->local, b->local, bytes) == 0 &&
	       memcmp(a->peer, b->peer, bytes) == 0 && strcmp(a->interface, b->interface) == 0;
}

// A session that an earlier bfdd has left, or NULL.
static struct bfd_peer *
find_orphan(const struct bfd_agent *a, const struct bfd_request *request)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->peers[i]->orphaned && same_endpoints(&a->peers[i]->request, request))
			return a->peers[i];
	return NULL;
}

// Each session has a port of its own as its source (RFC 5881, section 4).
static uint16_t
next_source_port(struct bfd_agent *a)
{
	a->source_port = a->source_port == BFD_SOURCE_PORT_MAX ? BFD_SOURCE_PORT_MIN
							       : (uint16_t)(a->source_port + 1);
	return a->source_port;
}

static void
add_peer(struct bfd_agent *a, const struct bfd_request *request)
{
	struct bfd_peer *peer = memory_new(sizeof(*peer), "BFD session");
	struct bfd_settings settings = request->settings;

	// A session of an earlier bfdd may have it.
	while (settings.local_discr == 0 || bfd_peers_find(a, settings.local_discr) != NULL)
		settings.local_discr = random_u32(&a->random);
	*peer = (struct bfd_peer){
		.request = *request,
		.path = {.version = request->version, .source_port = next_source_port(a)},
		.resolve_us = a->now_us,
		.since_us = a->now_us,
		.logged_state = BFD_DOWN,
	};
	reset_notified(peer);
	memcpy(peer->path.local, request->local, sizeof(peer->path.local));
	memcpy(peer->path.peer, request->peer, sizeof(peer->path.peer));
	bfd_session_start(&peer->session, &settings, &a->random, a->now_us);
	a->peers = memory_grow(a->peers, a->count, sizeof(struct bfd_peer *), "BFD sessions");
	a->peers[a->count++] = peer;
	if (request->echo || request->demand)
		bfd_peers_notify_session(
			a, request, "runs without echo and demand mode, which are not supported");
	report(a, peer);
}

static void
put_packet(struct bfd_agent *a, const struct bfd_peer *peer, const struct bfd_packet *packet)
{
	struct bfd_outbox *box = &a->waiting;
	struct bfd_outgoing *o;

	box->frames = memory_grow(box->frames, box->count, sizeof(*o), "BFD frames");
	o = &box->frames[box->count++];
	*o = (struct bfd_outgoing){.port = peer->device->port,
				   .discr = peer->session.settings.local_discr};
	o->length = (uint16_t)bfd_frame_build(&peer->path, packet, o->frame);
}

static bool
can_send(const struct bfd_peer *peer)
{
	return peer->device != NULL && peer->device->up && peer->resolved;
}

// The neighbour need not wait for the end of its detection time (RFC 5880, section 6.8.16).
static void
send_admin_down(struct bfd_agent *a, struct bfd_peer *peer)
{
	struct bfd_settings settings = peer->request.settings;
	struct bfd_packet packet;

	if (!can_send(peer) || peer->session.remote.discr == 0 || a->waiting.count >= BFD_PEERS_MAX)
		return;
	settings.shutdown = true;
	bfd_session_change(&peer->session, &settings);
	bfd_session_send(&peer->session, a->now_us, &packet);
	put_packet(a, peer, &packet);
}

// NULL is fine.
static void
delete_peer(struct bfd_agent *a, struct bfd_peer *peer)
{
	for (uint32_t i = 0; peer != NULL && i < a->count; i++) {
		if (a->peers[i] != peer)
			continue;
		send_admin_down(a, peer);
		bfd_ports_release_bgp(peer);
		free(peer);
		a->peers[i] = a->peers[--a->count];
		return;
	}
}

static void
delete_orphans(struct bfd_agent *a)
{
	const char *what = bfd_client_connected(a->client)
				   ? "has ended: bfdd has not added it again"
				   : "has ended: bfdd did not come back within " TEXT(KEEP_S) " s";

	for (uint32_t i = a->count; i-- > 0;) {
		struct bfd_peer *peer = a->peers[i];

		if (!peer->orphaned)
			continue;
		bfd_peers_notify_session(a, &peer->request, what);
		delete_peer(a, peer);
	}
}

static const char *
refusal(struct bfd_agent *a, const struct bfd_request *request)
{
	if (request->multihop)
		return "was refused: multihop sessions are not supported";
	if (request->settings.local_discr == 0 || request->settings.detect_mult == 0)
		return "was refused: its discriminator or detect multiplier is 0";
	if (a->count == BFD_PEERS_MAX)
		delete_orphans(a);
	return a->count == BFD_PEERS_MAX
		       ? "was refused: Roost runs at most " TEXT(BFD_PEERS_MAX) " sessions"
		       : NULL;
}

static void
add_or_change(struct bfd_agent *a, const struct bfd_request *from)
{
	struct bfd_request request = *from;
	struct bfd_settings *s = &request.settings;
	struct bfd_peer *known = find_known(a, s->local_discr), *peer = known;
	const char *why;

	s->min_tx_us = s->min_tx_us < INTERVAL_MIN_US ? INTERVAL_MIN_US : s->min_tx_us;
	s->min_rx_us = s->min_rx_us < INTERVAL_MIN_US ? INTERVAL_MIN_US : s->min_rx_us;
	if (known == NULL && s->local_discr != 0)
		peer = find_orphan(a, &request);
	if (peer != NULL && !request.multihop && s->detect_mult != 0 &&
	    same_endpoints(&peer->request, &request)) {
		peer->orphaned = false;
		peer->request = request;
		bfd_session_change(&peer->session, s);
		report(a, peer);
		return;
	}
	delete_peer(a, known);
	why = refusal(a, &request);
	if (why == NULL)
		add_peer(a, &request);
	else
		bfd_peers_notify_session(a, &request, why);
}

// ---- what bfdd says ----------------------------------------------------------------------------

void
bfd_peers_take(void *context, const struct bfd_message *message)
{
	struct bfd_agent *a = context;
	const struct bfd_counts none = {0};
	const struct bfd_peer *peer;
	uint8_t answer[BFD_REPLY_MAX];

	a->protocol_version = message->version;
	switch (message->type) {
	case BFD_MESSAGE_ADD_SESSION:
		add_or_change(a, &message->session);
		break;
	case BFD_MESSAGE_DELETE_SESSION:
		delete_peer(a, find_known(a, message->discr));
		break;
	case BFD_MESSAGE_REQUEST_COUNTERS: // bfdd waits for the answer, whatever it is
		peer = find_known(a, message->discr);
		bfd_client_send(
			a->client, answer,
			bfd_build_counters(message, peer != NULL ? &peer->counts : &none, answer));
		break;
	case BFD_MESSAGE_ECHO_REQUEST:
		bfd_client_send(a->client, answer,
				bfd_build_echo(message, (uint64_t)a->now_us, answer));
		break;
	default:
		break;
	}
}

void
bfd_peers_end(void *context)
{
	struct bfd_agent *a = context;

	for (uint32_t i = 0; i < a->count; i++) {
		a->peers[i]->orphaned = true;
		reset_notified(a->peers[i]);
	}
	a->keep_until_us = a->now_us + KEEP_US;
}

// ---- what neighbours say -----------------------------------------------------------------------

static bool
is_of(const struct bfd_peer *peer, uint16_t port, const struct bfd_path *path)
{
	const size_t bytes = ip_bytes(path->version);

	return peer->device != NULL && peer->device->port == port &&
	       peer->path.version == path->version &&
	       memcmp(peer->path.peer, path->peer, bytes) == 0 &&
	       memcmp(peer->path.local, path->local, bytes) == 0;
}

static struct bfd_peer *
find_for(const struct bfd_agent *a, uint16_t port, const struct bfd_path *path,
	 const struct bfd_packet *packet)
{
	struct bfd_peer *peer;

	if (packet->your_discr != 0) {
		peer = bfd_peers_find(a, packet->your_discr);
		return peer != NULL && is_of(peer, port, path) ? peer : NULL;
	}
	for (uint32_t i = 0; i < a->count; i++)
		if (is_of(a->peers[i], port, path))
			return a->peers[i];
	return NULL;
}

void
bfd_peers_receive(struct bfd_agent *a, uint16_t port, const uint8_t *frame, size_t length)
{
	struct bfd_packet packet;
	struct bfd_path path;
	struct bfd_peer *peer;
	int rc = bfd_frame_parse(frame, length, &path, &packet);

	if (rc != 0) {
		a->malformed += rc == -EBADMSG;
		a->routed += rc == -EMULTIHOP;
		return;
	}
	peer = find_for(a, port, &path, &packet);
	if (peer == NULL) {
		a->unknown++;
		return;
	}
	if (!peer->resolved) {
		memcpy(peer->path.peer_mac, path.peer_mac, sizeof(path.peer_mac));
		peer->resolved = true;
	}
	peer->counts.rx_packets++;
	peer->counts.rx_bytes += BFD_PACKET_BYTES;
	bfd_session_receive(&peer->session, &packet, a->now_us);
	report(a, peer);
}

void
bfd_peers_expire(struct bfd_agent *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		bfd_session_expire(&a->peers[i]->session, a->now_us);
		report(a, a->peers[i]);
	}
	if (a->now_us >= a->keep_until_us)
		delete_orphans(a);
}

// ---- sending -----------------------------------------------------------------------------------

void
bfd_peers_send(struct bfd_agent *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct bfd_peer *peer = a->peers[i];
		struct bfd_packet packet;

		if (!can_send(peer) || bfd_session_send_at(&peer->session) > a->now_us)
			continue;
		bfd_session_send(&peer->session, a->now_us, &packet);
		put_packet(a, peer, &packet);
	}
}

int64_t
bfd_peers_next_us(const struct bfd_agent *a, bool packets)
{
	int64_t next = BFD_NEVER, at;

	for (uint32_t i = 0; i < a->count; i++) {
		const struct bfd_peer *peer = a->peers[i];
		const struct bfd_session *s = &peer->session;

		at = bfd_session_detect_at(s);
		next = at < next ? at : next;
		next = peer->resolve_us < next ? peer->resolve_us : next;
		at = packets && can_send(peer) ? bfd_session_send_at(s) : BFD_NEVER;
		next = at < next ? at : next;
		// What arrives waits in a ring: it is read often enough to be on time.
		at = s->heard ? a->now_us + (int64_t)bfd_session_detect_us(s) / PARTS : BFD_NEVER;
		next = at < next ? at : next;
	}
	return next;
}
