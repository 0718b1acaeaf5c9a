// SPDX-License-Identifier: BSD-3-Clause
// A view is one word of `roost show`, in a file of its own: what it collects, in the process of the
// fabric, and how the command prints that. The table in show.c lists them; usage, completion and
// the description of the API derive from it.
#pragma once

#include "control/base/text_table.h"
#include "show.h"

// A question as the API's method "show" takes it.
struct show_question {
	const char *what;
	const char *port; // or a node; NULL: all
	const char *vrf;  // NULL: all
	const char *view; // NULL: the usual one
};

// Adds an answer to `to`. Returns false when what the question names does not exist.
typedef bool show_collect_fn(const struct show_state *s, const struct show_question *q, json_t *to);
typedef void show_print_fn(const json_t *answer, FILE *to);

struct show_view {
	const char *name;      // the word
	const char *view;      // NULL: the usual one
	const char *arguments; // behind the word: "[NODE] [vrf VRF]"
	const char *help;
	const char *of;           // what show_question.port may name, as a refusal says it
	unsigned int needs;       // enum show_needs
	show_collect_fn *collect; // NULL: the same answer as the usual view, printed otherwise
	const struct show_table *tables; // printed one after the other, ended by one without rows
	show_print_fn *print;            // instead of tables
};

// All views; those of one word follow each other, the usual one first.
const struct show_view *const *show_views(size_t *count);
// NULL: there is none.
const struct show_view *show_find_view(const char *name, const char *view);

// ---- tables ------------------------------------------------------------------------------------

#define SHOW_DEPTH_MAX 4  // stars of a path
#define SHOW_NAME_MAX 128 // "leaf1.swp3"

// A place in an answer that the path of a table leads to.
struct show_row {
	const char *names[SHOW_DEPTH_MAX]; // of what each `*` stands for: a key, or an index
	const json_t *members[SHOW_DEPTH_MAX];
	char indices[SHOW_DEPTH_MAX][24];
	unsigned int depth;
	const json_t *value; // where the path ends
};

// What is missing, or of another type, counts as 0 or as an empty text: an answer comes from
// another process.
enum show_format {
	SHOW_TEXT,  // to the left, all others to the right
	SHOW_NAME,  // "1": the name of the first `*`; "12": of the first and second: "leaf1.swp3"
	SHOW_INDEX, // the same to the right
	SHOW_COUNT,
	SHOW_BYTES,
	SHOW_RATE,     // 0: "device", which a port without a rate of its own is as fast as
	SHOW_DURATION, // of ns
	SHOW_US,       // of ns, with nothing rounded: "1342.156"
	SHOW_INSTANT,  // the same; "-" where there was none (-1)
	SHOW_SUM,      // of an object's members
};

struct show_column {
	const char *heading; // NULL ends a list of columns
	// A path from the row's value: "watchdog/poll_ns". "@2/netdev" starts at what the second
	// `*` stands for, and "@3" within a path is the name of the third.
	const char *key;
	enum show_format format;
	void (*cell)(struct text_table *t, const struct show_row *row); // instead of a format
};

struct show_table {
	const char *rows;  // a path: "nodes/*/ports/*"; "": what is printed itself
	const char *title; // above it
	const char *empty; // instead of a table without rows; NULL: nothing
	const struct show_column *columns;
	bool (*skip)(const struct show_row *row); // rows to leave out; NULL: none
	// Adds any number of rows for each that the path leads to; NULL: one, of the columns.
	void (*add)(struct text_table *t, const struct show_row *row);
};

// Prints a table of `of` behind `before`, each line behind `indent`. Returns whether it printed
// anything.
bool show_print_table(const struct show_table *table, const json_t *of, const char *before,
		      const char *indent, FILE *to);
// Adds a cell.
void show_cell(struct text_table *t, const struct show_row *row, const char *key,
	       enum show_format format);

// Calls print() for each node, or each port, of an answer, with an empty line between them.
typedef void show_print_part_fn(const char *name, const json_t *part, FILE *to);
void show_print_each(const json_t *answer, bool ports, show_print_part_fn *print, FILE *to);

// ---- values of an answer -----------------------------------------------------------------------

#define SHOW_LIST_MAX 512

uint64_t show_number(const json_t *of, const char *key);
uint64_t show_number_at(const json_t *of, const char *key, size_t index);
const char *show_string(const json_t *of, const char *key);
bool show_flag(const json_t *of, const char *key);

// A set of bits as "0-2,6", or "-" when it is empty; and the numbers of an array in the same form.
const char *show_set(char text[static SHOW_LIST_MAX], uint64_t bits);
const char *show_numbers(char text[static SHOW_LIST_MAX], const json_t *of);

// ---- collecting --------------------------------------------------------------------------------

// The object under a key, made when it is missing.
json_t *show_child(json_t *of, const char *key);
// {"nodes": {NODE: {KEY: ...}}}: the object of a node.
json_t *show_node(json_t *to, const char *node);
// Adds a string, or null.
void show_set_text(json_t *to, const char *key, const char *text);
// Adds "mac".
void show_set_mac(json_t *to, const uint8_t *mac);
// An array of the numbers of the bits that are set.
json_t *show_bit_list(unsigned int bits);

// Whether `filter` means a node: its name, or NULL for any switch.
bool show_node_meant(const struct report_node *n, const char *filter);
// Whether `filter` means a port: NULL, its node, "node.port" or its own name.
bool show_port_meant(const struct report_node *n, unsigned int port, const char *filter);

// The settings of a node, or NULL where it is no switch.
const struct show_switch *show_find_switch(const struct show_state *s, const struct report_node *n);

// {"nodes": {NODE: make(...)}} of the nodes that the question means, unless make() returns NULL.
typedef json_t *show_node_fn(const struct show_state *s, const struct report_node *n);
bool show_each_node(const struct show_state *s, const struct show_question *q, show_node_fn *make,
		    json_t *to);

// {"nodes": {NODE: {"ports": {PORT: make(...)}}}} of the ports that the question means, unless
// make() returns NULL; of NICs too unless `switches`.
typedef json_t *show_port_fn(const struct show_state *s, const struct report_node *n,
			     unsigned int port);
bool show_each_port(const struct show_state *s, const struct show_question *q, bool switches,
		    show_port_fn *make, json_t *to);

// ---- what views share --------------------------------------------------------------------------

// Adds "log", the entries that `filter` means (NULL: all), of queues only or of any kind, and
// "log_lost" (show_log.c).
void show_add_log(const struct show_state *s, const char *filter, bool queues, json_t *to);
// Prints the last `most` entries.
void show_print_log(const json_t *answer, size_t most, FILE *to);
