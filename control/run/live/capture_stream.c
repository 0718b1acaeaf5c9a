// SPDX-License-Identifier: BSD-3-Clause
// A client that has called `capture` gets notifications "capture" whose parameter `blocks` is
// base64 of whole blocks of a pcapng file. The last one has `end`, and the statistics of each
// interface before it. Blocks are made as packets come and sent as the client reads; where too many
// bytes wait for it, packets are lost and counted, as they are where a worker's ring is full.
//
// An interface is a port that was named; where none was, interfaces are added as their first packet
// comes.
#include "capture_stream.h"

#include "control/base/base64.h"
#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/io/capture/pcapng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_BYTES_MAX (4u << 20) // of blocks, for one client
#define CHUNK_BYTES (48u << 10)      // of blocks in a notification, unless one is larger
#define END_MS 2000                  // of waiting for clients to read when the fabric goes down
#define COMMENT_MAX 512

// A port that has an interface in the file.
struct stream_port {
	struct topo_ref port;
	struct pcapng_statistics statistics;
	uint64_t lost; // because the client reads too slowly
};

struct stream {
	struct capture_streams *all;
	uint64_t client;
	struct capture *capture; // NULL: it has ended
	struct filter *filter;
	uint32_t snaplen;
	unsigned int which;
	uint64_t packets, packets_most;
	uint64_t lost; // in all, once it has ended
	ps_t from;
	bool named;                // its ports were
	struct stream_port *ports; // by interface
	uint32_t port_count;
	struct pcapng blocks;
	size_t sent; // of their bytes
};

struct capture_streams {
	struct capture_hub *hub;
	struct live_fabric *live;
	struct api_server *server;
	struct stream *streams[CAPTURES_MAX];
	unsigned int count;
};

struct capture_streams *
capture_streams_create(struct capture_hub *hub, struct api_server *server)
{
	struct capture_streams *all = memory_new(sizeof(*all), "captures");

	*all = (struct capture_streams){
		.hub = hub, .live = capture_hub_fabric(hub), .server = server};
	return all;
}

static const char *
port_name(const struct stream *s, uint32_t node, uint16_t port, char *to, size_t size)
{
	const struct report_node *names = &s->all->live->fabric->names[node];

	snprintf(to, size, "%s.%s", names->name, names->ports[port].name);
	return to;
}

static void
add_interface(struct stream *s, struct topo_ref port)
{
	char name[2 * TOPOLOGY_NAME_MAX];

	s->ports = memory_grow(s->ports, s->port_count, sizeof(*s->ports), "interfaces");
	s->ports[s->port_count++] =
		(struct stream_port){.port = port, .statistics = {.from = s->from}};
	pcapng_add_interface(&s->blocks, port_name(s, port.node, port.port, name, sizeof(name)),
			     s->snaplen);
}

// Captures of a whole fabric have few ports in them: those that drop.
static uint32_t
find_interface(struct stream *s, const struct captured *packet)
{
	if (s->named)
		return packet->place;
	for (uint32_t i = 0; i < s->port_count; i++)
		if (s->ports[i].port.node == packet->port.node &&
		    s->ports[i].port.port == packet->port.port)
			return i;
	add_interface(s, packet->port);
	return s->port_count - 1;
}

// "reason=red port=leaf1.swp1 priority=3 depth=4096 queue=leaf1.swp3.3 advice=..."
static const char *
drop_comment(const struct stream *s, const struct captured *packet, char text[static COMMENT_MAX])
{
	char port[2 * TOPOLOGY_NAME_MAX], out[2 * TOPOLOGY_NAME_MAX] = "",
						  queue[sizeof(out) + 16] = "";
	const enum drop_reason reason = (enum drop_reason)packet->reason;

	if (packet->reason < 0)
		return NULL;
	if (packet->out_port >= 0)
		snprintf(queue, sizeof(queue), " queue=%s.%u",
			 port_name(s, packet->port.node, (uint16_t)packet->out_port, out,
				   sizeof(out)),
			 packet->tc);
	snprintf(text, COMMENT_MAX, "reason=%s port=%s priority=%u depth=%u%s advice=%s",
		 drop_name(reason),
		 port_name(s, packet->port.node, packet->port.port, port, sizeof(port)),
		 packet->priority, packet->depth_bytes, queue, drop_advice(reason));
	return text;
}

