// SPDX-License-Identifier: BSD-3-Clause
// The packets of a pcap or pcapng file as they stand there, one at a time: whatever link type,
// stamp and length each has. What of that can be replayed is for reader.c to say.
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

// More than that of one packet is in no file of Wireshark's or libpcap's.
#define RECORDS_PACKET_MAX 262144u

struct records;

struct record {
	enum { RECORD_NO_STAMP, RECORD_BAD_STAMP, RECORD_STAMP } stamp;
	uint64_t stamp_ns;   // since the file's epoch, with RECORD_STAMP
	uint16_t link;       // LINKTYPE_ of the file or of the packet's interface
	uint8_t fcs_bytes;   // at the end of the data, if the file says so
	uint32_t data_len;   // in the file
	uint32_t orig_len;   // on the wire
	const uint8_t *data; // belongs to the records, valid until the next call
};

// Opens a file, compressed or not. Returns 0, or an error as byte_source_open() or -EINVAL with the
// error in diag.
int records_open(struct records **out, const char *path, struct diag *diag);

// Takes the next packet. Returns 1; 0 at the end; -EIO, or -EINVAL for a damaged file, with
// records_fault(). Not to be called again after 0 or an error.
int records_next(struct records *r, struct record *out);

// What was wrong. Belongs to the records.
const char *records_fault(const struct records *r);

// NULL is fine.
void records_close(struct records *r);
