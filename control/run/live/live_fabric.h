// SPDX-License-Identifier: BSD-3-Clause
// A live fabric in this process: worker lcores, device ports, hosts in namespaces. live.c tells in
// which order it comes up and goes down. Control thread.
#pragma once

#include "control/events/events.h"
#include "control/fabric/flows.h"
#include "control/fabric/log.h"
#include "control/run/device_ports.h"

#include <stdbool.h>
#include <stdio.h>

struct learner;
struct local_addresses;

struct live_fabric {
	struct config *config;
	struct topology *topology;
	bool *attached;             // by host
	uint16_t *workers;          // by node
	struct packet_pool **pools; // by node
	struct rte_mempool *packets;
	uint64_t buffers_bytes; // of all switches together, that the packets are enough for
	struct packet_pool *lifos[LIVE_WORKERS_MAX];
	struct fabric *fabric;
	struct workload *workload;
	struct fabric_flows *flows;
	struct events *events;
	struct fabric_log *log;
	struct device_port *devices;
	uint32_t device_count;
	struct local_addresses *local_addresses; // NULL: no port shares an interface with Linux
	struct learner *learner;                 // NULL: no switch learns routes
	struct live_drive drive;
	bool drive_ready;
	bool running;
	bool eal;
	int outer_netns; // the namespace the process came from; -1: it never left
	uint32_t worker_count;
};

// Where a step of coming up reports what is wrong: errors of the file in diag, others as one line
// in err.
struct live_report {
	struct diag *diag;
	char *err;
	size_t err_size;
	FILE *notes; // warnings: host settings, what is left out
};
