// SPDX-License-Identifier: BSD-3-Clause
// Compressed data is hostile: a few bytes can stand for terabytes. So it is decompressed in pieces
// of what the caller reads, and zstd may look back no further than WINDOW_LOG_MAX.
#include "byte_source.h"

#include "control/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define INPUT_BYTES (1 << 16)
#define GZIP_WINDOW (15 + 16) // the largest window, with gzip's header
#define WINDOW_LOG_MAX 27     // 128 MB, as much as `zstd -d` takes without options
#define MAGIC_BYTES 6

enum format { FORMAT_PLAIN, FORMAT_GZIP, FORMAT_ZSTD };

struct byte_source {
	int fd;
	enum format format;
	bool ended;    // the file has no more bytes
	bool between;  // no gzip member or zstd frame has begun and not ended
	bool leftover; // the decoder may hold output that had no room
	size_t at, count;
	z_stream gzip;
	ZSTD_DCtx *zstd;
	char fault[160];
	uint8_t input[INPUT_BYTES];
};

__attribute__((format(printf, 3, 4))) static int
source_fail(struct byte_source *s, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->fault, sizeof(s->fault), format, args);
	va_end(args);
	return -error;
}

// Reads more behind what is there. Returns 0, or -EIO.
static int
read_input(struct byte_source *s)
{
	ssize_t got;

	if (s->at == s->count)
		s->at = s->count = 0;
	do {
		got = read(s->fd, s->input + s->count, sizeof(s->input) - s->count);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return source_fail(s, EIO, "%s", strerror(errno));
	s->count += (size_t)got;
	s->ended = got == 0;
	return 0;
}

static int
need_input(struct byte_source *s)
{
	return s->at < s->count || s->ended ? 0 : read_input(s);
}

static ssize_t
read_plain(struct byte_source *s, uint8_t *to, size_t count)
{
	size_t part = s->count - s->at < count ? s->count - s->at : count;

	memcpy(to, s->input + s->at, part);
	s->at += part;
	return (ssize_t)part;
}

// A gzip file may be several, one after the other.
static ssize_t
read_gzip(struct byte_source *s, uint8_t *to, size_t count)
{
	int rc;

	if (s->at == s->count && !s->leftover)
		return s->between ? 0 : source_fail(s, EINVAL, "the gzip data ends too early");
	s->gzip.next_in = s->input + s->at;
	s->gzip.avail_in = (uInt)(s->count - s->at);
	s->gzip.next_out = to;
	s->gzip.avail_out = (uInt)count;
	s->between = false;
	rc = inflate(&s->gzip, Z_NO_FLUSH);
	s->leftover = rc == Z_OK && s->gzip.avail_out == 0;
	if (rc == Z_MEM_ERROR)
		memory_exhausted(1, 1 << 15, "gzip windows");
	if (rc == Z_STREAM_END) {
		s->between = true;
		inflateReset(&s->gzip);
	} else if (rc != Z_OK && rc != Z_BUF_ERROR) { // that one: nothing was left over
		return source_fail(s, EINVAL, "damaged gzip data: %s",
				   s->gzip.msg != NULL ? s->gzip.msg : "it does not go on");
	}
	s->at = s->count - s->gzip.avail_in;
	return (ssize_t)(count - s->gzip.avail_out);
}

static ssize_t
read_zstd(struct byte_source *s, uint8_t *to, size_t count)
{
	ZSTD_inBuffer in = {.src = s->input, .size = s->count, .pos = s->at};
	ZSTD_outBuffer out = {.dst = to, .size = count};
	size_t rc;

	if (in.pos == in.size && !s->leftover)
		return s->between ? 0 : source_fail(s, EINVAL, "the zstd data ends too early");
	rc = ZSTD_decompressStream(s->zstd, &out, &in);
	if (ZSTD_isError(rc)) {
		if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
			memory_exhausted(1, (size_t)1 << WINDOW_LOG_MAX, "zstd windows");
		return source_fail(s, EINVAL, "zstd: %s%s", ZSTD_getErrorName(rc),
				   ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge
					   ? "; decompress it first (zstd -d --long=31)"
					   : "");
	}
	s->at = in.pos;
	s->between = rc == 0;
	s->leftover = rc != 0 && out.pos == out.size;
	return (ssize_t)out.pos;
}

ssize_t
byte_source_read(struct byte_source *s, void *to, size_t count)
{
	static ssize_t (*const readers[])(struct byte_source *, uint8_t *, size_t) = {
		[FORMAT_PLAIN] = read_plain,
		[FORMAT_GZIP] = read_gzip,
		[FORMAT_ZSTD] = read_zstd,
	};
	uint8_t *out = to;
	size_t done = 0;

	while (done < count) {
		int rc = need_input(s);
		ssize_t got = rc != 0 ? rc : readers[s->format](s, out + done, count - done);

		if (got < 0)
			return got;
		done += (size_t)got;
		if (got == 0 && s->ended && s->at == s->count && !s->leftover && s->between)
			break;
	}
	return (ssize_t)done;
}

const char *
byte_source_fault(const struct byte_source *s)
{
	return s->fault;
}

static const struct {
	uint8_t magic[MAGIC_BYTES];
	size_t length;
	const char *name;
	const char *remedy;
} others[] = {
	{{0xfd, '7', 'z', 'X', 'Z'}, 6, "xz", "xz -d"},
	{{'B', 'Z', 'h'}, 3, "bzip2", "bzip2 -d"},
	{{0x04, 0x22, 0x4d, 0x18}, 4, "lz4", "lz4 -d"},
	{{'P', 'K', 3, 4}, 4, "zip", "unzip"},
};

// Recognises the format by the first bytes.
static int
find_format(struct byte_source *s, const char *path, struct diag *diag)
{
	static const uint8_t gzip[2] = {0x1f, 0x8b}, zstd[4] = {0x28, 0xb5, 0x2f, 0xfd};
	static const uint8_t zstd_skippable[3] = {0x2a, 0x4d, 0x18}; // behind 0x50 to 0x5f

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memcmp(s->input, others[i].magic, others[i].length) == 0)
			return diag_fail(diag, EINVAL,
					 "%s: compressed with %s; decompress it first (%s), or use "
					 "gzip or zstd",
					 path, others[i].name, others[i].remedy);
	s->between = true;
	if (memcmp(s->input, gzip, sizeof(gzip)) == 0) {
		s->format = FORMAT_GZIP;
		if (inflateInit2(&s->gzip, GZIP_WINDOW) != Z_OK)
			memory_exhausted(1, 1 << 15, "gzip windows");
	} else if (memcmp(s->input, zstd, sizeof(zstd)) == 0 ||
		   (s->input[0] >> 4 == 5 && memcmp(s->input + 1, zstd_skippable, 3) == 0)) {
		s->format = FORMAT_ZSTD;
		s->zstd = ZSTD_createDCtx();
		if (s->zstd == NULL)
			memory_exhausted(1, 1 << 17, "zstd decoders");
		ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	return 0;
}

int
byte_source_open(struct byte_source **out, const char *path, struct diag *diag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	struct byte_source *s;
	struct stat info;

	*out = NULL;
	if (fd < 0)
		return diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	s = memory_new(sizeof(*s), "capture files");
	s->fd = fd;
	if (fstat(fd, &info) < 0)
		rc = diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(info.st_mode))
		rc = diag_fail(diag, EISDIR, "%s: %s", path, strerror(EISDIR));
	while (rc == 0 && s->count < MAGIC_BYTES && !s->ended) { // a pipe may give one at a time
		rc = read_input(s);
		if (rc != 0)
			diag_fail(diag, -rc, "%s: %s", path, s->fault);
	}
	if (rc == 0)
		rc = find_format(s, path, diag);
	if (rc != 0) {
		byte_source_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
byte_source_close(struct byte_source *s)
{
	if (s == NULL)
		return;
	if (s->format == FORMAT_GZIP)
		inflateEnd(&s->gzip);
	ZSTD_freeDCtx(s->zstd);
	close(s->fd);
	free(s);
}