static void
take(void *context, const struct captured *packet)
{
	static const enum capture_direction directions[CAPTURE_KINDS] = {
		[CAPTURE_RECEIVED] = CAPTURE_DIRECTION_IN,
		[CAPTURE_SENT] = CAPTURE_DIRECTION_OUT,
		[CAPTURE_DROPPED] = CAPTURE_DIRECTION_NONE,
	};
	struct stream *s = context;
	char comment[COMMENT_MAX];
	const struct capture_record record = {
		.stamp = packet->at,
		.direction = directions[packet->kind],
		.data_len = packet->data_len,
		.orig_len = packet->wire_bytes,
		.data = packet->data,
		.comment = drop_comment(s, packet, comment),
	};
	struct stream_port *port;
	uint32_t interface;

	if (s->packets_most != 0 && s->packets == s->packets_most)
		return;
	if (!filter_passes(s->filter, packet->data, packet->data_len, packet->wire_bytes))
		return;
	interface = find_interface(s, packet);
	port = &s->ports[interface];
	port->statistics.accepted++;
	if (s->blocks.count - s->sent > WAITING_BYTES_MAX) {
		port->lost++;
		return;
	}
	if (pcapng_add_packet(&s->blocks, interface, &record) != 0)
		return;
	port->statistics.delivered++;
	s->packets++;
}

// ---- sending ------------------------------------------------------------------------------------

