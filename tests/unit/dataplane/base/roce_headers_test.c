// SPDX-License-Identifier: BSD-3-Clause
//
// Headers against bytes written by hand from the specification's figures, each field alone, and
// PSN arithmetic around the end of the circle.

#include "dataplane/base/roce_headers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
test_bth_bytes(void **state)
{
	(void)state;
	// WRITE FIRST, SE, MigReq, pad 2, P_Key ffff, QP 0x0000d2, AckReq, PSN 0xfedcba.
	static const uint8_t want[12] = {0x06, 0xe0, 0xff, 0xff, 0x00, 0x00,
					 0x00, 0xd2, 0x80, 0xfe, 0xdc, 0xba};
	struct roce_bth bth;

	memset(&bth, 0xa5, sizeof(bth));
	roce_bth_init(&bth, ROCE_OP_WRITE_FIRST, 0xd2, 0xfedcba, 2);
	assert_false(roce_bth_se(&bth));
	assert_false(roce_bth_ack_req(&bth));
	bth.flags |= ROCE_BTH_SE;
	bth.ack_req = ROCE_BTH_ACK_REQ;
	assert_memory_equal(&bth, want, sizeof(want));

	assert_int_equal(roce_bth_pkey(&bth), 0xffff);
	assert_int_equal(roce_bth_dest_qp(&bth), 0xd2);
	assert_int_equal(roce_bth_psn(&bth), 0xfedcba);
	assert_int_equal(roce_bth_pad(&bth), 2);
	assert_int_equal(roce_bth_version(&bth), 0);
	assert_true(roce_bth_se(&bth));
	assert_true(roce_bth_mig_req(&bth));
	assert_true(roce_bth_ack_req(&bth));
	assert_false(roce_bth_fecn(&bth));
	assert_false(roce_bth_becn(&bth));
}

// Each bit of the header belongs to the field that the figure gives it to, and to no other.
static void
test_bth_bits(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 96; bit++) {
		struct roce_bth bth;
		uint8_t bytes[12] = {0};

		bytes[bit / 8] = 0x80 >> bit % 8;
		memcpy(&bth, bytes, sizeof(bth));
		assert_int_equal(bth.opcode, bit < 8 ? 0x80 >> bit : 0);
		assert_int_equal(roce_bth_se(&bth), bit == 8);
		assert_int_equal(roce_bth_mig_req(&bth), bit == 9);
		assert_int_equal(roce_bth_pad(&bth), bit == 10 ? 2 : bit == 11 ? 1 : 0);
		assert_int_equal(roce_bth_version(&bth),
				 bit >= 12 && bit < 16 ? 1 << (15 - bit) : 0);
		assert_int_equal(roce_bth_pkey(&bth), bit >= 16 && bit < 32 ? 1 << (31 - bit) : 0);
		assert_int_equal(roce_bth_fecn(&bth), bit == 32);
		assert_int_equal(roce_bth_becn(&bth), bit == 33);
		assert_int_equal(roce_bth_dest_qp(&bth),
				 bit >= 40 && bit < 64 ? 1 << (63 - bit) : 0);
		assert_int_equal(roce_bth_ack_req(&bth), bit == 64);
		assert_int_equal(roce_bth_psn(&bth), bit >= 72 ? 1 << (95 - bit) : 0);
	}
}

// What does not fit a field must not reach its neighbours.
static void
test_bth_out_of_range(void **state)
{
	(void)state;
	struct roce_bth bth;

	roce_bth_init(&bth, ROCE_OP_ACK, 0xff000001, 0x7f000002, 7);
	assert_int_equal(roce_bth_dest_qp(&bth), 1);
	assert_int_equal(roce_bth_psn(&bth), 2);
	assert_int_equal(roce_bth_pad(&bth), 3);
	assert_false(roce_bth_se(&bth));
	assert_false(roce_bth_ack_req(&bth));
	assert_false(roce_bth_fecn(&bth) || roce_bth_becn(&bth));
}

static void
test_reth_bytes(void **state)
{
	(void)state;
	static const uint8_t want[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					 0xde, 0xad, 0xbe, 0xef, 0x80, 0x0f, 0x42, 0x40};
	struct roce_reth reth;

	roce_reth_init(&reth, UINT64_C(0x0123456789abcdef), 0xdeadbeef, 0x800f4240);
	assert_memory_equal(&reth, want, sizeof(want));
	assert_true(roce_reth_va(&reth) == UINT64_C(0x0123456789abcdef));
	assert_true(roce_reth_rkey(&reth) == 0xdeadbeef);
	assert_true(roce_reth_dma_bytes(&reth) == 0x800f4240);
}

