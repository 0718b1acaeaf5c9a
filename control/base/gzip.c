// SPDX-License-Identifier: BSD-3-Clause
#include "gzip.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define LEVEL "wb1" // tables shrink to a tenth; level 6 takes three times as long for a fifth less
#define BLOCK_BYTES (1 << 17)

struct gzip {
	gzFile file;
	int error; // the first, as errno
};

static ssize_t
write_block(void *context, const char *bytes, size_t size)
{
	struct gzip *g = context;
	int wrote;

	errno = 0;
	wrote = gzwrite(g->file, bytes, (unsigned int)size);
	if (wrote > 0)
		return wrote;
	if (g->error == 0)
		g->error = errno != 0 ? errno : EIO;
	errno = g->error;
	return 0;
}

static int
close_file(void *context)
{
	struct gzip *g = context;
	int error = g->error;

	errno = 0;
	if (gzclose(g->file) != Z_OK && error == 0)
		error = errno != 0 ? errno : EIO;
	free(g);
	errno = error;
	return error != 0 ? -1 : 0;
}

FILE *
gzip_open(const char *path)
{
	const cookie_io_functions_t functions = {.write = write_block, .close = close_file};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct gzip *g;
	FILE *to;

	if (fd < 0)
		return NULL;
	g = memory_new(sizeof(*g), "compressed file");
	g->file = gzdopen(fd, LEVEL);
	if (g->file == NULL) {
		close(fd);
		free(g);
		errno = ENOMEM;
		return NULL;
	}
	gzbuffer(g->file, BLOCK_BYTES);
	to = fopencookie(g, "w", functions);
	if (to == NULL) {
		gzclose(g->file);
		free(g);
		errno = ENOMEM;
	}
	return to;
}
