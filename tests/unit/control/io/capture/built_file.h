// SPDX-License-Identifier: BSD-3-Clause
// A capture file built byte by byte, from the format documents, so that the reader is not tested
// against our own writer; and what reading it gives.
#pragma once

#include "control/io/capture/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du
#define ETHERNET 1u

static char directory[64];
static char path[128];
static struct diag diag;

// The file under construction.
static uint8_t bytes[4096];
static size_t length;
static bool big_endian;

static inline void
add16(uint16_t value)
{
	bytes[length++] = (uint8_t)(big_endian ? value >> 8 : value);
	bytes[length++] = (uint8_t)(big_endian ? value : value >> 8);
}

static inline void
add32(uint32_t value)
{
	add16((uint16_t)(big_endian ? value >> 16 : value));
	add16((uint16_t)(big_endian ? value : value >> 16));
}

static inline void
add_fill(uint8_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[length++] = (uint8_t)(first + i);
}

static inline void
pcap_begin(uint32_t magic, uint32_t link)
{
	length = 0;
	add32(magic);
	add16(2);
	add16(4);
	add32(0);
	add32(0);
	add32(65535);
	add32(link);
}

// A whole packet whose bytes count up from `first`.
static inline void
pcap_packet(uint32_t s, uint32_t fraction, uint32_t len, uint8_t first)
{
	add32(s);
	add32(fraction);
	add32(len);
	add32(len);
	add_fill(first, len);
}

static inline void
pcapng_begin(uint8_t resolution)
{
	length = 0;
	add32(0x0a0d0d0a);
	add32(28);
	add32(0x1a2b3c4d);
	add16(1);
	add16(0);
	add32(UINT32_MAX);
	add32(UINT32_MAX);
	add32(28);
	add32(1);
	add32(32);
	add16(ETHERNET);
	add16(0);
	add32(0);
	add16(9); // if_tsresol
	add16(1);
	add_fill(resolution, 1);
	add_fill(0, 1);
	add16(0);
	add32(0); // opt_endofopt
	add32(32);
}

static inline void
pcapng_packet(uint64_t stamp, uint32_t len, uint8_t first)
{
	uint32_t total = 32 + ((len + 3) & ~3u);

	add32(6);
	add32(total);
	add32(0);
	add32((uint32_t)(stamp >> 32));
	add32((uint32_t)stamp);
	add32(len);
	add32(len);
	add_fill(first, len);
	while (length % 4)
		add_fill(0, 1);
	add32(total);
}

// The file as one gzip member.
static inline void
compress_gzip(void)
{
	static uint8_t plain[sizeof(bytes)];
	z_stream z = {0};

	memcpy(plain, bytes, length);
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = plain;
	z.avail_in = (uInt)length;
	z.next_out = bytes;
	z.avail_out = sizeof(bytes);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	length = sizeof(bytes) - z.avail_out;
	deflateEnd(&z);
}

// The file as one zstd frame.
static inline void
compress_zstd(void)
{
	static uint8_t plain[sizeof(bytes)];

	memcpy(plain, bytes, length);
	length = ZSTD_compress(bytes, sizeof(bytes), plain, length, 3);
	assert_false(ZSTD_isError(length));
}

// Diagnostics for one call; those of the call before are gone.
static inline struct diag *
fresh(void)
{
	diag_free(&diag);
	diag = (struct diag){0};
	return &diag;
}

static inline void
save(const char *name)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static inline struct capture_reader *
open_file(void)
{
	struct capture_reader *reader;

	save("in.pcap");
	if (capture_reader_open(&reader, path, fresh()) != 0)
		fail_msg("%s", diag_first_error(&diag));
	return reader;
}

static inline void
expect_packet(struct capture_reader *reader, uint64_t number, ps_t stamp, uint32_t len,
	      uint8_t first)
{
	struct capture_packet packet;

	if (capture_reader_next(reader, &packet, fresh()) != 1)
		fail_msg("no packet %d", (int)number);
	assert_int_equal(packet.number, number);
	assert_int_equal(packet.stamp, stamp);
	assert_int_equal(packet.data_len, len);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(packet.data[i], (uint8_t)(first + i));
}

static inline void
expect_end(struct capture_reader *reader)
{
	struct capture_packet packet;

	assert_int_equal(capture_reader_next(reader, &packet, fresh()), 0);
	assert_int_equal(capture_reader_next(reader, &packet, fresh()), 0);
	capture_reader_close(reader);
}

// The message is the path, then `what` as it stands.
static inline void
expect_message(const char *what)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s: %s", path, what);
	assert_string_equal(diag_first_error(&diag), whole);
}

// The error comes, and comes again with the same message.
static inline void
expect_fault(struct capture_reader *reader, int status, const char *what)
{
	struct capture_packet packet;
	uint64_t stamp_ns;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(capture_reader_next(reader, &packet, fresh()), status);
		expect_message(what);
	}
	assert_int_equal(capture_reader_peek(reader, &stamp_ns, fresh()), status);
	expect_message(what);
	capture_reader_close(reader);
}

static inline void
expect_refused(int status, const char *what)
{
	struct capture_reader *reader = (struct capture_reader *)&length;

	assert_int_equal(capture_reader_open(&reader, path, fresh()), status);
	assert_null(reader);
	expect_message(what);
}

static inline int
make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/roost-reader-XXXXXX");
	big_endian = false;
	return mkdtemp(directory) ? chmod(directory, 0755) : -1;
}

static inline int
remove_directory(void **state)
{
	static const char *const names[] = {
		"in.pcap",      "first.pcap", "second.pcap", "cut.pcap", "cooked.pcap",
		"unknown.pcap", "fcs.pcap",   "dut.yaml",    "empty",    "unreadable.pcap",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	return rmdir(directory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)
