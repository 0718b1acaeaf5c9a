// SPDX-License-Identifier: BSD-3-Clause
// A NIC that speaks RoCEv2, whose packets meet any fate on the way, and to which anybody sends
// anything: nothing is read behind a frame, it answers a frame by no more than a few, whatever is
// done to its packets ends, and no packet is lost or kept for ever.
//
// Input: as fates.h says.
#include "fates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	IS_READ = FATES_OWN(0),
	IS_SEND = FATES_OWN(1),
	OUT_OF_ORDER = FATES_OWN(2),
	SELECTIVE = FATES_OWN(3),
	FIX = FATES_OWN(4), // a spurious frame is RoCEv2's, with a right ICRC
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair w;
	enum nic_op op;
	uint8_t flags;

	if (size < 2 || size > FATES_INPUT_MAX)
		return 0;
	flags = data[0];
	op = flags & IS_READ ? NIC_OP_READ : flags & IS_SEND ? NIC_OP_SEND : NIC_OP_WRITE;
	fates_prepare(&w, NIC_TRANSPORT_ROCE, flags);
	for (unsigned int side = A; side <= B; side++) {
		if (flags & OUT_OF_ORDER)
			w.config[side].placement = NIC_PLACEMENT_OUT_OF_ORDER;
		if (flags & SELECTIVE)
			w.config[side].recovery = NIC_RECOVERY_SELECTIVE;
	}
	fates_run(&w, op, flags & FIX ? ROCE_UDP_PORT : 0, data, size);
	return 0;
}
