// SPDX-License-Identifier: BSD-3-Clause
// What is read: both formats, in both byte orders, and the time that several files share.
#include "built_file.h"

// 10 us is 0.000010000 in fabric time, whichever way the file writes it.
static void
test_pcap_resolutions_and_orders(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct capture_reader *reader;

		big_endian = order;
		pcap_begin(MAGIC_US, ETHERNET);
		pcap_packet(0, 10, 60, 1);
		pcap_packet(3, 999999, 61, 7);
		reader = open_file();
		expect_packet(reader, 1, 10 * PS_PER_US, 60, 1);
		expect_packet(reader, 2, 3 * PS_PER_S + 999999 * PS_PER_US, 61, 7);
		expect_end(reader);

		pcap_begin(MAGIC_NS, ETHERNET);
		pcap_packet(0, 10, 60, 1);
		pcap_packet(0, 10, 60, 2); // equal stamps keep the file's order
		pcap_packet(2, 999999999, 14, 3);
		reader = open_file();
		expect_packet(reader, 1, 10 * PS_PER_NS, 60, 1);
		expect_packet(reader, 2, 10 * PS_PER_NS, 60, 2);
		expect_packet(reader, 3, 2 * PS_PER_S + 999999999 * PS_PER_NS, 14, 3);
		expect_end(reader);
	}
}

static void
test_pcapng_resolutions_and_orders(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct capture_reader *reader;

		big_endian = order;
		pcapng_begin(9);
		pcapng_packet(5000000001, 61, 9);
		reader = open_file();
		expect_packet(reader, 1, 5000000001 * PS_PER_NS, 61, 9);
		expect_end(reader);

		pcapng_begin(6);
		pcapng_packet(5000001, 64, 9);
		reader = open_file();
		expect_packet(reader, 1, 5000001 * PS_PER_US, 64, 9);
		expect_end(reader);

		pcapng_begin(12); // finer than libpcap gives: down to the ns
		pcapng_packet(1999, 64, 9);
		reader = open_file();
		expect_packet(reader, 1, 1 * PS_PER_NS, 64, 9);
		expect_end(reader);

		pcapng_begin(0x80 | 1); // halves of a second
		pcapng_packet(3, 64, 9);
		reader = open_file();
		expect_packet(reader, 1, PS_PER_S + 500 * PS_PER_MS, 64, 9);
		expect_end(reader);
	}
}

static void
test_no_packets(void **state)
{
	struct capture_reader *reader;
	uint64_t stamp_ns = 1, shift_ns = 1;

	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	reader = open_file();
	assert_int_equal(capture_reader_peek(reader, &stamp_ns, fresh()), 0);
	assert_int_equal(capture_reader_align(&reader, 1, &shift_ns, fresh()), 0);
	assert_int_equal(shift_ns, 0);
	expect_end(reader);
	pcapng_begin(9);
	expect_end(open_file());
	capture_reader_close(NULL);
}

static void
test_peek_takes_nothing(void **state)
{
	struct capture_reader *reader;
	uint64_t stamp_ns = 0;

	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(1, 5, 60, 1);
	pcap_packet(1, 6, 60, 2);
	reader = open_file();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(capture_reader_peek(reader, &stamp_ns, fresh()), 1);
		assert_int_equal(stamp_ns, 1000000005);
	}
	expect_packet(reader, 1, PS_PER_S + 5 * PS_PER_NS, 60, 1);
	assert_int_equal(capture_reader_peek(reader, &stamp_ns, fresh()), 1);
	assert_int_equal(stamp_ns, 1000000006);
	expect_packet(reader, 2, PS_PER_S + 6 * PS_PER_NS, 60, 2);
	expect_end(reader);
}

// Two inputs with packets, and an empty one that has no say.
static void
align_two(uint32_t first_s, uint32_t first_ns, uint32_t second_s, uint64_t expected_shift_ns)
{
	struct capture_reader *readers[3];
	uint64_t shift_ns = 1, base;

	pcap_begin(MAGIC_NS, ETHERNET);
	readers[0] = open_file();
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(first_s, first_ns, 60, 1);
	save("first.pcap");
	assert_int_equal(capture_reader_open(&readers[1], path, fresh()), 0);
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(second_s, 0, 60, 2);
	save("second.pcap");
	assert_int_equal(capture_reader_open(&readers[2], path, fresh()), 0);

	assert_int_equal(capture_reader_align(readers, 3, &shift_ns, fresh()), 0);
	assert_int_equal(shift_ns, expected_shift_ns);
	base = first_s * UINT64_C(1000000000) + first_ns - shift_ns;
	expect_packet(readers[1], 1, base * PS_PER_NS, 60, 1);
	base = second_s * UINT64_C(1000000000) - shift_ns;
	expect_packet(readers[2], 1, base * PS_PER_NS, 60, 2);
	for (int i = 0; i < 3; i++)
		expect_end(readers[i]);
}

