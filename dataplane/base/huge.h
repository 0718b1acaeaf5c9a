// SPDX-License-Identifier: BSD-3-Clause
// Huge pages for a fabric's state: nodes, wires, queue pairs and tables are visited in turn, far
// more of them than the TLB has entries for pages of 4 KB.
#pragma once

#include <stddef.h>

// Has the system put memory that this process has allocated so far into transparent huge pages,
// each 2 MB of which at least half is in use. Leaves out the `bytes` from `store` on, memory that
// is touched only later, and stacks. That is only a wish: nothing changes where the system has no
// huge pages, or has been told never to use them. Control thread, when the fabric has been built.
void huge_collapse(const void *store, size_t bytes);

// The memory that the process has now, and what of it is in huge pages of either kind; 0 where the
// system does not say. For the second the system walks all pages, which takes tens of milliseconds
// for some gigabytes. Any thread.
size_t huge_resident_bytes(void);
size_t huge_bytes(void);
