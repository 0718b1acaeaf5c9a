// SPDX-License-Identifier: BSD-3-Clause
// Calls the program's cli_main() with a line of words, and what it wrote.
#pragma once

#include "control/cli/cli.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define CAPTURED_MAX 16384
#define CAPTURED_WORDS_MAX 32

struct captured {
	int status;
	const char *out; // until the next call
	const char *err;
};

// Puts `fd` in the place of a stream's and returns what was there.
static inline int
captured_divert(FILE *stream, int fd)
{
	int saved;

	fflush(stream);
	saved = dup(fileno(stream));
	assert_true(saved >= 0 && dup2(fd, fileno(stream)) >= 0);
	return saved;
}

// Puts it back, and reads what has been written.
static inline void
captured_restore(FILE *stream, int saved, int fd, char text[static CAPTURED_MAX])
{
	ssize_t length;

	fflush(stream);
	clearerr(stream);
	assert_true(dup2(saved, fileno(stream)) >= 0);
	close(saved);
	length = pread(fd, text, CAPTURED_MAX - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	close(fd);
}

// `out`: a file to write results to instead, or NULL.
static inline struct captured
captured_run_to(const char *out, const char *line)
{
	static char out_text[CAPTURED_MAX], err_text[CAPTURED_MAX];
	char copy[512], *rest = copy, *argv[CAPTURED_WORDS_MAX + 1], *word;
	int out_fd = out != NULL ? open(out, O_WRONLY) : memfd_create("out", 0);
	int err_fd = memfd_create("err", 0);
	int argc = 0, saved_out, saved_err;
	struct captured c = {.out = out_text, .err = err_text};

	assert_true(strlen(line) < sizeof(copy) && out_fd >= 0 && err_fd >= 0);
	strcpy(copy, line);
	while ((word = strsep(&rest, " ")) != NULL && argc < CAPTURED_WORDS_MAX)
		argv[argc++] = word;
	argv[argc] = NULL;
	saved_out = captured_divert(stdout, out_fd);
	saved_err = captured_divert(stderr, err_fd);
	c.status = cli_main(argc, argv);
	captured_restore(stderr, saved_err, err_fd, err_text);
	captured_restore(stdout, saved_out, out_fd, out_text);
	return c;
}

static inline struct captured
captured_run(const char *line)
{
	return captured_run_to(NULL, line);
}
