// SPDX-License-Identifier: BSD-3-Clause
// A NIC that speaks Ultra Ethernet Transport, as nic_fuzz.c is of one that speaks RoCEv2: its
// packets meet any fate on the way, trimming among them, and anybody sends anything to it. Nothing
// is read behind a frame, it answers a frame by no more than a few, whatever is done to its packets
// ends, and no packet is lost or kept for ever.
//
// Input: a byte of flags, then the script of fates.h, or one more frame for either NIC.
#include "fates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	CREDITS = 1 << 0,
	IS_SEND = 1 << 1,
	WINDOW = 1 << 2,   // NSCC
	NARROW = 1 << 3,   // few PSNs in flight
	SPURIOUS = 1 << 4, // the rest of the input is a frame by itself
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair w;
	uint8_t flags;

	if (size < 2 || size > FATES_INPUT_MAX)
		return 0;
	flags = data[0];
	pair_init(&w, 1);
	for (unsigned int side = A; side <= B; side++) {
		struct nic_config *c = &w.config[side];

		c->rto = FATES_RTO;
		c->transport = NIC_TRANSPORT_UET;
		c->reorder_window = flags & NARROW ? 8 : 1024;
		c->uet = (struct uet_config){.paths = 16,
					     .ack_every = 4,
					     .grant = 4,
					     .unsolicited = 1,
					     .credits = flags & CREDITS};
		if (flags & WINDOW) {
			c->congestion = &congestion_nscc;
			c->congestion_parameters = &fates_nscc;
		}
	}
	fates_run(&w, flags & IS_SEND ? NIC_OP_SEND : NIC_OP_WRITE,
		  flags & SPURIOUS ? UET_UDP_PORT : 0, data + 1, size - 1);
	return 0;
}
