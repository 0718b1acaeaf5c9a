// SPDX-License-Identifier: BSD-3-Clause
// What adding queue pairs of either end has in common: private to nic_add*.c. Control thread.
#pragma once

#include "qp.h"

#define NIC_PATH_MTU_MAX 4096
#define NIC_FLOW_PACKETS_MAX (UINT32_C(1) << 31)

bool nic_endpoint_holds(const struct nic *nic, const struct nic_endpoint *e);

// Makes room in the table for a number. Returns 0, -EEXIST, -ENOMEM, or -ENOSPC for a number that
// is kept for exchanges (NIC_QPN_EXCHANGES and above).
int nic_reserve_qpn(struct nic *nic, uint32_t qpn);

// Sets what a queue pair is called and belongs to.
void nic_name_qp(const struct nic *nic, struct qp *qp, const struct nic_endpoint *e,
		 enum qp_role role);

// Enters a queue pair in the table, which has room for its number.
void nic_enter_qp(struct nic *nic, struct qp *qp, const struct nic_endpoint *e, enum qp_role role);

void nic_set_address(struct nic *nic, struct frame_address *a, const struct nic_endpoint *e);

// For exchanges: makes a sender of a program, or a receiver that counts for an inbox, without a
// number. Renewing sets one whose memory stands, used before or not; it is in no table. Return 0,
// -EINVAL, or -ENOMEM. The worker's while the node runs.
int nic_make_sender(struct nic *nic, const struct nic_flow *flow, struct sender **out);
int nic_renew_sender(struct nic *nic, const struct nic_flow *flow, struct sender *s);
int nic_make_receiver(struct nic *nic, struct receiver **out);
void nic_renew_receiver(struct nic *nic, struct receiver *r, const struct nic_endpoint *e);

// Adds what one queue pair saw to a sum.
void nic_add_sent(struct nic_flow_result *sum, const struct nic_flow_result *one);
void nic_add_received(struct nic_receiver_result *sum, const struct nic_receiver_result *one);

// Bits of a ring that holds the reorder window: a power of two, 64 or more.
uint32_t nic_window_bits(const struct nic *nic);

// The packets of so many bytes, and the payload of the last; 0 when they are `most` or more.
uint32_t nic_packets_of(uint64_t bytes, uint16_t path_mtu, uint32_t most, uint16_t *last_payload);
