// SPDX-License-Identifier: BSD-3-Clause
// LLDP (IEEE 802.1AB) at ports of switches that have a device, or an attached host, behind them.
// lldp_agent.c says when frames are sent and how long neighbours are kept. Control thread; workers run.
#pragma once

#include "live_fabric.h"

// Begins to speak and to listen; live->lldp.
void lldp_agent_open(struct live_fabric *live);
// Takes in what has come, forgets who is silent, and sends what is due.
void lldp_agent_poll(struct live_fabric *live);
// Workers have stopped. Nothing to close is fine.
void lldp_agent_close(struct live_fabric *live);
