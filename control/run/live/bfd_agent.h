// SPDX-License-Identifier: BSD-3-Clause
// Runs the BFD sessions of FRR's bfdd at ports that a switch shares with Linux (`switch.bfd`).
// bfd_agent.c says how packets travel. Control thread; workers run.
#pragma once

#include "live_fabric.h"

// Connects to bfdd, when it is there; live->bfd stays NULL if the file does not want it. Returns 0
// or -errno.
int bfd_agent_open(struct live_fabric *live, struct diag *diag);
// Takes in what bfdd and neighbours have sent, and sends what is due.
void bfd_agent_poll(struct live_fabric *live);
// Tells the XDP program of a port which BFD and BGP packets it passes on, and to whom. Returns 0 or
// -errno.
int bfd_agent_steer(const struct live_fabric *live, const struct device_port *d);
// Becomes readable when bfdd has sent something; -1: it is not open.
int bfd_agent_fd(const struct live_fabric *live);
// How long until bfd_agent_poll() has to be called, in ms, at most `most`.
int bfd_agent_wait_ms(const struct live_fabric *live, int max_ms);
// A no-op when it is not open.
void bfd_agent_close(struct live_fabric *live);
