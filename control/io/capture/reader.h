// SPDX-License-Identifier: BSD-3-Clause
// Capture files in: the packets of a pcap or pcapng file, one at a time, as replay needs them.
// Everything here belongs to the control thread. See reader.c for what a file must satisfy.
#pragma once

#include "control/base/diag.h"
#include "dataplane/base/time.h"

#include <stddef.h>
#include <stdint.h>

// If the earliest stamp of all inputs is at or past this, all are shifted so that it is 0: such
// stamps are times of day, not fabric time.
#define CAPTURE_SHIFT_FROM_NS (UINT64_C(86400) * 1000000000)

struct capture_reader;

struct capture_packet {
	ps_t stamp;        // since the file's epoch, less the shift that capture_reader_align() set
	uint64_t number;   // place in the file, from 1, for messages
	uint32_t data_len; // bytes, in the file and on the wire without FCS
	const uint8_t *data; // belongs to the reader, valid until the next call on it
};

// Opens a capture file, compressed or not. A file without packets is fine; one without a file
// header is not. Returns 0; -errno of the file system; -EISDIR; -EINVAL: not a pcap or pcapng file.
// On failure *out is NULL and diag says why, beginning with the path.
int capture_reader_open(struct capture_reader **out, const char *path, struct diag *diag);

// Makes a packet of more than max_bytes (without FCS) an error. Without this call only the file
// format limits the length.
void capture_reader_limit(struct capture_reader *reader, uint32_t max_bytes);

// Makes every stamp 0, whatever it is in the file. Call it before the first packet is read.
void capture_reader_ignore_stamps(struct capture_reader *reader);

// Returns the packets in the order of their stamps, as far as sorter.h can. Call it before the
// first packet is read.
void capture_reader_sort(struct capture_reader *reader);

// Where packets go that have no Ethernet header in the file (link_type.h); without this call to
// 00:00:00:00:00:00.
void capture_reader_set_mac(struct capture_reader *reader, const uint8_t mac[6]);

// Reads packets of the link type INFINIBAND, from the LRH to the VCRC, and refuses all others. Call
// it before the first packet is read.
void capture_reader_take_infiniband(struct capture_reader *reader);

// The link type of which a packet was converted, such as "RAW"; NULL: none so far.
const char *capture_reader_converted(const struct capture_reader *reader);

// The next packet's stamp in nanoseconds since the file's epoch, unshifted; the packet is not
// taken. Returns 1, 0 at the end, or as capture_reader_next().
int capture_reader_peek(struct capture_reader *reader, uint64_t *stamp_ns, struct diag *diag);

// Applies the shift rule of CAPTURE_SHIFT_FROM_NS to all inputs of a run. Call it before the first
// capture_reader_next() on any of them. *shift_ns (may be NULL): what was subtracted from every
// stamp. Returns 0, or the first error met as capture_reader_next().
int capture_reader_align(struct capture_reader *const *readers, size_t count, uint64_t *shift_ns,
			 struct diag *diag);

// Takes the next packet. Returns 1 with *out filled, 0 at the end, -EINVAL when the file is damaged
// or holds a packet that cannot be replayed, -EIO when reading failed. An error names the file and
// the packet's number, ends the file, and is returned again by every later call.
int capture_reader_next(struct capture_reader *reader, struct capture_packet *out,
			struct diag *diag);

// Closes the file. NULL is fine.
void capture_reader_close(struct capture_reader *reader);
