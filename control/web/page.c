// SPDX-License-Identifier: BSD-3-Clause
// The page's files are built in, compressed. The few clients that cannot read that get them as they
// were.
#include "web_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/embedded.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PAGE_FILE_MAX (8u * 1024 * 1024)

extern const struct embedded_file embedded_page[];

struct page_file {
	const char *name, *type;
};

static const struct page_file types[] = {
	{"index.html", "text/html; charset=utf-8"},
	{"page.js", "text/javascript; charset=utf-8"},
	{"page.css", "text/css; charset=utf-8"},
	{"licenses.txt", RESPOND_TEXT},
};

static const struct embedded_file *
find(const char *name)
{
	for (const struct embedded_file *f = embedded_page; f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

static const char *
type_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return RESPOND_TEXT;
}

static struct MHD_Response *
inflated(const struct embedded_file *f)
{
	unsigned char *text = memory_array(PAGE_FILE_MAX, 1, "bytes of the page");
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)f->text,
		      .avail_in = (unsigned int)f->length,
		      .next_out = text,
		      .avail_out = PAGE_FILE_MAX};

	if (inflateInit2(&z, 15 + 16) == Z_OK) // 16: gzip
		inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return MHD_create_response_from_buffer(z.total_out, text, MHD_RESPMEM_MUST_FREE);
}

static bool
takes_gzip(struct MHD_Connection *connection)
{
	const char *accepts = request_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING);

	return accepts != NULL && strstr(accepts, "gzip") != NULL &&
	       strstr(accepts, "gzip;q=0") == NULL;
}

static struct MHD_Response *
make_response(struct MHD_Connection *connection, const struct embedded_file *f)
{
	struct MHD_Response *response;

	if (!takes_gzip(connection))
		return inflated(f);
	response = MHD_create_response_from_buffer(f->length, (void *)(uintptr_t)f->text,
						   MHD_RESPMEM_PERSISTENT);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return response;
}

enum MHD_Result
page_answer(struct MHD_Connection *connection, const char *name, const char *cookie)
{
	const struct embedded_file *f = find(name);
	const char *known = request_header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH);
	struct MHD_Response *response;
	char tag[32];
	bool same;

	if (f == NULL)
		return respond_error(connection, MHD_HTTP_NOT_FOUND, "no such page");
	snprintf(tag, sizeof(tag), "\"%08lx-%zx\"",
		 crc32(0, (const unsigned char *)f->text, (unsigned int)f->length), f->length);
	same = known != NULL && strstr(known, tag) != NULL && cookie == NULL;
	response = same ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)
			: make_response(connection, f);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type_of(name));
	MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	if (cookie != NULL)
		MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, cookie);
	else // kept by the browser, which asks each time whether it is still the same
		MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
	return respond(connection, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response);
}
