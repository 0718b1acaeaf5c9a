// SPDX-License-Identifier: BSD-3-Clause
// Capture files out: one interface's packets as pcapng, with ns stamps and comments.
// Everything here belongs to the control thread.
#pragma once

#include "dataplane/base/time.h"

#include <stddef.h>
#include <stdint.h>

// What Wireshark and libpcap accept as an Ethernet packet's captured length.
#define CAPTURE_PACKET_MAX 262144u

struct capture_writer;

// As the port sees it. The values are epb_flags' (draft-ietf-opsawg-pcapng, 4.3.1).
enum capture_direction {
	CAPTURE_DIRECTION_NONE = 0, // not said in the file
	CAPTURE_DIRECTION_IN = 1,
	CAPTURE_DIRECTION_OUT = 2,
};

// Creates or truncates `path` and writes the file's head: one Ethernet interface named if_name (1
// to 255 bytes) with stamps in ns. snaplen: bytes of a packet that are written at most; 0: all.
// Returns 0; -errno of the file system; -EINVAL for the name; -ENOMEM. On failure *out is NULL and
// err holds one line that begins with the path.
int capture_writer_open(struct capture_writer **out, const char *path, const char *if_name,
			uint32_t snaplen, char *err, size_t err_size);

// Appends a packet. stamp: fabric time, written rounded down to the ns. orig_len: bytes on the wire
// without FCS, at least data_len. comment: UTF-8, may be NULL.
// Returns 0; -EINVAL for orig_len; -EMSGSIZE for more than CAPTURE_PACKET_MAX bytes to be written
// or a comment over 65534 bytes; -errno if writing failed. Output is buffered: a full disk may show
// later, at the latest in capture_writer_close(). After an error nothing more is written.
int capture_writer_packet(struct capture_writer *writer, ps_t stamp, const void *data,
			  uint32_t data_len, uint32_t orig_len, const char *comment);

// The same with the direction in which the packet passed the port.
int capture_writer_packet_directed(struct capture_writer *writer, enum capture_direction direction,
				   ps_t stamp, const void *data, uint32_t data_len,
				   uint32_t orig_len, const char *comment);

// Writes out what is buffered and closes. Returns 0 or the first error of all calls on this writer,
// as -errno: if it is not 0 the file is incomplete. NULL is fine.
int capture_writer_close(struct capture_writer *writer);
