// SPDX-License-Identifier: BSD-3-Clause
// A live fabric comes up and goes down. Control thread.
#pragma once

#include "live_fabric.h"

// Where a fabric's description comes from.
struct live_source {
	const char *file;   // for messages; read, where text is NULL
	const char *text;   // what a fabric ran
	size_t length;      // of text
	const char *beside; // of text: config_load_revision()
};

// Reads the file and checks everything that needs neither root nor devices. Returns 0, -EINVAL or
// -ENOMEM; live_fabric_close() in either case.
int live_fabric_load(struct live_fabric *live, const struct live_source *source,
		     struct live_report *report);

// Brings it up: EAL, namespaces, devices, nodes; workers run when it returns 0. Otherwise nothing
// is left behind after live_fabric_close(). The process enters a network namespace of its own if hosts are
// attached.
int live_fabric_open(struct live_fabric *live, struct live_report *report);

// Stops the workers, closes devices and removes the namespaces that were made. All zero is fine.
void live_fabric_close(struct live_fabric *live);
