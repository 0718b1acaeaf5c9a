// SPDX-License-Identifier: BSD-3-Clause
// Only files of these names are ever opened. One that a sim is still writing is sent as far as it
// is there.
#include "web_internal.h"

#include "control/base/memory.h"
#include "range.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_FILM "film"

struct result_file {
	const char *name, *type;
};

static const struct result_file results[] = {
	{"result.json", RESPOND_JSON},
	{"counters.json", RESPOND_JSON},
	{"counters.csv", "text/csv; charset=utf-8"},
	{"flows.csv", "text/csv; charset=utf-8"},
	{"links.csv", "text/csv; charset=utf-8"},
};

// Opens a regular file of a directory. Returns a descriptor, or -errno.
static int
open_file(const char *directory, const char *name, const char *ending, uint64_t *size)
{
	char *path = memory_format("%s/%s%s", directory, name, ending);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc = fd >= 0 ? 0 : -errno;
	struct stat found;

	free(path);
	if (rc == 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))) {
		close(fd);
		return -ENOENT;
	}
	if (rc == 0)
		*size = (uint64_t)found.st_size;
	return rc == 0 ? fd : rc;
}

json_t *
film_list(const struct web_options *o)
{
	json_t *out = json_array();

	for (char *const *film = o->films; film != NULL && *film != NULL; film++) {
		uint64_t size;
		int fd = open_file(*film, FILES_FILM, "", &size);
		json_t *name = json_string(*film);

		json_array_append_new(
			out,
			json_pack("{s:o,s:o}", "name", name != NULL ? name : json_string("?"),
				  "size", fd >= 0 ? json_integer((json_int_t)size) : json_null()));
		if (fd >= 0)
			close(fd);
	}
	return out;
}

// Takes the descriptor.
static enum MHD_Result
send_file(struct MHD_Connection *c, int fd, uint64_t size, const struct result_file *file,
	  bool gzip)
{
	const struct range part = range_parse(request_header(c, MHD_HTTP_HEADER_RANGE), size);
	struct MHD_Response *response;
	char text[80];

	if (part.kind == RANGE_NONE) {
		close(fd);
		response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
		snprintf(text, sizeof(text), "bytes */%" PRIu64, size);
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_RANGE, text);
		return respond(c, MHD_HTTP_RANGE_NOT_SATISFIABLE, response);
	}
	response = MHD_create_response_from_fd_at_offset64(part.length, fd, part.first);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, file->type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
	if (gzip)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (part.kind == RANGE_ALL)
		return respond(c, MHD_HTTP_OK, response);
	snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, part.first,
		 part.first + part.length - 1, size);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_RANGE, text);
	return respond(c, MHD_HTTP_PARTIAL_CONTENT, response);
}

// The directory that a place begins with, "0/result.json", or NULL; *rest: what stands behind.
static const char *
find_directory(const struct web_options *o, const char *place, const char **rest)
{
	size_t digits = strspn(place, "0123456789"), count = 0, number;

	while (o->films != NULL && o->films[count] != NULL)
		count++;
	if (digits == 0 || digits > 4)
		return NULL;
	number = strtoul(place, NULL, 10);
	*rest = place + digits;
	return number < count ? o->films[number] : NULL;
}

enum MHD_Result
film_answer(struct request *r, const char *url)
{
	static const struct result_file film = {FILES_FILM, "application/octet-stream"};
	const char *rest, *directory = find_directory(r->web->options, url, &rest);
	uint64_t size;
	int fd = directory != NULL && *rest == '\0' ? open_file(directory, FILES_FILM, "", &size)
						    : -ENOENT;

	if (fd < 0)
		return respond_error(r->connection, MHD_HTTP_NOT_FOUND, "there is no such film");
	return send_file(r->connection, fd, size, &film, false);
}

enum MHD_Result
result_answer(struct request *r, const char *url)
{
	const char *rest, *directory = find_directory(r->web->options, url, &rest);
	const struct result_file *file = NULL;
	uint64_t size;
	int fd;

	for (size_t i = 0; directory != NULL && i < sizeof(results) / sizeof(*results); i++)
		if (*rest == '/' && strcmp(rest + 1, results[i].name) == 0)
			file = &results[i];
	if (file == NULL)
		return respond_error(r->connection, MHD_HTTP_NOT_FOUND, "there is no such file");
	fd = open_file(directory, file->name, "", &size);
	if (fd >= 0)
		return send_file(r->connection, fd, size, file, false);
	fd = open_file(directory, file->name, ".gz", &size); // sim --gzip
	if (fd >= 0)
		return send_file(r->connection, fd, size, file, true);
	return respond_error(r->connection, MHD_HTTP_NOT_FOUND, strerror(-fd));
}
