// SPDX-License-Identifier: BSD-3-Clause
// gnuplot runs as a child: the script is its standard input, the drawing its standard output, both
// files in memory, so that no path and no shell comes into it and neither side waits for the other.
#include "plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNTITLED "<title>Gnuplot</title>"

extern char **environ;

struct streams {
	int in, out, err;
};

static int
write_all(int fd, const char *text, size_t bytes)
{
	while (bytes != 0) {
		ssize_t done = write(fd, text, bytes);

		if (done < 0)
			return -errno;
		text += done;
		bytes -= (size_t)done;
	}
	return lseek(fd, 0, SEEK_SET) == 0 ? 0 : -errno;
}

static int
open_streams(struct streams *s, const struct plot_chart *chart)
{
	s->in = memfd_create("script", MFD_CLOEXEC);
	s->out = memfd_create("drawing", MFD_CLOEXEC);
	s->err = memfd_create("messages", MFD_CLOEXEC);
	if (s->in < 0 || s->out < 0 || s->err < 0)
		return -errno;
	return write_all(s->in, chart->script, chart->script_bytes);
}

static void
close_streams(const struct streams *s)
{
	close(s->in);
	close(s->out);
	close(s->err);
}

static int
spawn(const struct streams *s, pid_t *child)
{
	char *const argv[] = {"gnuplot", "--default-settings", NULL};
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return -rc;
	rc = posix_spawn_file_actions_adddup2(&actions, s->in, STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, s->out, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, s->err, STDERR_FILENO);
	if (rc == 0)
		rc = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

// A file in memory as text, for free().
static char *
read_back(int fd, size_t *bytes)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st) != 0 || (text = malloc((size_t)st.st_size + 1)) == NULL)
		return NULL;
	*bytes = 0;
	while (*bytes < (size_t)st.st_size) {
		ssize_t got = pread(fd, text + *bytes, (size_t)st.st_size - *bytes, (off_t)*bytes);

		if (got <= 0)
			break;
		*bytes += (size_t)got;
	}
	text[*bytes] = '\0';
	return text;
}

// What gnuplot complained of: its last line, without where in the script.
static int
complain(const struct plot_chart *chart, int messages, int status, char err[static PLOT_ERR_BYTES])
{
	size_t bytes = 0;
	char *text = read_back(messages, &bytes), *rest = text, *last = text, *line;

	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0' && *line != ' ')
			last = line;
	if (WIFSIGNALED(status))
		snprintf(err, PLOT_ERR_BYTES, "%s: gnuplot was ended by signal %d", chart->file,
			 WTERMSIG(status));
	else
		snprintf(err, PLOT_ERR_BYTES, "%s: gnuplot failed: %.300s", chart->file,
			 last != NULL ? last : "");
	free(text);
	return -EIO;
}

static void
put_escaped(FILE *to, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '&')
			fputs("&amp;", to);
		else if (*text == '<')
			fputs("&lt;", to);
		else
			fputc(*text, to);
	}
}

// gnuplot gives every drawing its own name for a title, and no ground.
static int
finish(const struct plot_chart *chart, char *drawing, char **svg, size_t *bytes)
{
	char *at = strstr(drawing, UNTITLED);
	FILE *to;

	if (at == NULL || strstr(at, "</svg>") == NULL)
		return -EIO;
	to = open_memstream(svg, bytes);
	if (to == NULL)
		return -ENOMEM;
	fwrite(drawing, 1, (size_t)(at - drawing), to);
	fputs("<title>", to);
	put_escaped(to, chart->title);
	fprintf(to, "</title>\n<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>", chart->width,
		chart->height);
	fputs(at + strlen(UNTITLED), to);
	if (fclose(to) == 0)
		return 0;
	free(*svg);
	return -ENOMEM;
}

static int
collect(const struct plot_chart *chart, const struct streams *s, int status, char **svg,
	size_t *bytes, char err[static PLOT_ERR_BYTES])
{
	char *drawing;
	size_t drawn;
	int rc;

	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return complain(chart, s->err, status, err);
	drawing = read_back(s->out, &drawn);
	rc = drawing != NULL ? finish(chart, drawing, svg, bytes) : -ENOMEM;
	free(drawing);
	if (rc == -EIO)
		return complain(chart, s->err, status, err);
	return rc;
}

int
plot_render(const struct plot_chart *chart, char **svg, size_t *bytes,
	    char err[static PLOT_ERR_BYTES])
{
	struct streams s;
	int status, rc = open_streams(&s, chart);
	pid_t child;

	if (rc == 0)
		rc = spawn(&s, &child);
	if (rc == -ENOENT)
		snprintf(err, PLOT_ERR_BYTES,
			 "gnuplot draws, and is not installed: apt-get install gnuplot-nox");
	else if (rc != 0)
		snprintf(err, PLOT_ERR_BYTES, "gnuplot: %s", strerror(-rc));
	if (rc == 0) {
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		rc = collect(chart, &s, status, svg, bytes, err);
		if (rc == -ENOMEM)
			snprintf(err, PLOT_ERR_BYTES, "%s: %s", chart->file, strerror(ENOMEM));
	}
	close_streams(&s);
	return rc;
}
