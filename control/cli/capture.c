// SPDX-License-Identifier: BSD-3-Clause
// roost capture: the packets of ports of a live fabric, or all that it drops, as lines or a file.
#include "cli.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/io/capture/blocks.h"
#include "control/io/capture/filter.h"
#include "control/io/capture/packet_json.h"
#include "control/show/show_view.h"
#include "dataplane/base/drop.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPTURE_PATIENCE_MS 10000 // for an answer, and at the end for more blocks
#define NS_PER_S UINT64_C(1000000000)
#define SNAP_LINES 128 // bytes that a line is made of

struct capture_run {
	const char *title;
	FILE *file; // NULL: lines
	const char *path;
	bool json;
	bool drops; // only what was dropped
	struct blocks *blocks;
	uint64_t packets, lost, seen;
	bool ended; // the fabric has sent all
};

static volatile sig_atomic_t interrupted;

static void
note_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

// ---- lines --------------------------------------------------------------------------------------

// The value of "name=value" in a comment, up to a blank or, of the last one, the end; or NULL.
static json_t *
comment_word(const char *comment, const char *name, bool last)
{
	const size_t length = strlen(name);
	const char *at = comment;

	while ((at = strstr(at, name)) != NULL) {
		if ((at == comment || at[-1] == ' ') && at[length] == '=') {
			at += length + 1;
			return json_stringn(at, last ? strlen(at) : strcspn(at, " "));
		}
		at += length;
	}
	return NULL;
}

static void
add_drop(json_t *to, const char *comment)
{
	static const char *const numbers[] = {"priority", "depth"};

	json_object_set_new(to, "reason", comment_word(comment, "reason", false));
	json_object_set_new(to, "in_port", comment_word(comment, "port", false));
	for (unsigned i = 0; i < 2; i++) {
		json_t *word = comment_word(comment, numbers[i], false);

		if (word != NULL)
			json_object_set_new(
				to, i == 0 ? "priority" : "depth_bytes",
				json_integer(strtoll(json_string_value(word), NULL, 10)));
		json_decref(word);
	}
	if (strstr(comment, " queue=") != NULL)
		json_object_set_new(to, "queue", comment_word(comment, "queue", false));
	json_object_set_new(to, "advice", comment_word(comment, "advice", true));
}

static json_t *
packet_object(const struct block *b)
{
	static const char *const directions[] = {"drop", "rx", "tx", "?"};
	json_t *packet = json_pack("{s:I, s:s, s:s, s:I}", "at_ns", (json_int_t)b->at_ns, "port",
				   b->interface, "direction", directions[b->direction & 3], "bytes",
				   (json_int_t)b->orig_len);

	(b->infiniband ? packet_json_add_infiniband : packet_json_add)(packet, b->data,
								       b->data_len);
	if (b->comment[0] != '\0')
		add_drop(packet, b->comment);
	return packet;
}

static void
print_quanta(const json_t *quanta)
{
	const char *priority;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)quanta, priority, value)
		printf(" %s:%" JSON_INTEGER_FORMAT, priority, json_integer_value(value));
}

static void
print_end(const json_t *p, const char *address, const char *port)
{
	const char *text = show_string(p, address);

	if (json_object_get(p, port) == NULL)
		printf("%s", text);
	else
		printf(strchr(text, ':') != NULL ? "[%s]:%" PRIu64 : "%s:%" PRIu64, text,
		       show_number(p, port));
}

static void
print_packet(const json_t *p)
{
	const uint64_t at_ns = show_number(p, "at_ns");

	printf("%" PRIu64 ".%09" PRIu64 " %s %s ", at_ns / NS_PER_S, at_ns % NS_PER_S,
	       show_string(p, "port"), show_string(p, "direction"));
	print_end(p, "src", "sport");
	printf(" > ");
	print_end(p, "dst", "dport");
	printf(" %s", show_string(p, "protocol"));
	if (json_object_get(p, "opcode") != NULL)
		printf(" %s qp %" PRIu64 " psn %" PRIu64, show_string(p, "opcode"),
		       show_number(p, "qp"), show_number(p, "psn"));
	if (json_object_get(p, "sl") != NULL)
		printf(" sl %" PRIu64 " vl %" PRIu64 " pkey 0x%04" PRIx64, show_number(p, "sl"),
		       show_number(p, "vl"), show_number(p, "pkey"));
	print_quanta(json_object_get(p, "quanta"));
	if (json_object_get(p, "dscp") != NULL)
		printf(" dscp %" PRIu64 " ecn %" PRIu64, show_number(p, "dscp"),
		       show_number(p, "ecn"));
	if (json_object_get(p, "vni") != NULL)
		printf(" vni %" PRIu64, show_number(p, "vni"));
	if (json_object_get(p, "vlan") != NULL)
		printf(" vlan %" PRIu64, show_number(p, "vlan"));
	printf(" %" PRIu64 " bytes", show_number(p, "bytes"));
	if (json_object_get(p, "reason") != NULL) {
		printf(" dropped: %s, came in by %s", show_string(p, "reason"),
		       show_string(p, "in_port"));
		if (json_object_get(p, "queue") != NULL)
			printf(", %s had %" PRIu64 " bytes", show_string(p, "queue"),
			       show_number(p, "depth_bytes"));
		printf(" (%s)", show_string(p, "advice"));
	}
	putchar('\n');
}

