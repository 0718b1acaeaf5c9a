// SPDX-License-Identifier: BSD-3-Clause
// LLDP (IEEE 802.1AB) at ports of switches that have a device, or an attached host, behind them.
// lldp_agent.c says when frames are sent and how long neighbours are kept. Control thread; workers
// run.
#pragma once

#include "live_fabric.h"

// Starts sending and receiving; live->lldp.
void lldp_agent_open(struct live_fabric *live);
// Reads received frames, forgets neighbours whose TTL has expired, and sends frames that are due.
void lldp_agent_poll(struct live_fabric *live);
// Sends the last frame of a port (NULL: of all ports), with TTL 0 (IEEE 802.1AB, shutdown), and
// waits until it has left, but not long. Workers run. A no-op when it is not open.
void lldp_agent_shut_down(struct live_fabric *live, const struct device_port *d);
// Workers have stopped. A no-op when it is not open.
void lldp_agent_close(struct live_fabric *live);
