// SPDX-License-Identifier: BSD-3-Clause
// All probes share one capture of all ports, which takes nothing but packets with PACKET_PROBE and
// runs while one of them is on its way: then other packets are looked at where they pass, but not
// copied. A probe ends when it has arrived, was dropped or left the fabric, after the time that the
// client set, or with its connection.
#include "probes.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SNAP_BYTES 256 // headers, with those of a tunnel, and the probe's number

struct sent_probe {
	struct trace_probe *probe;
	uint64_t number;
	uint64_t client;
	int64_t deadline_ms;
	json_t *report; // what the client is to get; NULL: the probe is on its way
};

struct probes {
	struct capture_hub *hub;
	struct live_fabric *live;
	struct api_server *server;
	struct capture *capture; // NULL: no probe is on its way
	struct sent_probe sent[PROBES_MAX];
	unsigned int count;
	uint64_t last_number;
};

struct probes *
probes_create(struct capture_hub *hub, struct api_server *server)
{
	struct probes *all = memory_new(sizeof(*all), "probes");

	*all = (struct probes){.hub = hub, .live = capture_hub_fabric(hub), .server = server};
	return all;
}

// ---- the capture --------------------------------------------------------------------------------

// On workers.
static bool
is_probe(const void *context, struct rte_mbuf *m)
{
	(void)context;
	return packet_meta(m)->flags & PACKET_PROBE;
}

static void
take(void *context, const struct captured *packet)
{
	static const enum trace_event events[CAPTURE_KINDS] = {
		[CAPTURE_RECEIVED] = TRACE_RECEIVED,
		[CAPTURE_SENT] = TRACE_SENT,
		[CAPTURE_DROPPED] = TRACE_DROPPED,
	};
	const struct probes *all = context;
	const struct trace_record record = {
		.event = events[packet->kind],
		.port = packet->port,
		.at = packet->at,
		.reason = packet->reason,
		.out_port = packet->out_port,
		.tc = packet->tc,
		.depth_bytes = packet->depth_bytes,
	};
	uint64_t number;

	if (!trace_probe_number(packet->data, packet->data_len, &number))
		return;
	for (unsigned int i = 0; i < all->count; i++)
		if (all->sent[i].number == number)
			trace_probe_note(all->sent[i].probe, &record);
}

static int
begin_capture(struct probes *all, struct diag *diag)
{
	const struct capture_want want = {
		.which = CAPTURE_WHICH_RX | CAPTURE_WHICH_TX,
		.snaplen = SNAP_BYTES,
		.match = is_probe,
		.take = take,
		.context = all,
	};

	if (all->capture == NULL && capture_hub_begin(all->hub, &want, &all->capture) != 0)
		return diag_fail(
			diag, EBUSY,
			"a probe takes the place of a capture, and %d captures are running, which "
			"is the maximum; end one of them",
			CAPTURES_MAX);
	return 0;
}

// Unless a probe is on its way.
static void
end_capture(struct probes *all)
{
	struct capture *capture = all->capture;

	for (unsigned int i = 0; i < all->count; i++)
		if (all->sent[i].report == NULL)
			return;
	if (capture == NULL)
		return;
	capture_hub_end(all->hub, capture);
	capture_free(capture);
	all->capture = NULL;
}

// ---- sending ------------------------------------------------------------------------------------

struct sending {
	const struct probe *packet;
	struct topo_ref start;
	ps_t at;
	int rc;
};

// On workers.
static void
send_at_node(void *context, struct node *n, ps_t now)
{
	struct sending *s = context;

	if (n->index != s->start.node)
		return;
	s->rc = probe_send(n, &n->ports[s->start.port], s->packet, now);
	s->at = now;
}

static int
send_packet(struct probes *all, struct trace_probe *probe, struct diag *diag)
{
	const struct topo_ref start = trace_probe_start(probe);
	const struct report_node *names = &all->live->fabric->names[start.node];
	struct sending s = {.packet = trace_probe_packet(probe), .start = start, .rc = -ENETDOWN};

	live_call(&all->live->drive, send_at_node, &s);
	trace_probe_sent(probe, s.at);
	if (s.rc == -ENETDOWN)
		return diag_fail(diag, ENETDOWN, "%s.%s has no link: the host cannot send",
				 names->name, names->ports[start.port].name);
	if (s.rc != 0)
		return diag_fail(diag, -s.rc, "%s has no free packet to send: try again",
				 names->name);
	return 0;
}

static void
forget(struct probes *all, unsigned int index)
{
	trace_probe_free(all->sent[index].probe);
	json_decref(all->sent[index].report);
	all->sent[index] = all->sent[--all->count];
}

static int
read_wait(const json_t *params, int64_t *out, struct diag *diag)
{
	const json_t *value = json_object_get(params, "wait-ms");

	*out = value != NULL ? json_integer_value(value) : PROBE_WAIT_MS;
	if (*out >= 1 && *out <= PROBE_WAIT_MOST_MS)
		return 0;
	return diag_fail(diag, EINVAL, "\"wait-ms\" is out of range: 1 to %d", PROBE_WAIT_MOST_MS);
}

int
probes_begin(struct probes *all, const struct trace_state *state, const json_t *params,
	     json_t **result, struct diag *diag)
{
	struct sent_probe s = {.number = all->last_number + 1};
	json_t *answer;
	int64_t wait_ms;
	int rc = read_wait(params, &wait_ms, diag);

	if (rc == 0 && all->count == PROBES_MAX)
		rc = diag_fail(diag, EBUSY,
			       "%d probes are under way, which is the maximum; try again later",
			       PROBES_MAX);
	if (rc == 0)
		rc = trace_probe_create(state, params, s.number, &s.probe, &answer, diag);
	if (rc != 0)
		return rc;
	s.client = api_server_client(all->server);
	s.deadline_ms = clock_ms() + wait_ms;
	all->last_number = s.number;
	all->sent[all->count++] = s;
	rc = begin_capture(all, diag);
	if (rc == 0)
		rc = send_packet(all, s.probe, diag);
	if (rc != 0) {
		json_decref(answer);
		forget(all, all->count - 1);
		end_capture(all);
		return rc;
	}
	json_object_set_new(answer, "probe", json_integer((json_int_t)s.number));
	*result = answer;
	return 0;
}

// ---- reporting ----------------------------------------------------------------------------------

static void
make_report(struct sent_probe *s, int64_t now_ms)
{
	if (s->report != NULL || (!trace_probe_has_ended(s->probe) && now_ms < s->deadline_ms))
		return;
	s->report = trace_probe_json(s->probe);
	json_object_set_new(s->report, "probe", json_integer((json_int_t)s->number));
}

void
probes_poll(struct probes *all)
{
	const int64_t now_ms = clock_ms();

	for (unsigned int i = all->count; i-- > 0;) {
		struct sent_probe *s = &all->sent[i];
		int rc = 0;

		make_report(s, now_ms);
		if (s->report != NULL)
			rc = api_server_send(
				all->server, s->client,
				&(struct api_message){.method = "probe", .params = s->report});
		else if (!api_server_has_client(all->server, s->client))
			rc = -ENOENT;
		if ((s->report != NULL && rc == 0) || rc == -ENOENT)
			forget(all, i);
	}
	end_capture(all);
}

void
probes_destroy(struct probes *all)
{
	if (all == NULL)
		return;
	while (all->count != 0)
		forget(all, all->count - 1);
	end_capture(all);
	free(all);
}
