// SPDX-License-Identifier: BSD-3-Clause
// A message is a header of 8 bytes (version, a zero, type, identifier, length with the header) and
// what belongs to its type, all numbers in network byte order. bfdd adds, changes and deletes
// sessions by their local discriminator, and asks for counters with an identifier that the answer
// repeats. The data plane reports every state of a session; such messages have the identifier 0.
//
// Version 1 is that of FRR 8 and 9. In version 2 a session has more behind the same fields, all of
// it about modes that are not supported here. Messages are C structures of a 64-bit machine, so the
// counters have 4 bytes of padding before the first, and a change of state has one at its end.
#include "bfd_message.h"

#include "dataplane/base/headers.h"

#include <errno.h>
#include <string.h>

#define VERSION_MIN 1
#define VERSION_MAX 2

enum session_flag {
	FLAG_MULTIHOP = 1 << 0,
	FLAG_DEMAND = 1 << 1,
	FLAG_CPI = 1 << 2,
	FLAG_ECHO = 1 << 3,
	FLAG_IP6 = 1 << 4,
	FLAG_PASSIVE = 1 << 5,
	FLAG_SHUTDOWN = 1 << 6,
};

enum remote_flag { REMOTE_CPI = 1 << 0, REMOTE_DEMAND = 1 << 1 };

// Offsets within a session.
enum {
	SESSION_FLAGS = 0,
	SESSION_LOCAL = 4,
	SESSION_PEER = 20,
	SESSION_DISCR = 36,
	SESSION_MIN_TX = 40,
	SESSION_MIN_RX = 44,
	SESSION_DETECT_MULT = 61,
	SESSION_INDEX = 64,
	SESSION_INTERFACE = 68,
	SESSION_BYTES = SESSION_INTERFACE + BFD_INTERFACE_MAX,
	STATE_BYTES = 28,
	COUNTERS_BYTES = 72,
	ECHO_BYTES = 16,
	DISCR_BYTES = 4,
};

static uint64_t
get64(const uint8_t *at)
{
	return (uint64_t)header_get32(at) << 32 | header_get32(at + 4);
}

static void
put64(uint8_t *at, uint64_t value)
{
	header_put32(at, (uint32_t)(value >> 32));
	header_put32(at + 4, (uint32_t)value);
}

// ---- what arrives ------------------------------------------------------------------------------

// A name with characters that no interface has counts as none.
static void
read_interface(const uint8_t *at, char out[static BFD_INTERFACE_MAX])
{
	size_t length = strnlen((const char *)at, BFD_INTERFACE_MAX);

	for (size_t i = 0; i < length; i++)
		if (at[i] <= ' ' || at[i] >= 0x7f || at[i] == '/')
			length = 0;
	if (length == BFD_INTERFACE_MAX)
		length = 0;
	memcpy(out, at, length);
	out[length] = '\0';
}

static void
read_session(const uint8_t *at, struct bfd_request *out)
{
	const uint32_t flags = header_get32(at + SESSION_FLAGS);

	*out = (struct bfd_request){
		.settings =
			{
				.local_discr = header_get32(at + SESSION_DISCR),
				.min_tx_us = header_get32(at + SESSION_MIN_TX),
				.min_rx_us = header_get32(at + SESSION_MIN_RX),
				.detect_mult = at[SESSION_DETECT_MULT],
				.passive = flags & FLAG_PASSIVE,
				.shutdown = flags & FLAG_SHUTDOWN,
				.cpi = flags & FLAG_CPI,
			},
		.multihop = flags & FLAG_MULTIHOP,
		.echo = flags & FLAG_ECHO,
		.demand = flags & FLAG_DEMAND,
		.version = flags & FLAG_IP6 ? 6 : 4,
		.interface_index = header_get32(at + SESSION_INDEX),
	};
	memcpy(out->local, at + SESSION_LOCAL, out->version == 6 ? 16 : 4);
	memcpy(out->peer, at + SESSION_PEER, out->version == 6 ? 16 : 4);
	read_interface(at + SESSION_INTERFACE, out->interface);
}

