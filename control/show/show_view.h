// SPDX-License-Identifier: BSD-3-Clause
// A view is one word of `roost show`, in a file of its own: what it collects in the process of the
// fabric, and how the command prints that. The table in show_view.c lists the views; usage,
// completion and the description of the API derive from it.
#pragma once

#include "control/base/text_table.h"
#include "control/fabric/counters.h"
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
// What an answer has of a node or port; NULL: nothing.
typedef json_t *show_node_fn(const struct show_state *s, const struct report_node *n);
typedef json_t *show_port_fn(const struct show_state *s, const struct report_node *n,
			     unsigned int port);
typedef void show_print_fn(const json_t *answer, FILE *to);
typedef void show_heading_fn(const char *name, const json_t *part, FILE *to);

struct show_view {
	const char *name;      // the word
	const char *view;      // NULL: the usual one
	const char *arguments; // behind the word: "[NODE] [vrf VRF]"
	const char *help;
	// What show_question.port may name, as a refusal says it. NULL: the view collects nothing
	// and prints the answer of the usual view.
	const char *of;
	unsigned int needs; // enum show_needs

	// What it collects, by the first of these that is set. Of nodes, which are switches unless
	// the question names one: {"nodes": {NODE: ...}}; of ports, {"nodes": {NODE: {"ports":
	// {PORT: ...}}}}.
	show_collect_fn *collect;
	show_node_fn *node;
	show_port_fn *port;
	unsigned int node_counters; // enum counters_part
	unsigned int port_counters;
	bool switches; // no ports of NICs

	// How it is printed: the tables one after the other, ended by one without rows.
	const struct show_table *tables;
	// Prints it above the tables of each node or port, each line of which is indented.
	show_heading_fn *heading;
	show_print_fn *print; // instead of tables
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
	const json_t *of;                  // what the table is printed of
	const json_t *value;               // where the path ends
	const char *names[SHOW_DEPTH_MAX]; // of what each `*` stands for: a key, or an index
	const json_t *members[SHOW_DEPTH_MAX];
	char indices[SHOW_DEPTH_MAX][24];
	unsigned int depth;
};

// What is missing, or of another type, counts as 0 or as an empty text: an answer comes from
// another process.
enum show_format {
	SHOW_COUNTER, // a counter of the table's scope: as its row in counter.c says
	SHOW_TEXT,    // to the left, as the next ones; all others to the right
	SHOW_FILLED,  // text; "-" where it is empty
	SHOW_SET,     // of an array of numbers: "0-2,6"
	SHOW_ON,      // of a boolean: "on" or "off"
	SHOW_YES,     // "yes" or "no"
	SHOW_NAME,    // "1": the name of the first `*`; "12": of the first and second: "leaf1.swp3"
	SHOW_INDEX,   // the same to the right
	SHOW_COUNT,
	SHOW_KNOWN, // a count; "-" where there is none
	SHOW_BYTES,
	SHOW_RATE,     // 0: "device", which a port without a rate of its own is as fast as
	SHOW_LIMIT,    // a rate; 0: "-"
	SHOW_DURATION, // of ns
	SHOW_DELAY,    // of ps
	SHOW_US,       // of ns, exact: "1342.156"
	SHOW_INSTANT,  // the same; "-" where there was none (-1)
	SHOW_SUM,      // of an object's members
};

typedef void show_cell_fn(struct text_table *t, const struct show_row *row);

struct show_column {
	const char *heading; // NULL ends a list of columns
	// A path from the row's value: "watchdog/poll_ns"; NULL: as the heading. "@2/netdev" starts
	// at what the second `*` stands for, and "@3" within a path is the name of the third.
	const char *key;
	enum show_format format;
	show_cell_fn *cell; // instead of a format, which then only says the side
};

