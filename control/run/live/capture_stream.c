// SPDX-License-Identifier: BSD-3-Clause
// A client that has called `capture` gets notifications "capture" with whole blocks of a pcapng
// file: base64 in the parameter `blocks`, or bytes behind the line if it asked for them, which cost
// a tenth. The last notification has `end`, and the statistics of each interface before it. Blocks
// are made as packets come and sent as the client reads; where too many bytes wait for it, packets
// are lost and counted, as they are where a worker's ring is full.
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

#define TEXT_BYTES (48u << 10)        // of blocks in a notification, unless one is larger
#define TEXT_WAITING_BYTES (4u << 20) // that wait for a client of base64
#define RAW_BYTES (192u << 10)        // the same of one that is not base64
#define SEND_BYTES (2u << 20)         // to one client, before it is the next one's turn
#define END_MS 2000                   // of waiting for clients to read when the fabric goes down
#define COMMENT_MAX 512
#define FILTER_STEP_BYTES 8 // of a turn's cost: a step takes about 3 ns, and a turn 2 ms

// A port that has an interface in the file.
struct stream_port {
	struct topo_ref port;
	struct pcapng_statistics statistics;
	uint64_t lost; // because the client reads too slowly
};

enum stream_state {
	STREAM_RUNS,
	STREAM_STOPS, // what has passed until then is still in rings
	STREAM_ENDED, // the last blocks are there
};

struct stream {
	struct capture_streams *all;
	uint64_t client;
	enum stream_state state;
	struct capture *capture; // NULL: it has ended
	bool raw;                // it gets bytes behind a line
	size_t waiting_most;     // bytes of blocks
	struct filter *filter;
	uint32_t snaplen;
	unsigned int which;
	uint64_t packets, packets_most;
	uint64_t lost; // in all, once it has ended
	ps_t from, to;
	bool named;                // its ports were
	struct stream_port *ports; // by interface
	uint32_t port_count;
	struct pcapng blocks;
	size_t sent;  // of their bytes
	bool blocked; // the client has not read what was sent
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
	pcapng_add_interface(&s->blocks,
			     topology_is_infiniband(s->all->live->fabric->topology)
				     ? PCAPNG_LINKTYPE_ERF
				     : PCAPNG_LINKTYPE_ETHERNET,
			     port_name(s, port.node, port.port, name, sizeof(name)), s->snaplen);
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
		.data_len = s->snaplen != 0 && packet->data_len > s->snaplen ? s->snaplen
									     : packet->data_len,
		.orig_len = packet->wire_bytes,
		.data = packet->data,
		.infiniband = topology_is_infiniband(s->all->live->fabric->topology),
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
	if (s->blocks.count - s->sent > s->waiting_most) {
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

		if (length != 0 && length + block > (s->raw ? RAW_BYTES : TEXT_BYTES))
			break;
		length += block;
	}
	return length;
}

static json_t *
chunk_params(const struct stream *s, size_t length)
{
	char *text;
	json_t *params;

	if (s->raw)
		return json_pack("{s:I}", API_BYTES, (json_int_t)length);
	text = base64_encode(s->blocks.bytes + s->sent, length);
	params = json_pack("{s:s}", "blocks", text);
	free(text);
	return params;
}

// Returns 0; 1 if that was the last of a capture that has ended; or -errno.
static int
send_chunk(struct stream *s)
{
	const size_t length = chunk_length(s);
	const bool ends = s->state == STREAM_ENDED && s->sent + length == s->blocks.count;
	json_t *params = chunk_params(s, length);
	const struct api_message message = {
		.method = "capture",
		.params = params,
		.bytes = s->raw ? s->blocks.bytes + s->sent : NULL,
		.count = s->raw ? length : 0,
	};
	int rc;

	if (ends)
		json_object_update_new(params, json_pack("{s:b, s:I, s:I}", "end", 1, "packets",
							 (json_int_t)s->packets, "lost",
							 (json_int_t)s->lost));
	rc = api_server_send(s->all->server, s->client, &message);
	json_decref(params);
	if (rc == 0)
		s->sent += length;
	return rc == 0 && ends ? 1 : rc;
}