static void
test_aeth(void **state)
{
	(void)state;
	static const struct {
		uint8_t syndrome, byte, kind, value;
	} cases[] = {
		{ROCE_SYNDROME_ACK_NO_CREDITS, 0x1f, ROCE_SYNDROME_ACK, 31},
		{ROCE_SYNDROME_NAK_PSN_SEQUENCE, 0x60, ROCE_SYNDROME_NAK, 0},
		{ROCE_SYNDROME_NAK_INVALID_REQUEST, 0x61, ROCE_SYNDROME_NAK, 1},
		{ROCE_SYNDROME_NAK_REMOTE_ACCESS, 0x62, ROCE_SYNDROME_NAK, 2},
		{ROCE_SYNDROME_NAK_REMOTE_OPERATIONAL, 0x63, ROCE_SYNDROME_NAK, 3},
		{ROCE_SYNDROME_RNR | 14, 0x2e, ROCE_SYNDROME_RNR, 14},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint8_t want[4] = {cases[i].byte, 0x12, 0x34, 0x56};
		struct roce_aeth aeth;

		roce_aeth_init(&aeth, cases[i].syndrome, 0xff123456);
		assert_memory_equal(&aeth, want, sizeof(want));
		assert_int_equal(roce_aeth_kind(&aeth), cases[i].kind);
		assert_int_equal(roce_aeth_value(&aeth), cases[i].value);
		assert_int_equal(roce_aeth_msn(&aeth), 0x123456);
	}
}

// The packet of Mellanox's note "RoCEv2 CNP Packet Format Example", but for its ICRC.
static void
test_cnp_bytes(void **state)
{
	(void)state;
	static const uint8_t want[28] = {0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x00, 0xd2};
	uint8_t packet[28];
	struct roce_bth bth;
	struct roce_cnp cnp;

	memset(&cnp, 0xa5, sizeof(cnp));
	roce_cnp_init(&bth, &cnp, 0xd2);
	memcpy(packet, &bth, sizeof(bth));
	memcpy(packet + sizeof(bth), &cnp, sizeof(cnp));
	assert_memory_equal(packet, want, sizeof(want));
	assert_true(roce_bth_becn(&bth));
}

// Values of table 38 of the specification (section 9.2.1) and what follows the BTH by table 39.
static void
test_opcodes(void **state)
{
	(void)state;
	static const struct {
		uint8_t op, code, header_bytes;
		bool data;
	} cases[] = {
		{ROCE_OP_SEND_FIRST, 0, 12, true},
		{ROCE_OP_SEND_MIDDLE, 1, 12, true},
		{ROCE_OP_SEND_LAST, 2, 12, true},
		{ROCE_OP_SEND_ONLY, 4, 12, true},
		{ROCE_OP_WRITE_FIRST, 6, 28, true},
		{ROCE_OP_WRITE_MIDDLE, 7, 12, true},
		{ROCE_OP_WRITE_LAST, 8, 12, true},
		{ROCE_OP_WRITE_ONLY, 10, 28, true},
		{ROCE_OP_READ_REQUEST, 12, 28, true},
		{ROCE_OP_READ_RESPONSE_FIRST, 13, 16, true},
		{ROCE_OP_READ_RESPONSE_MIDDLE, 14, 12, true},
		{ROCE_OP_READ_RESPONSE_LAST, 15, 16, true},
		{ROCE_OP_READ_RESPONSE_ONLY, 16, 16, true},
		{ROCE_OP_ACK, 17, 16, false},
		{ROCE_OP_CNP, 0x81, 28, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cases[i].op, cases[i].code);
		assert_int_equal(roce_op_header_bytes(cases[i].op), cases[i].header_bytes);
		assert_int_equal(roce_op_is_data(cases[i].op), cases[i].data);
	}
	assert_false(roce_op_is_data(0x12)); // RC ATOMIC ACKNOWLEDGE
	assert_false(roce_op_is_data(0x51)); // RD ACKNOWLEDGE
	assert_true(roce_op_is_data(0x64));  // UD SEND ONLY
	assert_true(roce_op_is_data(0x13));  // RC COMPARE SWAP
}

static void
test_pad_bytes(void **state)
{
	(void)state;
	for (uint32_t payload = 0; payload < 5000; payload++) {
		assert_in_range(roce_pad_bytes(payload), 0, 3);
		assert_int_equal((payload + roce_pad_bytes(payload)) % 4, 0);
	}
}

static void
test_psn(void **state)
{
	(void)state;
	static const uint32_t starts[] = {0, 1, 0x7fffff, 0x800000, 0x800001, 0xfffffe, 0xffffff};
	static const int32_t steps[] = {0, 1, -1, 2, 1024, -1024, 0x7fffff, -0x7fffff, -0x800000};

	assert_int_equal(psn_add(0xffffff, 1), 0);
	assert_int_equal(psn_add(0, -1), 0xffffff);
	assert_int_equal(psn_add(0xfffff0, 0x20), 0x10);
	assert_int_equal(psn_diff(0, 0xffffff), 1);
	assert_int_equal(psn_diff(0xffffff, 0), -1);
	assert_int_equal(psn_diff(0x7fffff, 0), 0x7fffff);
	assert_int_equal(psn_diff(0x800000, 0), -0x800000);
	assert_int_equal(psn_diff(0xff000005, 0x3), 2); // bits above the 24th
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (size_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
			uint32_t moved = psn_add(starts[i], steps[j]);

			assert_true(moved <= ROCE_PSN_MASK);
			assert_int_equal(psn_diff(moved, starts[i]), steps[j]);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bth_bytes),
		cmocka_unit_test(test_bth_bits),
		cmocka_unit_test(test_bth_out_of_range),
		cmocka_unit_test(test_reth_bytes),
		cmocka_unit_test(test_aeth),
		cmocka_unit_test(test_cnp_bytes),
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_pad_bytes),
		cmocka_unit_test(test_psn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
