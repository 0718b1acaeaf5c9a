// SPDX-License-Identifier: BSD-3-Clause
// READ requests and their responses: what the PSNs of one say of the other.
#include "reordered.h"

static void
read_one(uint32_t psn, uint32_t bytes)
{
	put(
		&(struct reorder_frame){
			.opcode = ROCE_OP_READ_REQUEST, .qp = 17, .psn = psn, .read_bytes = bytes},
		0);
}

// The host sends a packet to queue pair 99.
static void
host_sends(uint8_t opcode, uint32_t psn, uint32_t payload, uint32_t read_bytes)
{
	struct rte_mbuf *m = reorder_frame_make(&(struct reorder_frame){.opcode = opcode,
									.qp = 99,
									.psn = psn,
									.payload = payload,
									.read_bytes = read_bytes,
									.sent = true});

	note(reorder_note_sent(reorder, m, 0));
	free(m);
}

// A READ request of 4096 B takes 4 PSNs at a path MTU of 1024.
static void
test_read_requests(void **state)
{
	(void)state;
	begin(16);
	read_one(0, 4096);
	read_one(8, 4096); // for all one knows, of 512
	read_one(4, 4096);
	expect("0");
	host_sends(ROCE_OP_READ_RESPONSE_FIRST, 0, 1024, 0); // shows the path MTU
	expect("4 8");
	read_one(0x14, 1);
	read_one(0xc, 8192);
	expect("c 14");
	// No path MTU has fewer responses.
	begin(16);
	read_one(0, 8192);
	read_one(2, 8192);
	read_one(6, 8192);
	expect("0 2");
	read_one(4, 8192);
	expect("4 6");
	// The host never answers.
	begin(16);
	read_one(0, 4096);
	read_one(4, 4096);
	expect("0");
	note(reorder_expire(reorder, TIMEOUT));
	expect("4");
	begin(16);
	read_one(0, 4096);
	host_sends(ROCE_OP_READ_RESPONSE_MIDDLE, 2, 1024, 0);
	read_one(4, 4096);
	expect("0 4");
	read_one(0xc, 4096);
	read_one(8, 4096);
	expect("8 c");
	read_one(0x18, 1);
	read_one(0x10, 8192);
	expect("10 18");
	read_one(0x19, 1);
	expect("19");
	// A data packet shows it, too.
	begin(16);
	put(
		&(struct reorder_frame){
			.opcode = ROCE_OP_SEND_FIRST, .qp = 17, .psn = 0, .payload = 256},
		0);
	put(
		&(struct reorder_frame){
			.opcode = ROCE_OP_SEND_LAST, .qp = 17, .psn = 1, .payload = 100},
		0);
	read_one(2, 1024);
	read_one(10, 1024);
	read_one(6, 1024);
	expect("0 1 2 6 a");
	// What explains nothing waits for its time.
	read_one(15, 1024);
	expect("");
	note(reorder_expire(reorder, TIMEOUT));
	expect("f");
	read_one(15 + 2, 1024); // of 512
	expect("");
	note(reorder_expire(reorder, TIMEOUT));
	expect("11");
}

static void
respond(uint32_t psn, uint8_t opcode)
{
	put(&(struct reorder_frame){.opcode = opcode, .qp = 17, .psn = psn}, 0);
}

static void
test_read_responses(void **state)
{
	(void)state;
	begin(16);
	respond(0, ROCE_OP_READ_RESPONSE_FIRST);
	respond(2, ROCE_OP_READ_RESPONSE_LAST);
	respond(3, ROCE_OP_READ_RESPONSE_FIRST);
	respond(1, ROCE_OP_READ_RESPONSE_MIDDLE);
	expect("0 1 2 3");
	// An acknowledgement waits for the responses before it, but for no other packet.
	respond(7, ROCE_OP_ACK);
	respond(5, ROCE_OP_READ_RESPONSE_LAST);
	expect("");
	respond(4, ROCE_OP_READ_RESPONSE_MIDDLE);
	expect("4 5 7");
	// From then on the PSNs between READs may be those of WRITEs.
	respond(0x10, ROCE_OP_READ_RESPONSE_FIRST);
	respond(0x12, ROCE_OP_READ_RESPONSE_LAST);
	expect("10");
	respond(0x11, ROCE_OP_READ_RESPONSE_MIDDLE);
	respond(0x14, ROCE_OP_ACK);
	expect("11 12 14");
	respond(0x12, ROCE_OP_ACK); // late
	expect("12");
}

