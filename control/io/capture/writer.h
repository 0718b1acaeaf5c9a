// SPDX-License-Identifier: BSD-3-Clause
// Capture files out: one interface's packets as pcapng, with ns stamps and comments.
// Everything here belongs to the control thread.
#pragma once

#include "pcapng.h"

#include <stdint.h>

struct capture_writer;

// Creates or truncates `path` and writes the file's head: one interface of a link type
// (PCAPNG_LINKTYPE_) named if_name (1 to 255 bytes) with stamps in ns. snaplen: bytes of a packet
// that are written at most; 0: all. Returns 0; -errno of the file system; -EINVAL for the name. On
// failure *out is NULL.
int capture_writer_open(struct capture_writer **out, const char *path, uint32_t link,
			const char *if_name, uint32_t snaplen);

// Appends a packet. Returns 0; -EINVAL for orig_len; -EMSGSIZE for more than CAPTURE_PACKET_MAX
// bytes to be written or a comment over 65534 bytes; -errno if writing failed. Output is buffered:
// a full disk may show later, at the latest in capture_writer_close(). After an error nothing more
// is written.
int capture_writer_packet(struct capture_writer *writer, const struct capture_record *record);

// Writes out what is buffered and closes. Returns 0 or the first error of all calls on this writer,
// as -errno: if it is not 0 the file is incomplete. NULL is fine.
int capture_writer_close(struct capture_writer *writer);
