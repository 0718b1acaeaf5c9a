// SPDX-License-Identifier: BSD-3-Clause
// Offloads of an interface (`ethtool -k`) in this thread's namespace.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum offload {
	OFFLOAD_RX_CHECKSUM,
	OFFLOAD_TX_CHECKSUM,
	OFFLOAD_GSO,
	OFFLOAD_TSO,
	OFFLOAD_GRO,
	OFFLOAD_LRO,
	OFFLOAD_TX_VLAN,
	OFFLOAD_RX_VLAN,
	OFFLOAD_COUNT,
};

// Its name in `ethtool -K`.
const char *offload_name(enum offload which);

// `on`: a bit 1 << offload for each that is on. Returns 0 or -errno.
int offload_get(const char *interface, uint32_t *on);

// Turns off those whose bits are in `which`; a missing one counts as off.
// Returns 0, or -EOPNOTSUPP when one stays on, or -errno.
int offload_clear(const char *interface, uint32_t which);

// Receive channels in use; 1 where the driver knows none. Returns 0 or -errno.
int offload_rx_channels(const char *interface, unsigned *channels);
