// SPDX-License-Identifier: BSD-3-Clause
// What the parts of a fabric tell each other of their links. See part_links.c.
#pragma once

#include "live_fabric.h"

// Reports links that are down here to the other parts, and takes their reports: routes follow. Does
// nothing where the process runs all of the fabric. Control thread.
void part_links_poll(struct live_fabric *live);
