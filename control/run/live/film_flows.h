// SPDX-License-Identifier: BSD-3-Clause
// The flows of a live fabric's simulated NICs, for META of its films. Control thread.
#pragma once

#include "live_fabric.h"

#define FILM_FLOWS_MAX 2048u // that are listed: META has to fit into one event of the API

struct film_flows;

// The fabric outlives it.
struct film_flows *film_flows_create(struct live_fabric *live);
// NULL is fine.
void film_flows_destroy(struct film_flows *flows);

// Has the workers read when flows began and ended, once a second. Returns a number that changes
// with each change of the list.
uint32_t film_flows_poll(struct film_flows *flows, int64_t now_ms);
// The list, which stays its own.
json_t *film_flows_list(const struct film_flows *flows);
