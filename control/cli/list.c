// SPDX-License-Identifier: BSD-3-Clause
// roost list: the fabrics of this machine that are up and that the caller may ask.
#include "cli.h"

#include "control/base/text_table.h"
#include "control/show/show_view.h"

#include <time.h>

#define LIST_PATIENCE_MS 2000

// Its state, or why it does not say.
static void
add_fabric(void *context, const char *name, const char *path)
{
	const struct api_call call = {path, "status", .timeout_ms = LIST_PATIENCE_MS};
	struct diag diag = {0};
	json_t *state;

	if (api_call(&call, &state, &diag) != 0)
		state = json_pack("{s:s,s:o}", "name", name, "error",
				  api_text(diag_first_error(&diag)));
	json_object_set_new(state, "socket", api_text(path));
	json_array_append_new(context, state);
	diag_free(&diag);
}

static const char *
since_text(const json_t *fabric, char text[static 32])
{
	time_t since = (time_t)show_number(fabric, "since");
	struct tm local;

	if (localtime_r(&since, &local) == NULL ||
	    strftime(text, 32, "%Y-%m-%d %H:%M:%S", &local) == 0)
		text[0] = '\0';
	return text;
}

static void
add_row(struct text_table *t, const json_t *fabric)
{
	char since[32];

	text_table_cell(t, "%s", show_string(fabric, "name"));
	if (json_object_get(fabric, "error") != NULL) {
		for (int i = 0; i < 5; i++)
			text_table_cell(t, "-");
		text_table_cell(t, "does not answer: %s", show_string(fabric, "error"));
	} else {
		text_table_cell(t, "%s", since_text(fabric, since));
		text_table_cell(t, "%ju", (uintmax_t)show_number(fabric, "switches"));
		text_table_cell(t, "%ju", (uintmax_t)show_number(fabric, "hosts"));
		text_table_cell(t, "%ju", (uintmax_t)show_number(fabric, "attached"));
		text_table_cell(t, "%ju", (uintmax_t)show_number(fabric, "pid"));
		text_table_cell(t, "%s", show_string(fabric, "file"));
	}
	text_table_cell(t, "%s", show_string(fabric, "socket"));
}

static void
print_fabrics(const json_t *fabrics)
{
	static const struct text_column columns[] = {
		{"fabric", TEXT_LEFT}, {"since", TEXT_LEFT},     {"switches", TEXT_RIGHT},
		{"hosts", TEXT_RIGHT}, {"attached", TEXT_RIGHT}, {"pid", TEXT_RIGHT},
		{"file", TEXT_LEFT},   {"socket", TEXT_LEFT},
	};
	struct text_table *t = text_table_create(columns, sizeof(columns) / sizeof(columns[0]));
	json_t *fabric;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)fabrics, i, fabric) add_row(t, fabric);
	text_table_print(t, "", stdout);
	text_table_destroy(t);
}

static int
list(const struct cli_args *args)
{
	json_t *fabrics = json_array();

	api_socket_each(add_fabric, fabrics);
	if (cli_wants_json(args))
		cli_print_json(fabrics);
	else if (json_array_size(fabrics) == 0)
		puts("no fabric is up");
	else
		print_fabrics(fabrics);
	json_decref(fabrics);
	return EXIT_OK;
}

const struct cli_command command_list = {
	.name = "list",
	.help = "list the fabrics that are up",
	.details = "Lists your own fabrics, and those of root that you may read.\n",
	.options = {CLI_OUTPUT_OPTION},
	.run = list,
};
