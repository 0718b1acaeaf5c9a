// SPDX-License-Identifier: BSD-3-Clause
// Capture files in. records.c reads the formats; this file decides what can be replayed:
//
// - Ethernet without FCS, because the wire adds that itself, or what link_type.c makes into it;
// - complete packets: one cut by a snap length would be sent too short, with a wrong ICRC;
// - stamps that never go back, so that a file's order is its order in time; or that can be sorted.
//   Equal stamps are fine.
//
// Stamps are kept in nanoseconds since the file's epoch (64 bits last 584 years) and become
// picoseconds (213 days) only when a packet is returned, less the shift: a time of day in
// picoseconds would not fit. The shift is never later than the first stamp of any aligned file.
//
// Files are hostile input. The first error ends a file, because the position behind it is a guess.
#include "reader.h"

#include "control/base/memory.h"
#include "link_type.h"
#include "records.h"
#include "sorter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
#define STAMP_FORMAT "%" PRIu64 ".%09" PRIu64 " s"
#define STAMP_ARGS(ns) (ns) / NS_PER_S, (ns) % NS_PER_S

struct capture_reader {
	struct records *records;
	char *path;
	uint32_t max_bytes;
	uint64_t shift_ns;
	uint64_t number;      // packets read from the file so far
	uint64_t last_ns;     // stamp of the last that was held
	uint64_t last_number; // and its place
	int status; // 1: more may follow; 0: at the end; -errno: `fault` of packet `faulty`
	uint64_t faulty;
	bool stampless; // every stamp counts as 0
	bool sorts;
	bool ended;         // while sorting: the file is, `sorter` may not be empty
	bool held;          // `packet` was read and not taken yet
	bool infiniband;    // packets are; else Ethernet frames
	uint16_t converted; // a link type; LINK_TYPE_ETHERNET: none
	uint8_t mac[6];
	uint8_t *frame; // made of a packet without an Ethernet header
	struct sorter sorter;
	struct sorted_packet *taken; // from the sorter, in `packet`
	struct capture_packet packet;
	char fault[320];
};

// Ends the file with an error about its packet `number`.
__attribute__((format(printf, 4, 5))) static int
reader_fail(struct capture_reader *reader, int status, uint64_t number, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->fault, sizeof(reader->fault), format, args);
	va_end(args);
	reader->faulty = number;
	reader->status = status;
	return status;
}

static int
reader_report(const struct capture_reader *reader, struct diag *diag)
{
	if (reader->status < 0)
		diag_fail(diag, -reader->status, "%s: packet %" PRIu64 ": %s", reader->path,
			  reader->faulty, reader->fault);
	return reader->status;
}

// Refuses a record that is no complete Ethernet frame, and cannot become one.
static int
reader_check(struct capture_reader *reader, struct record *record)
{
	char why[LINK_TYPE_WHY_MAX];
	int length;

	if (record->data_len < record->orig_len)
		return reader_fail(reader, -EINVAL, reader->number,
				   "truncated: %u of %u bytes captured, cannot be replayed; "
				   "capture without a snap length (tcpdump -s 0)",
				   record->data_len, record->orig_len);
	if (record->data_len > record->orig_len)
		return reader_fail(reader, -EINVAL, reader->number,
				   "%u bytes captured of a packet of %u", record->data_len,
				   record->orig_len);
	if (record->fcs_bytes != 0)
		return reader_fail(reader, -EINVAL, reader->number,
				   "frames end in an FCS; strip it (editcap -L -C -%u)",
				   record->fcs_bytes);
	if (reader->infiniband) {
		length = link_type_find_infiniband(record->link, record->data, record->data_len);
		if (length < 0)
			return reader_fail(reader, -EINVAL, reader->number,
					   "link type %s (%u), and the switch's links are "
					   "InfiniBand's: replay a capture of link type INFINIBAND "
					   "(247), or ERF (197) of InfiniBand packets",
					   record->link == LINK_TYPE_ETHERNET
						   ? "EN10MB"
						   : link_type_name(record->link),
					   record->link);
		record->data += length;
		record->data_len -= (uint32_t)length;
	}
	if (!reader->infiniband && record->link != LINK_TYPE_ETHERNET) {
		if (reader->frame == NULL)
			reader->frame = memory_array(RECORDS_PACKET_MAX + LINK_TYPE_GROWTH, 1,
						     "bytes of a frame");
		length = link_type_convert(record->link, record->data, record->data_len,
					   reader->mac, reader->frame, why);
		if (length < 0)
			return reader_fail(reader, length, reader->number, "%s", why);
		reader->converted = record->link;
		record->data = reader->frame;
		record->data_len = (uint32_t)length;
	}
	if (record->data_len > reader->max_bytes)
		return reader_fail(reader, -EINVAL, reader->number,
				   "%u bytes, longer than the %u allowed", record->data_len,
				   reader->max_bytes);
	return 1;
}

// Reads the next record of the file. Returns 1, 0 at the end, or an error.
static int
reader_read(struct capture_reader *reader, struct record *record)
{
	int status = records_next(reader->records, record);

	if (status == 0)
		return 0;
	reader->number++;
	if (status < 0)
		return reader_fail(reader, status, reader->number, "%s",
				   records_fault(reader->records));
	status = reader_check(reader, record);
	if (status < 0)
		return status;
	if (reader->stampless)
		record->stamp_ns = 0;
	else if (record->stamp != RECORD_STAMP)
		return reader_fail(reader, -EINVAL, reader->number,
				   "no valid time stamp; --pace line needs none");
	return 1;
}

