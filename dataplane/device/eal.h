// SPDX-License-Identifier: BSD-3-Clause
// Starts and stops DPDK's environment (EAL) for the live pace. See eal.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum eal_hugepages {
	EAL_HUGEPAGES_AUTO, // used where enough of them are free
	EAL_HUGEPAGES_ON,
	EAL_HUGEPAGES_OFF,
};

struct eal_options {
	const char *prefix;   // names this instance: the fabric's name
	unsigned workers;     // worker lcores, numbered 1..workers; lcore 0 is the caller's
	const unsigned *cpus; // CPU of worker i + 1 is cpus[i % cpu_count]
	unsigned cpu_count;   // 0: chosen from the CPUs this process may use, the last one first
	enum eal_hugepages hugepages;
	unsigned memory_mb;     // for packet pools and device rings
	const char *const *pci; // PCI addresses that devices will be opened on
	unsigned pci_count;     // 0: PCI is not scanned
};

// Starts EAL once in the life of a process. Threads that EAL makes inherit the caller's network
// namespace, so a caller that wants a private one enters it first.
// Returns 0; -EALREADY if it was started before; -EINVAL, -ENOMEM, -ENOENT or -EIO with one line in
// `err`. Control thread, which becomes lcore 0.
int eal_start(const struct eal_options *options, char *err, size_t err_bytes);

// Removes the empty directory of a process that was killed while EAL started. Any thread.
void eal_clean_killed(const char *prefix);

// Ends the use of EAL, whose memory goes with the process; a no-op when it does not run. Worker
// lcores have returned and devices are closed. Control thread.
void eal_stop(void);
