// SPDX-License-Identifier: BSD-3-Clause
#include "compile.h"

#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/io/capture/filter.h"
#include "web.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILE_READ_BYTES 16384

int
web_print_filter(const char *text)
{
	struct diag diag = {0};
	char *program;
	int rc;

	alarm(COMPILE_SECONDS); // ends this process
	rc = filter_compile(text, &program, &diag);
	fputs(rc == 0 ? program : diag_first_error(&diag), stdout);
	free(program);
	diag_free(&diag);
	return rc == 0 ? EXIT_OK : EXIT_USAGE;
}

// With no signal blocked, and its standard output in the pipe.
static int
spawn(struct compile *c, int out, const char *filter)
{
	char *const words[] = {"roost-web", "filter", (char *)(uintptr_t)filter, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	error = posix_spawn(&c->pid, "/proc/self/exe", &files, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return -error;
}

int
compile_start(struct compile *c, const char *filter)
{
	int ends[2], rc;

	*c = (struct compile){.fd = -1};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	rc = spawn(c, ends[1], filter);
	close(ends[1]);
	if (rc == 0) {
		c->fd = ends[0];
	} else {
		close(ends[0]);
		c->pid = 0;
	}
	return rc;
}

// It has closed its output, which it does when it ends. Returns 0 or -EINVAL.
static int
finish(struct compile *c)
{
	int status = 0;

	close(c->fd);
	c->fd = -1;
	waitpid(c->pid, &status, 0);
	c->pid = 0;
	if (WIFEXITED(status) && c->text != NULL)
		return WEXITSTATUS(status) == EXIT_OK ? 0 : -EINVAL;
	free(c->text);
	c->text = memory_format("the filter cannot be compiled within %d seconds: write addresses "
				"instead of names",
				COMPILE_SECONDS);
	return -EINVAL;
}

int
compile_turn(struct compile *c)
{
	char bytes[COMPILE_READ_BYTES];
	ssize_t got = read(c->fd, bytes, sizeof(bytes));

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (got <= 0)
		return finish(c);
	c->text = memory_resize(c->text, c->length + (size_t)got + 1, 1, "bytes of a filter");
	memcpy(c->text + c->length, bytes, (size_t)got);
	c->length += (size_t)got;
	c->text[c->length] = '\0';
	return -EAGAIN;
}

void
compile_stop(struct compile *c)
{
	if (c->pid != 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		close(c->fd);
	}
	free(c->text);
	*c = (struct compile){.fd = -1};
}
