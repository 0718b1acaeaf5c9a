// SPDX-License-Identifier: BSD-3-Clause
// What answers the attributes of agents; private to control/mad/.
#pragma once

#include "agents.h"

struct mad_request {
	struct agent_place at;
	struct agent *node; // there
	bool set;
	uint32_t modifier;
	uint8_t *data; // of the attribute: MAD_DATA_BYTES, for the performance agent three times
		       // that; the answer replaces it
};

// Carries out a Set, then fills in the data as it now is. Returns a status of enum mad_status;
// after an error nothing has changed.
typedef uint16_t mad_answer_fn(struct agents *agents, const struct mad_request *request);

// The arbitration of a port is about to change. A switch's own port sends nothing.
static inline void
agents_note_arbitration(struct agents *agents, struct agent *node, const struct agent_port *port)
{
	if (port == &node->ports[0])
		return;
	node->arbitrated = true;
	agents->lane_changes++;
}

// node_info.c
mad_answer_fn mad_node_description;
mad_answer_fn mad_node_info;
mad_answer_fn mad_switch_info;
mad_answer_fn mad_guid_info;
// port_info.c
mad_answer_fn mad_port_info;
// mad_tables.c
mad_answer_fn mad_partitions;
mad_answer_fn mad_sl_to_vl;
mad_answer_fn mad_vl_arbitration;
mad_answer_fn mad_linear_table;
mad_answer_fn mad_multicast_table;
// performance.c
mad_answer_fn mad_class_port_info;
mad_answer_fn mad_counters;
mad_answer_fn mad_counters_extended;