// Returns false if the message is shorter than its type.
static bool
read_message(const uint8_t *at, size_t length, struct bfd_message *out)
{
	const uint8_t *body = at + BFD_MESSAGE_HEADER_BYTES;
	const size_t bytes = length - BFD_MESSAGE_HEADER_BYTES;

	*out = (struct bfd_message){
		.version = at[0], .type = header_get16(at + 2), .id = header_get16(at + 4)};
	switch (out->type) {
	case BFD_MESSAGE_ADD_SESSION:
	case BFD_MESSAGE_DELETE_SESSION:
		if (bytes < SESSION_BYTES)
			return false;
		read_session(body, &out->session);
		out->discr = out->session.settings.local_discr;
		return true;
	case BFD_MESSAGE_REQUEST_COUNTERS:
		if (bytes < DISCR_BYTES)
			return false;
		out->discr = header_get32(body);
		return true;
	case BFD_MESSAGE_ECHO_REQUEST:
		if (bytes < ECHO_BYTES)
			return false;
		out->dp_time_us = get64(body);
		out->bfdd_time_us = get64(body + 8);
		return true;
	default:
		return true;
	}
}

long
bfd_take_messages(const uint8_t *bytes, size_t count,
		  void (*take)(void *context, const struct bfd_message *message), void *context,
		  const char **why)
{
	struct bfd_message message;
	size_t done = 0;

	while (count - done >= BFD_MESSAGE_HEADER_BYTES) {
		const uint8_t *at = bytes + done;
		const size_t length = header_get16(at + 6);

		*why = at[0] < VERSION_MIN || at[0] > VERSION_MAX ? "unknown protocol version"
		       : length < BFD_MESSAGE_HEADER_BYTES ? "a message is shorter than its header"
		       : length > BFD_MESSAGE_MAX          ? "a message is too long"
							   : NULL;
		if (*why != NULL)
			return -EPROTO;
		if (count - done < length)
			break;
		if (!read_message(at, length, &message)) {
			*why = "a message is too short for its type";
			return -EPROTO;
		}
		take(context, &message);
		done += length;
	}
	return (long)done;
}

// ---- what is sent ------------------------------------------------------------------------------

static uint8_t *
put_header(uint8_t *out, uint8_t version, uint16_t type, size_t body_bytes)
{
	memset(out, 0, BFD_MESSAGE_HEADER_BYTES + body_bytes);
	out[0] = version;
	header_put16(out + 2, type);
	header_put16(out + 6, (unsigned)(BFD_MESSAGE_HEADER_BYTES + body_bytes));
	return out + BFD_MESSAGE_HEADER_BYTES;
}

size_t
bfd_build_state(uint8_t version, uint32_t discr, const struct bfd_session *s,
		uint8_t out[static BFD_REPLY_MAX])
{
	uint8_t *body = put_header(out, version, BFD_MESSAGE_STATE_CHANGE, STATE_BYTES);
	const struct bfd_remote *remote = &s->remote;

	header_put32(body, discr);
	header_put32(body + 4, remote->discr);
	header_put32(body + 8,
		     (remote->cpi ? REMOTE_CPI : 0) | (remote->demand ? REMOTE_DEMAND : 0));
	header_put32(body + 12, remote->desired_min_tx_us);
	header_put32(body + 16, remote->required_min_rx_us);
	header_put32(body + 20, remote->required_min_echo_rx_us);
	body[24] = (uint8_t)s->state;
	body[25] = remote->diag;
	body[26] = remote->detect_mult;
	return BFD_MESSAGE_HEADER_BYTES + STATE_BYTES;
}

size_t
bfd_build_counters(const struct bfd_message *request, const struct bfd_counts *counts,
		   uint8_t out[static BFD_REPLY_MAX])
{
	uint8_t *body = put_header(out, request->version, BFD_MESSAGE_COUNTERS, COUNTERS_BYTES);

	header_put16(out + 4, request->id);
	header_put32(body, request->discr);
	put64(body + 8, counts->rx_bytes);
	put64(body + 16, counts->rx_packets);
	put64(body + 24, counts->tx_bytes);
	put64(body + 32, counts->tx_packets);
	return BFD_MESSAGE_HEADER_BYTES + COUNTERS_BYTES;
}

size_t
bfd_build_echo(const struct bfd_message *request, uint64_t now_us,
	       uint8_t out[static BFD_REPLY_MAX])
{
	uint8_t *body = put_header(out, request->version, BFD_MESSAGE_ECHO_REPLY, ECHO_BYTES);

	header_put16(out + 4, request->id);
	put64(body, now_us);
	put64(body + 8, request->bfdd_time_us);
	return BFD_MESSAGE_HEADER_BYTES + ECHO_BYTES;
}
