// SPDX-License-Identifier: BSD-3-Clause
// A device's counters come from three places: the ethdev, the AF_XDP or packet socket (the drivers
// leave out what found its ring full) and the interface's own driver in the kernel.
#include "device.h"

#include "interface.h"
#include "udp.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>

static void
datagram_stats(struct udp_device *u, struct device_stats *stats)
{
	struct udp_stats udp;

	udp_stats(u, &udp);
	*stats = (struct device_stats){
		.rx_packets = udp.rx_packets,
		.rx_bytes = udp.rx_bytes,
		.rx_missed = udp.ring_full,
		.rx_errors = udp.malformed,
		.tx_packets = udp.tx_packets,
		.tx_bytes = udp.tx_bytes,
		.carrier_lost = udp.lost,
		.carrier_duplicates = udp.duplicates,
		.carrier_early = udp.early,
		.carrier_refused = udp.tx_refused,
		.carrier_late = udp.late,
		.round_trip_ns = udp.round_trip_ns,
		.round_trip_min_ns = udp.round_trip_min_ns,
		.delay_variation_ns = udp.delay_variation_ns,
		.delay_variation_max_ns = udp.delay_variation_max_ns,
	};
}

int
device_stats(struct device *d, struct device_stats *stats)
{
	struct rte_eth_stats eth;
	uint64_t dropped;
	int error;

	if (d->udp != NULL) {
		datagram_stats(d->udp, stats);
		return 0;
	}
	error = rte_eth_stats_get(d->port_id, &eth);
	if (error != 0)
		return error;
	*stats = (struct device_stats){
		.rx_packets = eth.ipackets,
		.rx_bytes = eth.ibytes,
		.rx_missed = eth.imissed,
		.rx_errors = eth.ierrors,
		.rx_no_mbuf = eth.rx_nombuf,
		.rx_chained = d->rx_chained,
		.tx_packets = eth.opackets,
		.tx_bytes = eth.obytes,
		.tx_errors = eth.oerrors,
	};
	if (d->xsk_fd >= 0 && interface_xsk_dropped(d->xsk_fd, &dropped) == 0)
		stats->rx_missed = dropped;
	if (d->packet_fd >= 0 && interface_packet_dropped(d->packet_fd, &d->packet_dropped) == 0)
		stats->rx_missed = d->packet_dropped;
	return 0;
}

static int
device_driver_counters(const struct device *d,
		       void (*fn)(const char *name, uint64_t value, void *arg), void *arg)
{
	int count = rte_eth_xstats_get_names(d->port_id, NULL, 0);
	struct rte_eth_xstat_name *names = NULL;
	struct rte_eth_xstat *values = NULL;
	int error = 0;

	if (count <= 0)
		return count;
	names = calloc((size_t)count, sizeof(*names));
	values = calloc((size_t)count, sizeof(*values));
	if (names == NULL || values == NULL) {
		error = -ENOMEM;
	} else if (rte_eth_xstats_get_names(d->port_id, names, (unsigned)count) != count ||
		   rte_eth_xstats_get(d->port_id, values, (unsigned)count) != count) {
		error = -EIO;
	}
	for (int i = 0; error == 0 && i < count; i++)
		fn(names[values[i].id].name, values[i].value, arg);
	free(names);
	free(values);
	return error;
}

int
device_counters(const struct device *d, void (*fn)(const char *name, uint64_t value, void *arg),
		void *arg)
{
	int error = d->udp != NULL ? 0 : device_driver_counters(d, fn, arg);

	if (error == 0 && d->control_fd >= 0)
		error = interface_counters(d->control_fd, d->interface, fn, arg);
	return error;
}