static void
take_block(struct capture_run *run, const struct block *b)
{
	if (b->kind == BLOCK_STATISTICS)
		run->seen += b->seen;
	if (b->kind == BLOCK_PACKET && run->file == NULL) {
		json_t *packet = packet_object(b);

		if (run->json) {
			json_dumpf(packet, stdout, JSON_COMPACT);
			putchar('\n');
		} else {
			print_packet(packet);
		}
		json_decref(packet);
	}
}

// ---- what the fabric sends ----------------------------------------------------------------------

static int
fail(const struct capture_run *run, const char *where, int rc)
{
	fprintf(stderr, "%s: %s: %s\n", run->title, where, strerror(-rc));
	return rc;
}

static int
write_blocks(struct capture_run *run, const uint8_t *bytes, size_t count)
{
	if (run->file == NULL)
		return fflush(stdout) == 0 ? 0 : fail(run, "standard output", -errno);
	if (fwrite(bytes, 1, count, run->file) == count && fflush(run->file) == 0)
		return 0;
	// A reader such as Wireshark that has been closed has seen enough.
	return errno == EPIPE ? -EPIPE : fail(run, run->path, -errno);
}

// Returns 0 or -errno, reported unless it is -EPIPE.
static int
take_blocks(struct capture_run *run, const uint8_t *bytes, size_t count)
{
	const uint8_t *at = bytes;
	size_t left = count;
	struct block block;
	int rc = 1;

	while (rc == 1) {
		rc = blocks_next(run->blocks, &at, &left, &block);
		if (rc == 1)
			take_block(run, &block);
	}
	return rc < 0 ? fail(run,
			     "the fabric sent data that is not pcapng; are roost and the fabric of "
			     "the same "
			     "version?",
			     -EPROTO)
		      : write_blocks(run, bytes, count);
}

static int
take_message(struct capture_run *run, const struct api_stream *stream, const json_t *params)
{
	size_t count;
	const uint8_t *bytes = api_stream_bytes(stream, &count);
	int rc = take_blocks(run, bytes, count);

	if (json_is_true(json_object_get(params, "end"))) {
		run->ended = true;
		run->packets = show_number(params, "packets");
		run->lost = show_number(params, "lost");
	}
	return rc;
}

// Until the time is over, the user interrupts, or the fabric ends it.
static int
follow(struct capture_run *run, struct api_stream *stream, int64_t deadline_ms)
{
	bool ending = false;

	for (;;) {
		int64_t left = deadline_ms - clock_ms();
		json_t *params;
		int rc;

		if (!ending && (left <= 0 || interrupted)) {
			ending = true;
			interrupted = 0; // a second interrupt ends it at once
			deadline_ms = clock_ms() + CAPTURE_PATIENCE_MS;
			rc = api_stream_ask(stream, "capture-end");
			if (rc != 0)
				return fail(run, "the fabric", rc);
			continue;
		}
		if (left <= 0)
			return fail(run, "the fabric", -ETIMEDOUT);
		rc = api_stream_next(stream, left > INT32_MAX ? -1 : (int)left, &interrupted,
				     &params);
		if (rc == 0) {
			rc = take_message(run, stream, params);
			if (ending) // what is still in rings comes, however busy the machine is
				deadline_ms = clock_ms() + CAPTURE_PATIENCE_MS;
		}
		json_decref(params);
		if (run->ended || rc == -EPIPE)
			return 0;
		if (rc == -ECONNRESET)
			return fail(run, "the fabric has ended", rc);
		if (rc != 0 && rc != -ETIMEDOUT && (rc != -EINTR || ending))
			return rc;
	}
}

// ---- the command --------------------------------------------------------------------------------

static int
open_file(struct capture_run *run, const struct cli_args *args)
{
	run->path = cli_text(args, "write");
	if (run->path == NULL)
		return 0;
	if (strcmp(run->path, "-") == 0) {
		run->file = stdout;
		run->path = "standard output";
		return 0;
	}
	run->file = fopen(run->path, "wbe");
	return run->file != NULL ? 0 : fail(run, run->path, -errno);
}

static json_t *
make_params(const struct cli_args *args, const char *program)
{
	json_t *params = json_pack("{s:b, s:I, s:s*}", "raw", 1, "count",
				   (json_int_t)cli_number(args, "count", 0), "filter", program);
	json_t *ports = json_array();

	for (unsigned i = 0; i < args->count; i++)
		json_array_append_new(ports, json_string(args->words[i]));
	if (args->count != 0)
		json_object_set(params, "ports", ports);
	json_decref(ports);
	if (cli_given(args, "drops"))
		json_object_set_new(params, "drops", json_true());
	if (cli_given(args, "direction"))
		json_object_set_new(params, "direction", json_string(cli_text(args, "direction")));
	// Wireshark calls RoCE packets malformed that are cut.
	json_object_set_new(params, "snap",
			    json_integer((json_int_t)cli_number(
				    args, "snap", cli_given(args, "write") ? 0 : SNAP_LINES)));
	return params;
}

