// SPDX-License-Identifier: BSD-3-Clause
// A NIC that speaks Multipath Reliable Connection, as uet_fuzz.c is of one that speaks Ultra
// Ethernet Transport. Spurious frames have a right ICRC.
//
// Input: as fates.h says.
#include "fates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags { FEW = FATES_OWN(0) }; // one path, so that all are soon assumed bad

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair w;

	if (size < 2 || size > FATES_INPUT_MAX)
		return 0;
	fates_prepare(&w, NIC_TRANSPORT_MRC, data[0]);
	for (unsigned int side = A; side <= B; side++) {
		w.config[side].sprayed =
			(struct sprayed_config){.paths = data[0] & FEW ? 1 : 16, .ack_every = 4};
		w.config[side].mrc = (struct mrc_config){.probe_interval = 10 * PS_PER_US};
	}
	fates_run(&w, NIC_OP_WRITE, ROCE_UDP_PORT, data, size);
	return 0;
}