static void
test_align_shifts_times_of_day(void **state)
{
	(void)state;
	align_two(86401, 0, 86400, UINT64_C(86400000000000)); // at the bound
	align_two(86500, 3, 86501, UINT64_C(86500000000003)); // the first file the earlier
	align_two(86400, 0, 86399, 0);                        // one file before it
	align_two(1700000000, 5, 1700000000, UINT64_C(1700000000000000000)); // today
	align_two(4294967295, 7, 4294967294,
		  UINT64_C(4294967294000000000)); // unsigned seconds: 2106
}

// As they stand in the file: packet 3 is earlier than 2, and 4 as early as it.
static void
test_sorted(void **state)
{
	struct capture_reader *reader;
	uint64_t shift_ns;

	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(100000, 30, 60, 1);
	pcap_packet(100000, 40, 60, 2);
	pcap_packet(100000, 10, 61, 3);
	pcap_packet(100000, 10, 62, 4);
	pcap_packet(100000, 50, 60, 5);
	pcap_packet(100000, 20, 60, 6);
	reader = open_file();
	capture_reader_sort(reader);
	assert_int_equal(capture_reader_align(&reader, 1, &shift_ns, fresh()), 0);
	assert_int_equal(shift_ns, UINT64_C(100000000000010));
	expect_packet(reader, 3, 0, 61, 3);
	expect_packet(reader, 4, 0, 62, 4);
	expect_packet(reader, 6, 10 * PS_PER_NS, 60, 6);
	expect_packet(reader, 1, 20 * PS_PER_NS, 60, 1);
	expect_packet(reader, 2, 30 * PS_PER_NS, 60, 2);
	expect_packet(reader, 5, 40 * PS_PER_NS, 60, 5);
	expect_end(reader);
}

// A packet of no bytes has data too, which may be copied.
static void
test_packet_of_no_bytes(void **state)
{
	(void)state;
	for (int sorted = 0; sorted < 2; sorted++) {
		struct capture_packet packet;
		struct capture_reader *reader;

		pcap_begin(MAGIC_NS, ETHERNET);
		pcap_packet(0, 7, 0, 0);
		reader = open_file();
		if (sorted)
			capture_reader_sort(reader);
		assert_int_equal(capture_reader_next(reader, &packet, fresh()), 1);
		assert_int_equal(packet.data_len, 0);
		assert_non_null(packet.data);
		expect_end(reader);
	}
}

// Two gzip members and two zstd frames, one after the other, are one file.
static void
test_compressed(void **state)
{
	uint8_t first[256];
	size_t first_length;

	(void)state;
	for (int zstd = 0; zstd < 2; zstd++) {
		struct capture_reader *reader;

		pcap_begin(MAGIC_US, ETHERNET);
		pcap_packet(0, 10, 60, 1);
		zstd ? compress_zstd() : compress_gzip();
		first_length = length;
		memcpy(first, bytes, length);
		length = 0;
		pcap_packet(0, 11, 61, 2);
		zstd ? compress_zstd() : compress_gzip();
		memmove(bytes + first_length, bytes, length);
		memcpy(bytes, first, first_length);
		length += first_length;
		reader = open_file();
		expect_packet(reader, 1, 10 * PS_PER_US, 60, 1);
		expect_packet(reader, 2, 11 * PS_PER_US, 61, 2);
		expect_end(reader);
	}
}

// Interfaces of one file that differ in resolution, offset and snap length; unknown blocks between.
static void
test_several_interfaces(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct capture_reader *reader;
		size_t second;

		big_endian = order;
		pcapng_begin(9);
		add32(1); // an interface in us, 100 s later, that keeps 96 bytes of a packet
		add32(36);
		add16(ETHERNET);
		add16(0);
		add32(96);
		add16(14); // if_tsoffset
		add16(8);
		add32(order ? 0 : 100);
		add32(order ? 100 : 0);
		add32(0);
		add32(36);
		add32(0x0bad); // a block that nobody knows
		add32(16);
		add32(7);
		add32(16);
		pcapng_packet(5, 61, 9);
		second = length;
		pcapng_packet(7, 60, 1);
		bytes[second + (order ? 11 : 8)] = 1; // of the second interface
		reader = open_file();
		expect_packet(reader, 1, 5 * PS_PER_NS, 61, 9);
		expect_packet(reader, 2, 100 * PS_PER_S + 7 * PS_PER_US, 60, 1);
		expect_end(reader);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pcap_resolutions_and_orders),
		TEST(test_pcapng_resolutions_and_orders),
		TEST(test_no_packets),
		TEST(test_peek_takes_nothing),
		TEST(test_align_shifts_times_of_day),
		TEST(test_sorted),
		TEST(test_packet_of_no_bytes),
		TEST(test_compressed),
		TEST(test_several_interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
