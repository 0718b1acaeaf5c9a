// SPDX-License-Identifier: BSD-3-Clause
// The log of a fabric: what nodes log as it happens (dataplane/base/node_log.h), and changes and
// refusals. Each entry is printed as a line and kept for the result.
#pragma once

#include "fabric.h"

#include <jansson.h>
#include <stdio.h>

#define FABRIC_LOG_LINES 20    // printed in a row
#define FABRIC_LOG_KEPT 10000u // of the list; older entries make room and count as lost

struct fabric_log;

// `to`: where lines are printed; NULL: nowhere. `rest`: where the reader finds what is not printed
// after FABRIC_LOG_LINES lines ("the result's log"). `refills`: a poll that finds nothing new gives
// back one line, so that a fabric that runs for long prints again.
struct fabric_log *fabric_log_create(FILE *to, const char *rest, bool refills);

// NULL is fine.
void fabric_log_destroy(struct fabric_log *log);

// Takes what nodes have logged since the last poll, in the order of time. Control thread; workers
// may run. Of several ranks, all call it, and the first one gets the entries.
void fabric_log_poll(struct fabric_log *log, const struct fabric *f);

enum fabric_log_kind {
	FABRIC_LOG_REFUSED, // an event of the file, because of what has been set since
	FABRIC_LOG_TENANTS, // a change of tenants
	FABRIC_LOG_CONFIGURATION,
	FABRIC_LOG_ROUTES, // a source of learned routes
	FABRIC_LOG_WATCHER,
	FABRIC_LOG_BFD,
	FABRIC_LOG_LINK,   // a link that a user has changed, or that another part reports
	FABRIC_LOG_RECORD, // a program that writes what `record:` names
};
// Records something that concerns the whole fabric; message: a line of UTF-8. Control thread.
void fabric_log_note(struct fabric_log *log, ps_t at, enum fabric_log_kind kind,
		     const char *message);

enum fabric_log_port_kind {
	FABRIC_LOG_LINK_DOWN,
	FABRIC_LOG_LINK_UP,
	FABRIC_LOG_DEVICE_DROPS, // lost by the device or the kernel
	FABRIC_LOG_TRANSMIT,     // a user has turned transmission off or on
};
// Records something that concerns a port. Control thread.
void fabric_log_port(struct fabric_log *log, ps_t at, const struct topo_node *node, uint16_t port,
		     enum fabric_log_port_kind kind, const char *message);

// [{"at_ns", "node", "queue", "what", "message"}, ...], oldest first; the log's own. "what" is
// "watchdog-storm" or "watchdog-restore"; "link-down", "link-up", "device-drops" or
// "transmit", where queue is null and "port" is the port; or "event-refused", "tenants",
// "configuration", "routes", "watcher", "bfd", "link" or "record", where node and queue are null.
json_t *fabric_log_entries(const struct fabric_log *log);

// How many there have been, removed ones included.
uint64_t fabric_log_total(const struct fabric_log *log);

// How many are missing from the list.
uint64_t fabric_log_lost(const struct fabric_log *log);