struct show_table {
	const char *rows;         // a path: "nodes/*/ports/*"; "": what is printed itself
	enum counter_scope scope; // of the columns that are counters
	const char *title;        // above it
	const char *empty;        // instead of a table without rows; NULL: nothing
	const struct show_column *columns;
	size_t last;                              // only so many of an array's elements; 0: all
	bool (*skip)(const struct show_row *row); // rows to leave out; NULL: none
	// Adds any number of rows for each that the path leads to; NULL: one, of the columns.
	show_cell_fn *add;
};

// Prints a table of `of` behind `before`, each line behind `indent`. Returns whether it printed
// anything.
bool show_print_table(const struct show_table *table, const json_t *of, const char *before,
		      const char *indent, FILE *to);
// Prints the answer of a view.
void show_print_view(const struct show_view *view, const json_t *answer, FILE *to);
// A heading that is the name of the node or port.
void show_print_name(const char *name, const json_t *part, FILE *to);
// Adds a cell.
void show_cell(struct text_table *t, const struct show_row *row, const char *key,
	       enum show_format format);

// ---- values of an answer -----------------------------------------------------------------------

uint64_t show_number(const json_t *of, const char *key);
uint64_t show_number_at(const json_t *of, const char *key, size_t index);
const char *show_string(const json_t *of, const char *key);
const char *show_text(const json_t *value);
bool show_flag(const json_t *of, const char *key);

// Adds a set of bits to the last cell as "0-2,6", or "-" when it is empty.
void show_append_set(struct text_table *t, uint64_t bits);
// A bit for each number of an array.
uint64_t show_bits(const json_t *numbers);
// The ports that have counted something: "NODE.PORT (COUNT), ...", and how much all have. `part`:
// of each port's counters. The caller frees the text.
uintmax_t show_list_ports(const json_t *answer, const char *part, const char *key, char **ports);

// ---- collecting --------------------------------------------------------------------------------

// {"nodes": {NODE: {KEY: ...}}}: the object of a node.
json_t *show_node(json_t *to, const char *node);
// Adds a string, or null.
void show_set_text(json_t *to, const char *key, const char *text);
// An array of the numbers of the bits that are set.
json_t *show_bit_list(unsigned int bits);

// Whether `filter` means a port: NULL, its node, "node.port" or its own name.
bool show_port_meant(const struct report_node *n, unsigned int port, const char *filter);
// The settings of a node, or NULL where it is no switch.
const struct show_switch *show_find_switch(const struct show_state *s, const struct report_node *n);
// The settings of one of its ports, in `own` where they are not those of all; port -1: of all.
const struct switch_config *show_port_settings(const struct show_switch *w, int port,
					       struct switch_config *own);

// Adds those parts of {NODE: {KIND: {VRF: ...}}} whose node and VRF the question names. Returns
// false if it names one that has none.
bool show_add_vrfs(json_t *of, const struct show_question *q, json_t *to);
// Collects what a view has of nodes.
bool show_each_node(const struct show_view *view, const struct show_state *s,
		    const struct show_question *q, json_t *to);
// Collects what a view has of ports.
bool show_each_port(const struct show_view *view, const struct show_state *s,
		    const struct show_question *q, json_t *to);
// Collects what a view has, by whatever it is set.
bool show_collect(const struct show_view *view, const struct show_state *s,
		  const struct show_question *q, json_t *to);

// ---- what views share --------------------------------------------------------------------------

// Adds "log", the entries that `filter` means (NULL: all), of queues only or of any kind, and
// "log_lost" (show_log.c).
void show_add_log(const struct show_state *s, const char *filter, bool queues, json_t *to);
extern const struct show_column show_log_columns[];
// A cell that says what of a link is not as in the file: "rate 200G, loss 0.1%"
// (show_interface.c).
void show_changed_link_cell(struct text_table *t, const struct show_row *row);
// A cell that says whether a queue is paused, or in a storm (show_queue.c).
void show_queue_state_cell(struct text_table *t, const struct show_row *row);
