// SPDX-License-Identifier: BSD-3-Clause
// Packets of a device, in and out. Apart from device.h, since DPDK's headers take long to compile.
#pragma once

#include "dataplane/base/packet.h"
#include "device.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <stdint.h>

// What a device of datagrams does in place of DPDK (udp.c).
uint16_t udp_rx_burst(struct udp_device *u, struct rte_mbuf **packets, uint16_t count);
uint16_t udp_tx_burst(struct udp_device *u, struct rte_mbuf **packets, uint16_t count);

// Receives up to `count` packets, with metadata as packet_init_frame() makes it. Returns how many.
// The worker that owns the port.
static inline uint16_t
device_rx_burst(struct device *device, struct rte_mbuf **packets, uint16_t count)
{
	uint16_t received = unlikely(device->udp != NULL)
				    ? udp_rx_burst(device->udp, packets, count)
				    : rte_eth_rx_burst(device->port_id, 0, packets, count);
	uint16_t kept = 0;

	for (uint16_t i = 0; i < received; i++) {
		struct rte_mbuf *m = packets[i];

		if (unlikely(m->nb_segs != 1)) {
			rte_pktmbuf_free(m);
			device->rx_chained++;
			continue;
		}
		packet_init_frame(m, m->data_off, m->data_len);
		packets[kept++] = m;
	}
	return kept;
}

// Writes what a driver reads of a packet of one segment, as its metadata says; at most `frame_max`
// bytes, all of them written. The worker that owns the port.
static inline void
device_tx_prepare(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	m->data_off = meta->data_off;
	m->data_len = meta->data_len;
	m->pkt_len = meta->data_len;
	m->nb_segs = 1;
	m->ol_flags = 0;
}

// Sends packets that device_tx_prepare() has prepared. Returns how many the device took; the others
// are still the caller's. The worker that owns the port.
static inline uint16_t
device_tx_burst(struct device *device, struct rte_mbuf **packets, uint16_t count)
{
	if (unlikely(device->udp != NULL))
		return udp_tx_burst(device->udp, packets, count);
	return rte_eth_tx_burst(device->port_id, 0, packets, count);
}
