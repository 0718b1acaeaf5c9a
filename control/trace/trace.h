// SPDX-License-Identifier: BSD-3-Clause
// `roost trace`: the path of one packet, computed hop by hop from the tables and the state of the
// nodes, without sending it. Every switch's own pipeline decides (pipelines/trace.h); nothing here
// knows how to route. Control thread; nodes must stand still.
//
// A packet is traced as if it were alone and the nodes stayed as they are: other packets that would
// overtake it or fill a queue meanwhile are not there.
#pragma once

#include "control/base/diag.h"
#include "control/fabric/fabric.h"
#include "control/model/topology/topology.h"
#include "dataplane/roce/probe.h"

#include <jansson.h>

struct trace_state {
	const struct fabric *fabric;
	// The nodes as they stand, by number in the topology; NULL: there is none (an attached host
	// without a NIC of the fabric's).
	const struct node *const *nodes;
	ps_t now;
};

// The API's method "trace". params: {"source": a host, its NIC or its address, "destination": the
// same, or any address; "tenant": whose addresses those are; "sport", "dport", "dscp", "priority",
// "ttl", "bytes" (the frame without FCS), "queue-pair"}; all but the first two are optional.
// Returns 0 with *out the caller's, or -EINVAL with an error in diag.
int trace_answer(const struct trace_state *s, const json_t *params, json_t **out,
		 struct diag *diag);

// Prints an answer as `roost trace` does; one with "probe", which is what trace_probe_json() made,
// with what was measured beside it. What an answer lacks is shown as 0 or left empty.
void trace_print(const json_t *answer, FILE *to);

// ---- probe.c: a packet of the flow that is really sent, and what is seen of it ------------------

struct trace_probe;

enum trace_event { TRACE_RECEIVED, TRACE_SENT, TRACE_DROPPED };

// What a tap saw of a probe.
struct trace_record {
	enum trace_event event;
	struct topo_ref port; // where it passed; of a dropped probe, where it came in
	ps_t at;              // received: when its last bit arrived; sent: when that has left
	int reason;           // enum drop_reason, or -1; received probes may have one
	int out_port;         // of a dropped probe: whose queue it was for; -1: none
	uint8_t tc;           // of a sent one, and of one with an out_port: the queue
	uint32_t depth_bytes; // of one with an out_port: what was in that queue
};

// As trace_answer(), and makes the packet to send; it carries `number`.
int trace_probe_create(const struct trace_state *s, const json_t *params, uint64_t number,
		       struct trace_probe **out, json_t **answer, struct diag *diag);
void trace_probe_free(struct trace_probe *p); // NULL is fine

const struct probe *trace_probe_packet(const struct trace_probe *p);
// Where it is put in (probe_send()): a port of the host's NIC or, where the fabric has none, of the
// leaf.
struct topo_ref trace_probe_start(const struct trace_probe *p);
// When it was put in.
void trace_probe_sent(struct trace_probe *p, ps_t at);

// The number in the captured bytes of a probe. Returns false if there is none.
bool trace_probe_number(const uint8_t *data, size_t length, uint64_t *out);

// In order of time.
void trace_probe_note(struct trace_probe *p, const struct trace_record *r);
// Whether nothing more is to come.
bool trace_probe_has_ended(const struct trace_probe *p);

// {"result": "delivered", "dropped", "left" (the fabric, by a device) or "in-flight", "sent_at_ps",
// "time_ps", "as_computed": whether it took the path of the answer, as far as it came, "hops"}.
json_t *trace_probe_json(const struct trace_probe *p);
