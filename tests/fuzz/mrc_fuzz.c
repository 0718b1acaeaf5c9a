// SPDX-License-Identifier: BSD-3-Clause
// A NIC that speaks Multipath Reliable Connection, as uet_fuzz.c is of one that speaks Ultra
// Ethernet Transport.
//
// Input: a byte of flags, then the script of fates.h, or one more frame for either NIC, with a
// right ICRC.
#include "fates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	WINDOW = 1 << 0,   // NSCC
	NARROW = 1 << 1,   // few PSNs in flight
	FEW = 1 << 2,      // one path, so that all are soon assumed bad
	SPURIOUS = 1 << 3, // the rest of the input is a frame by itself
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
		c->transport = NIC_TRANSPORT_MRC;
		c->reorder_window = flags & NARROW ? 8 : 1024;
		c->mrc = (struct mrc_config){.paths = flags & FEW ? 1 : 16,
					     .ack_every = 4,
					     .probe_interval = 10 * PS_PER_US};
		if (flags & WINDOW) {
			c->congestion = &congestion_nscc;
			c->congestion_parameters = &fates_nscc;
		}
	}
	fates_run(&w, NIC_OP_WRITE, flags & SPURIOUS ? ROCE_UDP_PORT : 0, data + 1, size - 1);
	return 0;
}
