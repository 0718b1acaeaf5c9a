// SPDX-License-Identifier: BSD-3-Clause
// A live fabric in this process: worker lcores, device ports, hosts in namespaces. lab.c tells in
// which order it comes up and goes down. Control thread.
#pragma once

#include "control/events/events.h"
#include "control/fabric/flows.h"
#include "control/fabric/log.h"
#include "dataplane/drive/live.h"

#include <rte_mempool.h>

#include <stdbool.h>
#include <stdio.h>

struct learner;

// A device port, and what had to be made for it.
struct lab_device {
	char name[TOPOLOGY_NAME_MAX]; // "leaf1.swp1"
	char spec[DEVICE_SPEC_MAX];
	uint32_t node;
	uint16_t port;
	uint32_t host;     // TOPOLOGY_NONE: not a host's
	const char *netns; // NULL: none
	bool netns_created;
	bool own_veth;      // its far end stands in netns
	const char *netdev; // the interface that it shares with the kernel, or NULL
	uint32_t mtu;
	struct live_port live;
};

struct locals;

struct lab {
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
	struct lab_device *devices;
	uint32_t device_count;
	struct locals *locals;   // NULL: no port has a kernel beside it
	struct learner *learner; // NULL: no switch learns routes
	struct live_drive drive;
	bool drive_ready;
	bool running;
	bool eal;
	int outer_netns; // the namespace the process came from; -1: it never left
	uint32_t worker_count;
};

// Where a step of coming up reports what is wrong: errors of the file in diag, others as one line
// in err.
struct lab_report {
	struct config_diag *diag;
	char *err;
	size_t err_size;
	FILE *notes; // warnings: host settings, what is left out
};

// Where a fabric's description comes from.
struct lab_source {
	const char *file;   // for messages; read, where text is NULL
	const char *text;   // what a fabric ran
	size_t length;      // of text
	const char *beside; // of text: config_load_revision()
};

// Reads the file and checks everything that needs neither root nor devices. Returns 0, -EINVAL or
// -ENOMEM; lab_close() in either case.
int lab_load(struct lab *lab, const struct lab_source *source, struct lab_report *report);

// Brings it up: EAL, namespaces, devices, nodes; workers run when it returns 0. Otherwise nothing
// is left behind after lab_close(). The process enters a network namespace of its own if hosts are
// attached.
int lab_open(struct lab *lab, struct lab_report *report);

// Applies the file's events that are due. What is wrong with one is told in the log.
void lab_apply_events(struct lab *lab);

// A message without the name of the file, where it names no place in it.
const char *lab_message(const struct config_message *m);

// How long until the next event in wall time, in ms, at most `most`.
int lab_next_event_ms(const struct lab *lab, int most);

// Stops the workers, closes devices and removes the namespaces that were made. All zero is fine.
void lab_close(struct lab *lab);