// Holds a packet if it may follow the last.
static int
reader_hold(struct capture_reader *reader, const struct sorted_packet *packet, const uint8_t *data)
{
	if (packet->stamp_ns < reader->last_ns)
		return reader_fail(reader, -EINVAL, packet->number,
				   "stamp " STAMP_FORMAT " goes back: packet %" PRIu64
				   " has " STAMP_FORMAT "; %s",
				   STAMP_ARGS(packet->stamp_ns), reader->last_number,
				   STAMP_ARGS(reader->last_ns),
				   reader->sorts ? "that is too far for --sort: sort the file "
						   "first (reordercap)"
						 : "--sort puts them in order");
	reader->last_ns = packet->stamp_ns;
	reader->last_number = packet->number;
	reader->packet = (struct capture_packet){
		.number = packet->number,
		.data_len = packet->data_len,
		.data = data,
	};
	reader->held = true;
	return 1;
}

// Reads ahead until the sorter is full, and holds the earliest.
static int
reader_fill_sorted(struct capture_reader *reader)
{
	struct record record;

	while (!reader->ended && reader->sorter.bytes < SORTER_BYTES_MAX) {
		int status = reader_read(reader, &record);
		struct sorted_packet packet = {record.stamp_ns, reader->number, record.data_len};

		if (status < 0)
			return status;
		reader->ended = status == 0;
		if (!reader->ended)
			sorter_add(&reader->sorter, &packet, record.data);
	}
	free(reader->taken);
	reader->taken = sorter_take(&reader->sorter);
	if (reader->taken == NULL)
		return reader->status = 0;
	return reader_hold(reader, reader->taken, reader->taken->data);
}

// Reads one packet ahead unless one is held already. Returns the reader's status.
static int
reader_fill(struct capture_reader *reader)
{
	struct sorted_packet packet;
	struct record record;
	int status;

	if (reader->held || reader->status <= 0)
		return reader->held ? 1 : reader->status;
	if (reader->sorts)
		return reader_fill_sorted(reader);
	status = reader_read(reader, &record);
	if (status <= 0)
		return reader->status = status;
	packet = (struct sorted_packet){record.stamp_ns, reader->number, record.data_len};
	return reader_hold(reader, &packet, record.data);
}

int
capture_reader_open(struct capture_reader **out, const char *path, struct diag *diag)
{
	struct records *records;
	int rc = records_open(&records, path, diag);

	*out = NULL;
	if (rc != 0)
		return rc;
	*out = memory_new(sizeof(**out), "a capture file");
	**out = (struct capture_reader){
		.records = records,
		.path = memory_text(path),
		.max_bytes = UINT32_MAX,
		.status = 1,
		.converted = LINK_TYPE_ETHERNET,
	};
	return 0;
}

void
capture_reader_limit(struct capture_reader *reader, uint32_t max_bytes)
{
	reader->max_bytes = max_bytes;
}

void
capture_reader_ignore_stamps(struct capture_reader *reader)
{
	reader->stampless = true;
}

void
capture_reader_sort(struct capture_reader *reader)
{
	reader->sorts = true;
}

void
capture_reader_set_mac(struct capture_reader *reader, const uint8_t mac[6])
{
	memcpy(reader->mac, mac, sizeof(reader->mac));
}

void
capture_reader_take_infiniband(struct capture_reader *reader)
{
	reader->infiniband = true;
}

const char *
capture_reader_converted(const struct capture_reader *reader)
{
	return reader->converted == LINK_TYPE_ETHERNET ? NULL : link_type_name(reader->converted);
}

int
capture_reader_peek(struct capture_reader *reader, uint64_t *stamp_ns, struct diag *diag)
{
	if (reader_fill(reader) <= 0)
		return reader_report(reader, diag);
	*stamp_ns = reader->last_ns;
	return 1;
}

int
capture_reader_align(struct capture_reader *const *readers, size_t count, uint64_t *shift_ns,
		     struct diag *diag)
{
	uint64_t earliest_ns = UINT64_MAX, stamp_ns = 0, shift;

	for (size_t i = 0; i < count; i++) {
		int status = capture_reader_peek(readers[i], &stamp_ns, diag);

		if (status < 0)
			return status;
		if (status > 0 && stamp_ns < earliest_ns)
			earliest_ns = stamp_ns;
	}
	shift = earliest_ns != UINT64_MAX && earliest_ns >= CAPTURE_SHIFT_FROM_NS ? earliest_ns : 0;
	for (size_t i = 0; i < count; i++)
		readers[i]->shift_ns = shift;
	if (shift_ns)
		*shift_ns = shift;
	return 0;
}

int
capture_reader_next(struct capture_reader *reader, struct capture_packet *out, struct diag *diag)
{
	uint64_t since_ns;

	if (reader_fill(reader) <= 0)
		return reader_report(reader, diag);
	reader->held = false;
	since_ns = reader->last_ns - reader->shift_ns;
	if (since_ns > (PS_NEVER - 1) / PS_PER_NS) {
		reader_fail(reader, -EINVAL, reader->packet.number,
			    "stamp " STAMP_FORMAT
			    " is over 213 days past time 0, shifted by " STAMP_FORMAT,
			    STAMP_ARGS(reader->last_ns), STAMP_ARGS(reader->shift_ns));
		return reader_report(reader, diag);
	}
	reader->packet.stamp = since_ns * PS_PER_NS;
	*out = reader->packet;
	return 1;
}

void
capture_reader_close(struct capture_reader *reader)
{
	if (!reader)
		return;
	records_close(reader->records);
	sorter_clear(&reader->sorter);
	free(reader->taken);
	free(reader->frame);
	free(reader->path);
	free(reader);
}