// The bytes of complete blocks that one notification carries.
static size_t
chunk_length(const struct stream *s)
{
	size_t length = 0;

	while (s->sent + length < s->blocks.count) {
		const uint8_t *at = s->blocks.bytes + s->sent + length + 4;
		const size_t block = (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 |
				     (size_t)at[3] << 24;

		if (length != 0 && length + block > CHUNK_BYTES)
			break;
		length += block;
	}
	return length;
}

static int
send_chunk(struct stream *s)
{
	const size_t length = chunk_length(s);
	const bool ends = s->capture == NULL && s->sent + length == s->blocks.count;
	char *text = base64_encode(s->blocks.bytes + s->sent, length);
	json_t *params = json_pack("{s:s}", "blocks", text);
	int rc;

	free(text);
	if (ends)
		json_object_update_new(params, json_pack("{s:b, s:I, s:I}", "end", 1, "packets",
							 (json_int_t)s->packets, "lost",
							 (json_int_t)s->lost));
	rc = api_server_send(s->all->server, s->client, "capture", params);
	json_decref(params);
	if (rc == 0)
		s->sent += length;
	return rc == 0 && ends ? 1 : rc;
}

// Sends what the client takes now. Returns 0; 1 if that was all of a capture that has ended; or
// -ENOENT.
static int
send_waiting(struct stream *s)
{
	int rc = 0;

	// The last one may be empty.
	while (rc == 0 && (s->sent < s->blocks.count || s->capture == NULL))
		rc = send_chunk(s);
	if (s->sent == s->blocks.count) {
		s->sent = s->blocks.count = 0;
	} else if (s->sent > WAITING_BYTES_MAX) {
		memmove(s->blocks.bytes, s->blocks.bytes + s->sent, s->blocks.count - s->sent);
		s->blocks.count -= s->sent;
		s->sent = 0;
	}
	return rc == -EAGAIN ? 0 : rc;
}

// ---- beginning and ending -----------------------------------------------------------------------

int
capture_streams_begin(struct capture_streams *all, const struct capture_request *request,
		      struct diag *diag)
{
	const uint64_t client = api_server_client(all->server);
	struct capture_want want = {
		.ports = request->ports,
		.count = request->count,
		.which = request->which,
		.snaplen = request->snaplen != 0 ? request->snaplen : PACKET_FRAME_MAX,
		.take = take,
	};
	struct stream *s;

	for (unsigned int i = 0; i < all->count; i++)
		if (all->streams[i]->client == client)
			return diag_fail(diag, EBUSY, "this connection has a capture already");
	if (all->count == CAPTURES_MAX)
		return diag_fail(diag, EBUSY, "%d captures run already", CAPTURES_MAX);
	s = memory_new(sizeof(*s), "a capture");
	*s = (struct stream){
		.all = all,
		.client = client,
		.filter = request->filter,
		.snaplen = request->snaplen,
		.which = request->which,
		.packets_most = request->packets_most,
		.from = live_clock(&all->live->drive),
		.named = request->ports != NULL,
	};
	pcapng_add_section(&s->blocks);
	for (uint32_t i = 0; s->named && i < request->count; i++)
		add_interface(s, request->ports[i]);
	want.context = s;
	if (capture_hub_begin(all->hub, &want, &s->capture) != 0) {
		s->filter = NULL;
		free(s->blocks.bytes);
		free(s->ports);
		free(s);
		return diag_fail(diag, EBUSY, "%d captures run already", CAPTURES_MAX);
	}
	api_server_set_stream(all->server, client, true);
	all->streams[all->count++] = s;
	return 0;
}

// A port where packets were lost before any of them came.
static void
add_silent_ports(struct stream *s, const struct capture *capture)
{
	const struct topology *t = s->all->live->topology;

	for (uint32_t i = 0; !s->named && i < t->node_count; i++)
		for (uint16_t p = 0; p < t->nodes[i].port_count; p++) {
			const struct topo_ref port = {.node = i, .port = p};
			const struct captured packet = {.port = port};

			if (capture_total_at(capture, port).seen != 0)
				(void)find_interface(s, &packet);
		}
}

static void
end_capture(struct stream *s)
{
	const ps_t now = live_clock(&s->all->live->drive);
	struct capture *capture = s->capture;

	if (capture == NULL)
		return;
	capture_hub_end(s->all->hub, capture);
	s->capture = NULL;
	add_silent_ports(s, capture);
	for (uint32_t i = 0; i < s->port_count; i++) {
		struct stream_port *port = &s->ports[i];
		struct capture_total total = capture_total_at(capture, port->port);

		port->statistics.to = now;
		port->statistics.seen = total.seen;
		port->statistics.lost = total.lost + port->lost;
		s->lost += port->statistics.lost;
		pcapng_add_statistics(&s->blocks, i, &port->statistics);
	}
	capture_free(capture);
}

static void
remove_stream(struct capture_streams *all, unsigned int index)
{
	struct stream *s = all->streams[index];

	end_capture(s);
	api_server_set_stream(all->server, s->client, false);
	filter_destroy(s->filter);
	free(s->ports);
	free(s->blocks.bytes);
	free(s);
	all->streams[index] = all->streams[--all->count];
}

int
capture_streams_end(struct capture_streams *all)
{
	const uint64_t client = api_server_client(all->server);

	for (unsigned int i = 0; i < all->count; i++)
		if (all->streams[i]->client == client) {
			end_capture(all->streams[i]);
			return 0;
		}
	return -ENOENT;
}

void
capture_streams_poll(struct capture_streams *all)
{
	capture_hub_poll(all->hub);
	for (unsigned int i = all->count; i-- > 0;) {
		struct stream *s = all->streams[i];

		if (s->packets_most != 0 && s->packets == s->packets_most)
			end_capture(s);
		if (!api_server_has_client(all->server, s->client) || send_waiting(s) != 0)
			remove_stream(all, i);
	}
}

void
capture_streams_destroy(struct capture_streams *all)
{
	const int64_t deadline = clock_ms() + END_MS;

	if (all == NULL)
		return;
	for (unsigned int i = 0; i < all->count; i++)
		end_capture(all->streams[i]);
	while (all->count != 0 && clock_ms() < deadline) {
		capture_streams_poll(all);
		if (all->count != 0 && api_server_poll(all->server, CAPTURE_POLL_MS) != 0)
			break;
	}
	while (all->count != 0)
		remove_stream(all, all->count - 1);
	free(all);
}
