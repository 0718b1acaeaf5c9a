// SPDX-License-Identifier: BSD-3-Clause
// `roost plot`: everything is read and drawn before the first drawing is put in its place, so that
// what is wrong with a directory leaves it as it was. Of one directory all that is there is drawn;
// of several, what can be laid over each other: the distributions, a curve a directory.
#include "plot.h"

#include "control/cli/cli.h"
#include "control/base/directory.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int (*const makers[])(struct plot_input *, struct plot_chart *, const char **) = {
	plot_make_completion, plot_make_uplinks, plot_make_queues, plot_make_rates,
	plot_make_links,      plot_make_pauses,  plot_make_pools,
};

struct drawing {
	struct plot_chart chart;
	char *svg;
	size_t bytes;
	char temporary[PATH_MAX]; // written, not yet in its place
};

struct plot {
	struct plot_input in; // the directory being read
	char **dirs;
	unsigned int dir_count;
	const char *out;
	struct drawing drawings[PLOT_CHARTS_MAX];
	unsigned int count;
	const char *missing[PLOT_CHARTS_MAX]; // why there is no drawing of something
	unsigned int missing_count;
};

static int
read_result(struct plot *p, const char *dir)
{
	json_decref(p->in.result);
	p->in.result = NULL;
	p->in.dir = dir;
	return plot_read_result(&p->in);
}

static void
take_charts(struct plot *p, const struct plot_chart charts[2])
{
	for (int k = 0; k < 2; k++)
		if (charts[k].script != NULL)
			p->drawings[p->count++].chart = charts[k];
}

static int
make_together(struct plot *p)
{
	struct plot_completion c = {.times = {.count = 0}};
	struct plot_chart charts[2] = {{.file = NULL}};
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < p->dir_count; i++) {
		rc = read_result(p, p->dirs[i]);
		if (rc == 0)
			rc = plot_completion_add(&c, &p->in, p->dirs[i]);
	}
	if (rc == 0)
		rc = plot_completion_make(&c, charts);
	if (rc == 0)
		p->missing[p->missing_count++] = PLOT_NO_COMPLETION;
	take_charts(p, charts);
	plot_completion_free(&c);
	return rc < 0 ? rc : 0;
}

static int
make_charts(struct plot *p)
{
	struct plot_chart charts[2];
	int rc = read_result(p, p->dirs[0]);

	for (size_t i = 0; rc >= 0 && i < sizeof(makers) / sizeof(*makers); i++) {
		const char *why = NULL;

		memset(charts, 0, sizeof(charts));
		rc = makers[i](&p->in, charts, &why);
		if (rc == 0)
			p->missing[p->missing_count++] = why;
		take_charts(p, charts);
	}
	return rc < 0 ? rc : 0;
}

static int
render_charts(struct plot *p)
{
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < p->count; i++)
		rc = plot_render(&p->drawings[i].chart, &p->drawings[i].svg, &p->drawings[i].bytes,
				 p->in.err);
	return rc;
}

// mkstemp() makes files that nobody else may read.
static void
open_to_others(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask) != 0)
		return;
}

static int
write_drawing(struct plot *p, struct drawing *d)
{
	FILE *to;
	int fd, rc = 0;

	snprintf(d->temporary, sizeof(d->temporary), "%s/.%s.XXXXXX", p->out, d->chart.file);
	fd = mkstemp(d->temporary);
	if (fd < 0) {
		rc = -errno;
		d->temporary[0] = '\0';
		snprintf(p->in.err, PLOT_ERR_BYTES, "%.400s: %s", p->out, strerror(-rc));
		return rc;
	}
	open_to_others(fd);
	to = fdopen(fd, "w");
	errno = 0;
	if (to == NULL || fwrite(d->svg, 1, d->bytes, to) != d->bytes || fflush(to) != 0)
		rc = errno != 0 ? -errno : -EIO;
	if ((to != NULL ? fclose(to) : close(fd)) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0)
		snprintf(p->in.err, PLOT_ERR_BYTES, "%.400s/%s: %s", p->out, d->chart.file,
			 strerror(-rc));
	return rc;
}

static int
place_drawing(struct plot *p, struct drawing *d)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", p->out, d->chart.file);
	if (rename(d->temporary, path) != 0) {
		int rc = -errno;

		snprintf(p->in.err, PLOT_ERR_BYTES, "%.400s: %s", path, strerror(-rc));
		return rc;
	}
	d->temporary[0] = '\0';
	printf("%s\n", path);
	return 0;
}

static int
write_drawings(struct plot *p)
{
	bool there = access(p->out, F_OK) == 0;
	int rc = directory_make(p->out, p->in.err, PLOT_ERR_BYTES);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < p->count; i++)
		rc = write_drawing(p, &p->drawings[i]);
	for (unsigned int i = 0; rc == 0 && i < p->count; i++)
		rc = place_drawing(p, &p->drawings[i]);
	for (unsigned int i = 0; i < p->count; i++)
		if (p->drawings[i].temporary[0] != '\0')
			unlink(p->drawings[i].temporary);
	if (rc != 0 && !there)
		rmdir(p->out);
	return rc;
}

static int
plot_all(struct plot *p)
{
	int rc = p->dir_count > 1 ? make_together(p) : make_charts(p);

	if (rc == -EINVAL || rc == -ENOMEM) {
		fprintf(stderr, "roost plot: %s\n", rc == -EINVAL ? p->in.err : strerror(-rc));
		return rc == -EINVAL ? CLI_USAGE : CLI_FAILED;
	}
	rc = render_charts(p);
	if (rc == 0)
		rc = write_drawings(p);
	if (rc != 0)
		fprintf(stderr, "roost plot: %s\n", p->in.err);
	for (unsigned int i = 0; rc == 0 && i < p->missing_count; i++)
		fprintf(stderr, "roost plot: no drawing of %s\n", p->missing[i]);
	return rc == 0 ? CLI_OK : CLI_FAILED;
}

// Returns -1 when all is well.
static int
take_directories(struct plot *p, int count, char **dirs)
{
	if (count < 1)
		return cli_usage("roost plot", "needs a directory");
	if (count > PLOT_CURVES_MAX)
		return cli_usage("roost plot", "draws 12 directories together at most");
	if (count > 1 && p->out == NULL)
		return cli_usage("roost plot", "needs -o DIR for drawings of several directories");
	p->dirs = dirs;
	p->dir_count = (unsigned int)count;
	if (p->out == NULL)
		p->out = dirs[0];
	return -1;
}

int
cmd_plot(int argc, char **argv)
{
	static const struct option options[] = {{"out", required_argument, NULL, 'o'},
						{NULL, 0, NULL, 0}};
	struct plot *p = calloc(1, sizeof(*p));
	int option, status;

	if (p == NULL)
		return CLI_FAILED;
	status = -1;
	while (status == -1 && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (option == 'o')
			p->out = optarg;
		else
			status = cli_usage_hint("roost plot");
	}
	if (status == -1)
		status = take_directories(p, argc - optind, argv + optind);
	if (status == -1)
		status = plot_all(p);
	for (unsigned int i = 0; i < p->count; i++) {
		free(p->drawings[i].svg);
		free(p->drawings[i].chart.script);
	}
	json_decref(p->in.result);
	free(p);
	return status;
}