// What the host asks for tells the order of what it gets.
static void
test_responses_as_asked_for(void **state)
{
	(void)state;
	begin_new(16, FIRST);
	host_sends(ROCE_OP_READ_REQUEST, 0x10, 0, 2048);
	host_sends(ROCE_OP_READ_REQUEST, 0x12, 0, 1024);
	host_sends(ROCE_OP_WRITE_ONLY, 0x13, 0, 0);
	host_sends(ROCE_OP_READ_REQUEST, 0x14, 0, 1);
	host_sends(ROCE_OP_WRITE_ONLY, 0x15, 0, 0);
	respond(0x13, ROCE_OP_ACK);
	respond(0x14, ROCE_OP_READ_RESPONSE_ONLY);
	respond(0x12, ROCE_OP_READ_RESPONSE_ONLY);
	expect("");
	respond(0x10, ROCE_OP_READ_RESPONSE_FIRST);
	expect("10");
	respond(0x11, ROCE_OP_READ_RESPONSE_LAST);
	expect("11 12 13 14");
	respond(0x15, ROCE_OP_ACK);
	respond(0x80, ROCE_OP_ACK);
	expect("15 80");
	// One is lost, and the host asks again.
	host_sends(ROCE_OP_READ_REQUEST, 0x81, 0, 4096);
	respond(0x81, ROCE_OP_READ_RESPONSE_FIRST);
	respond(0x83, ROCE_OP_READ_RESPONSE_MIDDLE);
	expect("81");
	host_sends(ROCE_OP_READ_REQUEST, 0x82, 0, 3072);
	respond(0x84, ROCE_OP_READ_RESPONSE_LAST);
	expect("");
	respond(0x82, ROCE_OP_READ_RESPONSE_FIRST);
	expect("82 83 84");
	respond(0x83, ROCE_OP_READ_RESPONSE_MIDDLE);
	expect("83");
	// The same after what is missing was given up.
	host_sends(ROCE_OP_READ_REQUEST, 0x85, 0, 2048);
	host_sends(ROCE_OP_READ_REQUEST, 0x87, 0, 2048);
	respond(0x86, ROCE_OP_READ_RESPONSE_LAST);
	note(reorder_expire(reorder, TIMEOUT));
	expect("86");
	host_sends(ROCE_OP_READ_REQUEST, 0x85, 0, 2048);
	host_sends(ROCE_OP_READ_REQUEST, 0x87, 0, 2048);
	respond(0x88, ROCE_OP_READ_RESPONSE_LAST);
	respond(0x86, ROCE_OP_READ_RESPONSE_LAST);
	respond(0x87, ROCE_OP_READ_RESPONSE_FIRST);
	expect("");
	respond(0x85, ROCE_OP_READ_RESPONSE_FIRST);
	expect("85 86 87 88");
	assert_int_equal(reorder_counters(reorder)->timeouts, 1);
	assert_int_equal(reorder_next(reorder), PS_NEVER);
}

// Two queue pairs ask for the same PSNs: nobody knows which of them gets a response.
static void
test_requests_that_do_not_differ(void **state)
{
	struct rte_mbuf *m = reorder_frame_make(&(struct reorder_frame){
		.opcode = ROCE_OP_READ_REQUEST, .qp = 98, .psn = 0, .read_bytes = 1, .sent = true});

	(void)state;
	begin_new(16, FIRST);
	host_sends(ROCE_OP_READ_REQUEST, 0, 0, 1);
	assert_null(reorder_note_sent(reorder, m, 0));
	free(m);
	respond(0, ROCE_OP_ACK);
	expect("0");
	respond(0, ROCE_OP_READ_RESPONSE_ONLY);
	expect("");
	note(reorder_expire(reorder, FIRST));
	expect("0");
	respond(1, ROCE_OP_READ_RESPONSE_ONLY);
	expect("1");
}

// An acknowledgement is taken for that of the queue pair that reads, until a response tells.
static void
test_a_wrong_guess(void **state)
{
	(void)state;
	begin_new(16, FIRST);
	host_sends(ROCE_OP_READ_REQUEST, 0x10, 0, 16384);
	put(&(struct reorder_frame){.opcode = ROCE_OP_ACK, .qp = 18, .psn = 0x12}, 0);
	expect("");
	respond(0x11, ROCE_OP_READ_RESPONSE_MIDDLE);
	expect("");
	respond(0x10, ROCE_OP_READ_RESPONSE_FIRST);
	expect("10 11");
	note(reorder_expire(reorder, TIMEOUT));
	expect("12");
	put(&(struct reorder_frame){.opcode = ROCE_OP_ACK, .qp = 18, .psn = 0x18}, TIMEOUT);
	expect("18");
	// Nothing has told yet: it does not wait twice.
	begin_new(16, FIRST);
	host_sends(ROCE_OP_READ_REQUEST, 0x10, 0, 16384);
	respond(0x12, ROCE_OP_ACK);
	note(reorder_expire(reorder, TIMEOUT));
	expect("12");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_requests),
		cmocka_unit_test(test_read_responses),
		cmocka_unit_test(test_responses_as_asked_for),
		cmocka_unit_test(test_requests_that_do_not_differ),
		cmocka_unit_test(test_a_wrong_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
