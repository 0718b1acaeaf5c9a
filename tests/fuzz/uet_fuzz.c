// SPDX-License-Identifier: BSD-3-Clause
// A NIC that speaks Ultra Ethernet Transport, as nic_fuzz.c is of one that speaks RoCEv2.
//
// Input: as fates.h says.
#include "fates.h"

#include "dataplane/base/uet_headers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags { CREDITS = FATES_OWN(0), IS_SEND = FATES_OWN(1) };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair w;

	if (size < 2 || size > FATES_INPUT_MAX)
		return 0;
	fates_prepare(&w, NIC_TRANSPORT_UET, data[0]);
	for (unsigned int side = A; side <= B; side++) {
		w.config[side].sprayed = (struct sprayed_config){.paths = 16, .ack_every = 4};
		w.config[side].uet = (struct uet_config){
			.grant = 4, .unsolicited = 1, .credits = data[0] & CREDITS};
	}
	fates_run(&w, data[0] & IS_SEND ? NIC_OP_SEND : NIC_OP_WRITE, UET_UDP_PORT, data, size);
	return 0;
}
