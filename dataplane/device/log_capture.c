// SPDX-License-Identifier: BSD-3-Clause
#include "log_capture.h"

#include <bpf/libbpf.h>
#include <rte_log.h>
#include <xdp/libxdp.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *print_stream; // control: rw; where libbpf and libxdp write, NULL: nowhere

static int
log_capture_print_bpf(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || print_stream == NULL)
		return 0;
	return vfprintf(print_stream, format, args);
}

static int
log_capture_print_xdp(enum libxdp_print_level level, const char *format, va_list args)
{
	if (level != LIBXDP_WARN || print_stream == NULL)
		return 0;
	return vfprintf(print_stream, format, args);
}

void
log_capture_begin(struct log_capture *capture)
{
	memset(capture, 0, sizeof(*capture));
	capture->stream = open_memstream(&capture->text, &capture->bytes);
	// Never back to NULL, which is DPDK's own stream: it writes to syslog too.
	rte_openlog_stream(capture->stream != NULL ? capture->stream : stderr);
	print_stream = capture->stream;
	libbpf_set_print(log_capture_print_bpf);
	libxdp_set_print(log_capture_print_xdp);
}

// "EAL: Cannot ..." and "eth_x(): Couldn't ..." are for those who read the libraries' code.
static const char *
log_capture_strip(char *line)
{
	char *cut = strstr(line, "(): ");

	if (cut != NULL)
		return cut + 4;
	if (strncmp(line, "EAL: ", 5) == 0)
		return line + 5;
	return line;
}

const char *
log_capture_end(struct log_capture *capture)
{
	char *first = NULL;
	char *next;

	rte_openlog_stream(stderr);
	print_stream = stderr;
	if (capture->stream == NULL)
		return "";
	fclose(capture->stream);
	capture->stream = NULL;
	for (char *line = capture->text; line != NULL && *line != '\0'; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (first == NULL)
			first = line;
		if (strncmp(line, "libbpf: ", 8) != 0 && strncmp(line, "libxdp: ", 8) != 0)
			return log_capture_strip(line);
	}
	return first != NULL ? first : "";
}

void
log_capture_free(struct log_capture *capture)
{
	free(capture->text);
	capture->text = NULL;
}
