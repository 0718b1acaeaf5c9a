// SPDX-License-Identifier: BSD-3-Clause
#include "offload.h"

#include "dataplane/device/interface.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <unistd.h>

// ethtool's older commands, one a feature: every kernel since 2.6 has them and no feature names
// need to be looked up. VLAN offloads and LRO share one word of flags.
static const struct {
	const char *name;
	uint32_t get;
	uint32_t set;
	uint32_t flag; // 0: a feature with commands of its own
} offloads[OFFLOAD_COUNT] = {
	[OFFLOAD_RX_CHECKSUM] = {"rx", ETHTOOL_GRXCSUM, ETHTOOL_SRXCSUM, 0},
	[OFFLOAD_TX_CHECKSUM] = {"tx", ETHTOOL_GTXCSUM, ETHTOOL_STXCSUM, 0},
	[OFFLOAD_GSO] = {"gso", ETHTOOL_GGSO, ETHTOOL_SGSO, 0},
	[OFFLOAD_TSO] = {"tso", ETHTOOL_GTSO, ETHTOOL_STSO, 0},
	[OFFLOAD_GRO] = {"gro", ETHTOOL_GGRO, ETHTOOL_SGRO, 0},
	[OFFLOAD_LRO] = {"lro", ETHTOOL_GFLAGS, ETHTOOL_SFLAGS, ETH_FLAG_LRO},
	[OFFLOAD_TX_VLAN] = {"txvlan", ETHTOOL_GFLAGS, ETHTOOL_SFLAGS, ETH_FLAG_TXVLAN},
	[OFFLOAD_RX_VLAN] = {"rxvlan", ETHTOOL_GFLAGS, ETHTOOL_SFLAGS, ETH_FLAG_RXVLAN},
};

const char *
offload_name(enum offload which)
{
	return offloads[which].name;
}

static int
offload_ioctl(const char *interface, void *data)
{
	int fd = interface_socket();
	int error = fd < 0 ? fd : interface_ethtool(fd, interface, data);

	if (fd >= 0)
		close(fd);
	return error;
}

// The feature's word: 0 or 1, or all the flags. A feature the driver does not know is off.
static int
offload_read(const char *interface, enum offload which, uint32_t *word)
{
	struct ethtool_value value = {.cmd = offloads[which].get};
	int error = offload_ioctl(interface, &value);

	*word = error == 0 ? value.data : 0;
	return error == -EOPNOTSUPP ? 0 : error;
}

static bool
offload_is_on(enum offload which, uint32_t word)
{
	return offloads[which].flag != 0 ? (word & offloads[which].flag) != 0 : word != 0;
}

int
offload_get(const char *interface, uint32_t *on)
{
	*on = 0;
	for (enum offload which = 0; which < OFFLOAD_COUNT; which++) {
		uint32_t word;
		int error = offload_read(interface, which, &word);

		if (error != 0)
			return error;
		if (offload_is_on(which, word))
			*on |= 1u << which;
	}
	return 0;
}

int
offload_clear(const char *interface, uint32_t which)
{
	uint32_t on;
	int error;

	for (enum offload i = 0; i < OFFLOAD_COUNT; i++) {
		struct ethtool_value value = {.cmd = offloads[i].set};
		uint32_t word;

		if (!(which & (1u << i)))
			continue;
		error = offload_read(interface, i, &word);
		if (error != 0)
			return error;
		if (!offload_is_on(i, word))
			continue;
		value.data = word & offloads[i].flag ? word & ~offloads[i].flag : 0;
		// The result is ignored: what counts is the state of the feature afterwards.
		(void)offload_ioctl(interface, &value);
	}
	error = offload_get(interface, &on);
	if (error != 0)
		return error;
	return on & which ? -EOPNOTSUPP : 0;
}

int
offload_rx_channels(const char *interface, unsigned *channels)
{
	struct ethtool_channels value = {.cmd = ETHTOOL_GCHANNELS};
	int error = offload_ioctl(interface, &value);

	*channels = 1;
	if (error == -EOPNOTSUPP)
		return 0;
	if (error == 0 && value.combined_count + value.rx_count > 0)
		*channels = value.combined_count + value.rx_count;
	return error;
}
