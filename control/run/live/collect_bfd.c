// SPDX-License-Identifier: BSD-3-Clause
#include "bfd_agent_internal.h"
#include "collect.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000

static json_t *
remote_json(const struct bfd_remote *r)
{
	return json_pack("{s:I,s:s,s:s,s:i,s:I,s:I}", "discriminator", (json_int_t)r->discr,
			 "state", bfd_state_name(r->state), "diagnostic", bfd_diag_text(r->diag),
			 "detect_mult", r->detect_mult, "desired_min_tx_ns",
			 (json_int_t)r->desired_min_tx_us * NS_PER_US, "required_min_rx_ns",
			 (json_int_t)r->required_min_rx_us * NS_PER_US);
}

// What state and diagnostic do not say: why nothing is sent; that bfdd does not know the session;
// that BGP is stopped.
static char *
note_of(const struct bfd_peer *peer)
{
	const char *unsent = peer->device == NULL ? "no port"
			     : !peer->device->up  ? "link down"
			     : !peer->resolved    ? "no neighbour MAC"
						  : NULL;
	const char *const notes[] = {
		unsent,
		peer->orphaned ? "orphaned" : NULL,
		peer->hold.at != NULL ? "BGP held" : NULL,
	};
	char *out = memory_format("%s", "");

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		char *before = out;

		if (notes[i] == NULL)
			continue;
		out = memory_format("%s%s%s", before, *before != '\0' ? ", " : "", notes[i]);
		free(before);
	}
	return out;
}

static json_t *
session_json(const struct bfd_peer *peer, int64_t now_us)
{
	const struct bfd_session *s = &peer->session;
	const int family = peer->path.version == 4 ? AF_INET : AF_INET6;
	char ours[INET6_ADDRSTRLEN], theirs[INET6_ADDRSTRLEN];
	char *note = note_of(peer);
	json_t *out = json_pack(
		"{s:s?,s:s,s:s,s:s,s:s,s:I,s:I,s:b,s:I,s:I,s:I,s:o}", "interface",
		peer->device != NULL ? peer->device->netdev : NULL, "local",
		inet_ntop(family, peer->path.local, ours, sizeof(ours)), "peer",
		inet_ntop(family, peer->path.peer, theirs, sizeof(theirs)), "state",
		bfd_state_name(s->state), "diagnostic", bfd_diag_text(s->diag), "discriminator",
		(json_int_t)s->settings.local_discr, "since_ns",
		(json_int_t)(now_us - peer->since_us) * NS_PER_US, "resolved", peer->resolved,
		"interval_ns", (json_int_t)bfd_session_interval_us(s) * NS_PER_US, "received",
		(json_int_t)peer->counts.rx_packets, "sent", (json_int_t)peer->counts.tx_packets,
		"remote", remote_json(&s->remote));

	json_object_set_new(out, "note", json_string(note));
	free(note);
	if (s->remote.discr != 0)
		json_object_set_new(out, "detection_ns",
				    json_integer((json_int_t)bfd_session_detect_us(s) * NS_PER_US));
	return out;
}

// By interface and address, as read by people.
static int
compare(const void *left, const void *right)
{
	const struct bfd_peer *a = *(const struct bfd_peer *const *)left;
	const struct bfd_peer *b = *(const struct bfd_peer *const *)right;
	const char *at = a->device != NULL ? a->device->netdev : "";
	const char *bt = b->device != NULL ? b->device->netdev : "";
	const int order = strverscmp(at, bt);

	return order != 0 ? order : memcmp(a->path.peer, b->path.peer, sizeof(a->path.peer));
}

static json_t *
sessions_json(const struct bfd_agent *a)
{
	const struct bfd_peer **sorted =
		memory_copy(a->peers, a->count, sizeof(struct bfd_peer *), "BFD sessions");
	const int64_t now_us = clock_us();
	json_t *out = json_array();

	if (a->count != 0)
		qsort(sorted, a->count, sizeof(struct bfd_peer *), compare);
	for (uint32_t i = 0; i < a->count; i++)
		json_array_append_new(out, session_json(sorted[i], now_us));
	free(sorted);
	return out;
}

json_t *
collect_bfd(const struct live_fabric *live)
{
	const struct bfd_agent *a = live->bfd;
	json_t *out = json_object();

	if (a == NULL)
		return out;
	json_object_set_new(
		out, live->topology->nodes[a->node].name,
		json_pack("{s:b,s:I,s:I,s:I,s:I,s:o}", "connected", bfd_client_connected(a->client),
			  "refused", (json_int_t)bfd_client_refused(a->client), "malformed",
			  (json_int_t)a->malformed, "routed", (json_int_t)a->routed, "unknown",
			  (json_int_t)a->unknown, "sessions", sessions_json(a)));
	return out;
}