// Sends what the client takes now, up to its share of a turn. Returns 0; 1 if that was all of a
// capture that has ended; or -ENOENT.
static int
send_waiting(struct stream *s)
{
	const size_t before = s->sent;
	int rc = 0;

	// The last one may be empty.
	while (rc == 0 && s->sent - before < SEND_BYTES &&
	       (s->sent < s->blocks.count || s->state == STREAM_ENDED))
		rc = send_chunk(s);
	s->blocked = rc == -EAGAIN;
	if (s->sent == s->blocks.count) {
		s->sent = s->blocks.count = 0;
	} else if (s->sent > s->waiting_most) {
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
	const uint64_t memory = all->live->config->live.capture_memory_bytes;
	const uint64_t client = api_server_client(all->server);
	struct capture_want want = {
		.ports = request->ports,
		.count = request->count,
		.which = request->which,
		// A filter may look at any byte, so it comes before the cut.
		.snaplen = request->filter == NULL && request->snaplen != 0 ? request->snaplen
									    : PACKET_FRAME_MAX,
		.cost = filter_steps(request->filter) * FILTER_STEP_BYTES,
		.take = take,
	};
	struct stream *s;

	for (unsigned int i = 0; i < all->count; i++)
		if (all->streams[i]->client == client)
			return diag_fail(diag, EBUSY, "this connection has a capture already");
	if (all->count == CAPTURES_MAX)
		return diag_fail(diag, EBUSY,
				 "%d captures are running, which is the maximum; end one of them",
				 CAPTURES_MAX);
	s = memory_new(sizeof(*s), "a capture");
	*s = (struct stream){
		.all = all,
		.client = client,
		.filter = request->filter,
		.snaplen = request->snaplen,
		.which = request->which,
		.packets_most = request->packets_most,
		.raw = request->raw,
		.waiting_most = request->raw || memory < TEXT_WAITING_BYTES ? memory
									    : TEXT_WAITING_BYTES,
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
		return diag_fail(diag, EBUSY,
				 "%d captures are running, which is the maximum; end one of them",
				 CAPTURES_MAX);
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
add_statistics(struct stream *s, uint32_t interface, struct capture_total total)
{
	const struct stream_port *port = &s->ports[interface];
	struct pcapng_statistics statistics = port->statistics;
	char comment[128];

	statistics.to = s->to;
	statistics.seen = total.seen;
	statistics.lost = total.lost + port->lost;
	if (statistics.lost != 0) {
		snprintf(comment, sizeof(comment),
			 "lost=%" PRIu64 " ring-full=%" PRIu64 " client-slow=%" PRIu64,
			 statistics.lost, total.lost, port->lost);
		statistics.comment = comment;
	}
	s->lost += statistics.lost;
	pcapng_add_statistics(&s->blocks, interface, &statistics);
}

// Nothing that passes from now on is in it.
static void
stop_capture(struct stream *s)
{
	if (s->state != STREAM_RUNS)
		return;
	s->state = STREAM_STOPS;
	s->to = live_clock(&s->all->live->drive);
	capture_hub_stop(s->all->hub, s->capture);
}

// Makes the last blocks, if all that passed before has been taken.
static void
finish_capture(struct stream *s)
{
	struct capture *capture = s->capture;

	if (s->state != STREAM_STOPS || !capture_hub_finish(s->all->hub, capture))
		return;
	s->state = STREAM_ENDED;
	s->capture = NULL;
	add_silent_ports(s, capture);
	for (uint32_t i = 0; i < s->port_count; i++)
		add_statistics(s, i, capture_total_at(capture, s->ports[i].port));
	capture_free(capture);
}

static void
remove_stream(struct capture_streams *all, unsigned int index)
{
	struct stream *s = all->streams[index];

	if (s->capture != NULL) {
		capture_hub_remove(all->hub, s->capture);
		capture_free(s->capture);
	}
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
			stop_capture(all->streams[i]);
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
			stop_capture(s);
		finish_capture(s);
		if (!api_server_has_client(all->server, s->client) || send_waiting(s) != 0)
			remove_stream(all, i);
	}
}

int
capture_streams_wait_ms(const struct capture_streams *all, int wait_ms)
{
	for (unsigned int i = 0; i < all->count; i++) {
		const struct stream *s = all->streams[i];

		if (s->sent < s->blocks.count && !s->blocked)
			return 0;
	}
	return capture_hub_wait_ms(all->hub, wait_ms);
}

void
capture_streams_destroy(struct capture_streams *all)
{
	const int64_t deadline = clock_ms() + END_MS;

	if (all == NULL)
		return;
	for (unsigned int i = 0; i < all->count; i++)
		stop_capture(all->streams[i]);
	while (all->count != 0 && clock_ms() < deadline) {
		capture_streams_poll(all);
		if (all->count != 0 &&
		    api_server_poll(all->server, capture_streams_wait_ms(all, CAPTURE_POLL_MS)) !=
			    0)
			break;
	}
	while (all->count != 0)
		remove_stream(all, all->count - 1);
	free(all);
}