static int
check(const struct cli_args *args)
{
	const bool drops = cli_given(args, "drops");

	if (args->count == 0 && !drops)
		return cli_usage(args->title, "name a port such as leaf1.swp3, or give --drops");
	if (drops && cli_given(args, "direction"))
		return cli_usage(args->title, "--drops takes no --direction");
	if (cli_given(args, "write") && cli_wants_json(args))
		return cli_usage(args->title, "--write takes no --output json");
	return EXIT_OK;
}

static void
print_summary(const struct capture_run *run)
{
	fprintf(stderr, "%s: %" PRIu64 " packet%s captured, %" PRIu64 " %s", run->title,
		run->packets, run->packets == 1 ? "" : "s", run->seen,
		run->drops ? "dropped" : "passed the ports");
	if (run->lost != 0)
		fprintf(stderr,
			"; %" PRIu64
			" lost, because they arrived faster than they could be read: use "
			"--direction or a smaller --snap, or raise live.capture-memory",
			run->lost);
	fputc('\n', stderr);
}

static int
run_capture(const struct cli_args *args, const char *path, const char *program)
{
	struct capture_run run = {.title = args->title,
				  .json = cli_wants_json(args),
				  .drops = cli_given(args, "drops")};
	const uint64_t limit_ms = cli_number(args, "for", 0) * 1000;
	struct api_call call = {path, "capture", .timeout_ms = CAPTURE_PATIENCE_MS};
	struct sigaction action = {.sa_handler = note_interrupt};
	struct api_stream *stream;
	struct diag diag = {0};
	json_t *params = make_params(args, program), *result;
	int rc;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	call.params = params;
	rc = api_stream_open(&stream, &call, &result, &diag);
	json_decref(params);
	if (rc != 0) {
		fprintf(stderr, "%s: %s\n", args->title, diag_first_error(&diag));
		diag_free(&diag);
		return rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	json_decref(result);
	run.blocks = blocks_create();
	rc = open_file(&run, args);
	if (rc == 0)
		rc = follow(&run, stream,
			    limit_ms != 0 ? clock_ms() + (int64_t)limit_ms : INT64_MAX);
	api_stream_close(stream);
	blocks_destroy(run.blocks);
	if (run.file != NULL && run.file != stdout && fclose(run.file) != 0 && rc == 0)
		rc = fail(&run, run.path, -errno);
	if (run.ended)
		print_summary(&run);
	return rc == 0 ? EXIT_OK : EXIT_FAILED;
}

static int
capture(const struct cli_args *args)
{
	const char *filter = cli_text(args, "filter");
	char path[API_PATH_MAX], *program = NULL;
	struct diag diag = {0};
	int status = check(args);

	if (status == EXIT_OK && filter != NULL && filter_compile(filter, &program, &diag) != 0)
		status = cli_usage(args->title, "%s", diag_first_error(&diag));
	diag_free(&diag);
	if (status == EXIT_OK)
		status = cli_find_fabric(args, path);
	if (status == EXIT_OK)
		status = run_capture(args, path, program);
	free(program);
	return status;
}

const struct cli_command command_capture = {
	.name = "capture",
	.help = "capture packets at ports of a live fabric, or all packets that it drops",
	.details =
		"A port is leaf1.swp3, h1.eth1, leaf1 for all ports of a node, or\n"
		"leaf1-spine1 for the lower end of that link. Without --write, prints a line for\n"
		"each packet. `--write -` writes to standard output, as in\n"
		"`roost capture leaf1.swp3 -w - | wireshark -k -i -`. FILTER is an expression as\n"
		"for tcpdump (pcap-filter(7)). The capture ends after --count packets, after\n"
		"--for, on Ctrl-C, or when the fabric goes down.\n",
	.forms = {{{{CLI_PORT, .optional = true, .repeated = true}}}},
	.options =
		{
			{.name = "direction",
			 .kind = CLI_LITERAL,
			 .value = "rx|tx|both",
			 .help = "what the ports receive, or what they send (default: both)"},
			{.name = "drops",
			 .kind = CLI_FLAG,
			 .help = "only dropped packets, of these ports or of the whole fabric"},
			{.name = "filter",
			 .kind = CLI_TEXT,
			 .value = "FILTER",
			 .help = "only packets that match: 'udp port 4791'"},
			{.name = "count",
			 .letter = 'c',
			 .kind = CLI_NUMBER,
			 .range = {1, INT64_MAX},
			 .help = "end after N packets"},
			{.name = "for", .kind = CLI_SECONDS, .help = "end after this time"},
			{.name = "snap",
			 .letter = 's',
			 .kind = CLI_NUMBER,
			 .range = {14, 16000},
			 .help = "keep N bytes of each packet (default: all, or 128 for lines)"},
			{.name = "write",
			 .letter = 'w',
			 .kind = CLI_FILE,
			 .help = "write a pcapng file (-: standard output)"},
			CLI_OUTPUT_OPTION,
			CLI_FABRIC_OPTION,
		},
	.run = capture,
};
