// SPDX-License-Identifier: BSD-3-Clause
// Capture files in. libpcap reads the formats (pcap with us or ns stamps in either byte order,
// pcapng with any resolution); this file decides what can be replayed:
//
// - Ethernet without FCS, because the wire adds that itself;
// - complete packets: one cut by a snap length would be sent too short, with a wrong ICRC;
// - stamps that never go back, so that a file's order is its order in time. Equal stamps are fine.
//
// Stamps are kept in nanoseconds since the file's epoch (64 bits last 584 years) and become
// picoseconds (213 days) only when a packet is returned, less the shift: a time of day in
// picoseconds would not fit. The shift is never later than the first stamp of any aligned file.
//
// Files are hostile input. The first error ends a file, because the position behind it is a guess.
#include "reader.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_S UINT64_C(1000000000)
#define STAMP_FORMAT "%" PRIu64 ".%09" PRIu64 " s"
#define STAMP_ARGS(ns) (ns) / NS_PER_S, (ns) % NS_PER_S

struct capture_reader {
	pcap_t *pcap;
	char *path;
	uint32_t max_bytes;
	uint64_t shift_ns;
	uint64_t number;  // packets read from the file so far
	uint64_t last_ns; // stamp of the last of them
	int status;       // 1: more may follow; 0: at the end; -errno: `fault` of packet `number`
	bool stampless;   // every stamp counts as 0
	bool held;        // `packet` was read and not taken yet
	struct capture_packet packet;
	char fault[PCAP_ERRBUF_SIZE];
};

// Ends the file with an error about the packet being read.
__attribute__((format(printf, 3, 4))) static int
reader_fail(struct capture_reader *reader, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->fault, sizeof(reader->fault), format, args);
	va_end(args);
	reader->status = status;
	return status;
}

static int
reader_report(const struct capture_reader *reader, struct diag *diag)
{
	if (reader->status < 0)
		diag_fail(diag, -reader->status, "%s: packet %" PRIu64 ": %s", reader->path,
			  reader->number, reader->fault);
	return reader->status;
}

// The stamp of a packet in nanoseconds since the epoch; false if it is out of range.
static bool
reader_stamp(const struct capture_reader *reader, const struct pcap_pkthdr *header,
	     uint64_t *stamp_ns)
{
	int64_t s = header->ts.tv_sec;
	int64_t ns = header->ts.tv_usec; // nanoseconds: requested at open

	// pcap's 32-bit seconds are unsigned, but libpcap extends their sign; pcapng (1.x) has 64.
	if (pcap_major_version(reader->pcap) != 1)
		s = (uint32_t)s;
	if (s < 0 || s >= (int64_t)(UINT64_MAX / NS_PER_S) || ns < 0 || ns >= (int64_t)NS_PER_S)
		return false;
	*stamp_ns = (uint64_t)s * NS_PER_S + (uint64_t)ns;
	return true;
}

// Refuses a packet that cannot be replayed, and keeps its stamp.
static int
reader_check(struct capture_reader *reader, const struct pcap_pkthdr *header)
{
	uint64_t stamp_ns, last_ns = reader->last_ns;

	if (header->caplen < header->len)
		return reader_fail(reader, -EINVAL,
				   "truncated: %u of %u bytes captured, cannot be replayed",
				   header->caplen, header->len);
	if (header->caplen > header->len)
		return reader_fail(reader, -EINVAL, "%u bytes captured of a packet of %u",
				   header->caplen, header->len);
	if (header->len > reader->max_bytes)
		return reader_fail(reader, -EINVAL, "%u bytes, longer than the %u allowed",
				   header->len, reader->max_bytes);
	if (reader->stampless)
		return 1;
	if (!reader_stamp(reader, header, &stamp_ns))
		return reader_fail(reader, -EINVAL, "no valid time stamp: %lld s and %lld ns",
				   (long long)header->ts.tv_sec, (long long)header->ts.tv_usec);
	if (stamp_ns < last_ns)
		return reader_fail(reader, -EINVAL,
				   "stamp " STAMP_FORMAT " goes back: packet %" PRIu64
				   " has " STAMP_FORMAT,
				   STAMP_ARGS(stamp_ns), reader->number - 1, STAMP_ARGS(last_ns));
	reader->last_ns = stamp_ns;
	return 1;
}

// Reads one packet ahead unless one is held already. Returns the reader's status.
static int
reader_fill(struct capture_reader *reader)
{
	struct pcap_pkthdr *header;
	const u_char *data;
	int status;

	if (reader->held || reader->status <= 0)
		return reader->held ? 1 : reader->status;
	status = pcap_next_ex(reader->pcap, &header, &data);
	if (status == PCAP_ERROR_BREAK) {
		reader->status = 0;
		return 0;
	}
	reader->number++;
	if (status != 1)
		return reader_fail(reader, ferror(pcap_file(reader->pcap)) ? -EIO : -EINVAL, "%s",
				   pcap_geterr(reader->pcap));
	status = reader_check(reader, header);
	if (status < 0)
		return status;
	reader->packet = (struct capture_packet){
		.number = reader->number,
		.data_len = header->caplen,
		.data = data,
	};
	reader->held = true;
	return 1;
}

// Refuses anything but Ethernet frames without FCS.
static int
reader_check_link(pcap_t *pcap, const char *path, struct diag *diag)
{
	int link = pcap_datalink(pcap), extension = pcap_datalink_ext(pcap);
	const char *name = pcap_datalink_val_to_name(link);

	if (link != DLT_EN10MB)
		return diag_fail(diag, EINVAL, "%s: link type %s (%d), must be EN10MB (Ethernet)",
				 path, name ? name : "unknown", link);
	if (LT_FCS_LENGTH_PRESENT(extension) && LT_FCS_LENGTH(extension))
		return diag_fail(diag, EINVAL,
				 "%s: frames end in an FCS; strip it (editcap -L -C -4)", path);
	return 0;
}

// Hands the file to libpcap, which closes it if that succeeds.
static int
reader_open_pcap(pcap_t **out, FILE *file, const char *path, struct diag *diag)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	struct stat info;

	if (fstat(fileno(file), &info) < 0)
		return diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(info.st_mode))
		return diag_fail(diag, EISDIR, "%s: %s", path, strerror(EISDIR));
	*out = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (*out == NULL)
		return diag_fail(diag, ferror(file) ? EIO : EINVAL,
				 "%s: not a pcap or pcapng file: %s", path, why);
	return 0;
}

int
capture_reader_open(struct capture_reader **out, const char *path, struct diag *diag)
{
	FILE *file = fopen(path, "rbe");
	pcap_t *pcap;
	int rc;

	*out = NULL;
	if (file == NULL)
		return diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	rc = reader_open_pcap(&pcap, file, path, diag);
	if (rc != 0) {
		fclose(file);
		return rc;
	}
	rc = reader_check_link(pcap, path, diag);
	if (rc != 0) {
		pcap_close(pcap);
		return rc;
	}
	*out = memory_new(sizeof(**out), "a capture file");
	**out = (struct capture_reader){
		.pcap = pcap,
		.path = memory_text(path),
		.max_bytes = UINT32_MAX,
		.status = 1,
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
		reader_fail(reader, -EINVAL,
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
	pcap_close(reader->pcap);
	free(reader->path);
	free(reader);
}
