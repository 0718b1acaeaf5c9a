// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a capture file: the reader ends with a clear answer, what it yields keeps its
// promises, and what it yields survives being written and read again.
#include "control/io/capture/reader.h"
#include "control/io/capture/rewrite.h"
#include "control/io/capture/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PACKET_MAX 10000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(int truth)
{
	if (!truth)
		abort();
}

// A file in memory that has a path.
static int
memory_file(const char *name, char *path, size_t path_size)
{
	int file = memfd_create(name, MFD_CLOEXEC);

	require(file >= 0);
	snprintf(path, path_size, "/proc/self/fd/%d", file);
	return file;
}

// An error is one line that begins with the path.
static void
require_message(const struct diag *diag, const char *path)
{
	const char *err = diag_first_error(diag);
	size_t length = strlen(path);

	require(strncmp(err, path, length) == 0 && err[length] == ':' && err[length + 1] == ' ');
	require(strlen(err) > length + 2 && !strchr(err, '\n'));
}

// Reads the packets of `in` and writes them to `out`; returns how many there were.
static uint64_t
copy_packets(struct capture_reader *in, const char *in_path, struct capture_writer *out)
{
	struct capture_packet packet;
	struct diag diag = {0};
	uint64_t count = 0;
	ps_t last = 0;
	int status;

	while ((status = capture_reader_next(in, &packet, &diag)) == 1) {
		require(packet.number == ++count);
		require(packet.stamp >= last && packet.stamp != PS_NEVER);
		require(packet.data_len <= PACKET_MAX);
		require(capture_writer_packet(out,
					      &(struct capture_record){.stamp = packet.stamp,
								       .data = packet.data,
								       .data_len = packet.data_len,
								       .orig_len = packet.data_len,
								       .comment = "fuzz"}) == 0);
		last = packet.stamp;
	}
	if (status < 0)
		require_message(&diag, in_path);
	diag_free(&diag);
	return count;
}

// Both files hold the same packets; `first` may end in an error behind them.
static void
require_same(struct capture_reader *first, struct capture_reader *second, uint64_t count)
{
	struct capture_packet a, b;
	struct diag diag = {0};

	for (uint64_t i = 0; i < count; i++) {
		require(capture_reader_next(first, &a, &diag) == 1);
		require(capture_reader_next(second, &b, &diag) == 1);
		require(a.stamp == b.stamp && a.data_len == b.data_len);
		require(memcmp(a.data, b.data, a.data_len) == 0);
	}
	require(capture_reader_next(second, &b, &diag) == 0);
}

// Sorted, no stamp goes back, whatever the file holds; and rewriting stays within a packet.
static void
require_sorted(const char *path)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
	struct capture_reader *reader = NULL;
	struct capture_packet packet;
	struct rewrite rules = {0};
	struct diag diag = {0};
	ps_t last = 0;

	require(rewrite_add(&rules, "0.0.0.0/1=10.0.0.0/1", &diag) == -EINVAL);
	require(rewrite_add(&rules, "0.0.0.0/1=128.0.0.0/1", &diag) == 0);
	require(rewrite_add(&rules, "::/3=2000::/3", &diag) == 0);
	require(rewrite_add(&rules, "mac=port", &diag) == 0);
	require(capture_reader_open(&reader, path, &diag) == 0);
	capture_reader_limit(reader, PACKET_MAX);
	capture_reader_sort(reader);
	capture_reader_align(&reader, 1, NULL, &diag);
	while (capture_reader_next(reader, &packet, &diag) == 1) {
		uint8_t *frame = malloc(packet.data_len);

		require(packet.stamp >= last);
		last = packet.stamp;
		memcpy(frame, packet.data, packet.data_len);
		rewrite_frame(&rules, mac, frame, packet.data_len);
		free(frame);
	}
	capture_reader_close(reader);
	rewrite_clear(&rules);
	diag_free(&diag);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char in_path[64], out_path[64];
	struct diag diag = {0};
	struct capture_reader *in = NULL, *again = NULL, *copy = NULL;
	struct capture_writer *out;
	int in_file = memory_file("in", in_path, sizeof(in_path));
	int out_file = memory_file("out", out_path, sizeof(out_path));
	uint64_t count;

	require(write(in_file, data, size) == (ssize_t)size);
	if (capture_reader_open(&in, in_path, &diag) != 0) {
		require_message(&diag, in_path);
		goto out;
	}
	require(capture_writer_open(&out, out_path, PCAPNG_LINKTYPE_ETHERNET, "fuzz", 0) == 0);
	capture_reader_limit(in, PACKET_MAX);
	if (capture_reader_align(&in, 1, NULL, &diag) != 0)
		require_message(&diag, in_path);
	count = copy_packets(in, in_path, out);
	require(capture_writer_close(out) == 0);

	require(capture_reader_open(&again, in_path, &diag) == 0);
	require(capture_reader_open(&copy, out_path, &diag) == 0);
	capture_reader_limit(again, PACKET_MAX);
	capture_reader_align(&again, 1, NULL, &diag);
	require_same(again, copy, count);
	require_sorted(in_path);
out:
	diag_free(&diag);
	capture_reader_close(in);
	capture_reader_close(again);
	capture_reader_close(copy);
	close(in_file);
	close(out_file);
	return 0;
}
