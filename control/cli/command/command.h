// SPDX-License-Identifier: BSD-3-Clause
// Commands as data. A command is one row: its forms, its options, its help, and the function that
// runs it. The parser (parse.c), --help (help.c) and completion (complete.c) all read that row, so
// they cannot disagree.
//
// A form is the sequence of words that a command takes; a command with several forms, such as
// `config diff` and `config detach`, takes any one of them. Options may stand anywhere.
#pragma once

#include "control/base/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_FORMS_MAX 40
#define CLI_FORMS_ROW 6 // of which a row has room
#define CLI_ARGUMENTS_MAX 6
#define CLI_OPTIONS_MAX 12
#define CLI_TITLE_MAX 64
#define CLI_WHY_MAX 160

// What a word of the command line stands for. The kind says how the word is checked, what usage
// calls it, and how it is completed (kind.c).
enum cli_kind {
	CLI_END, // behind the last argument of a form
	CLI_LITERAL,
	CLI_TEXT,
	CLI_FILE,
	CLI_DIRECTORY,
	CLI_CAPTURE, // PORT=PCAP
	CLI_FABRIC,
	CLI_SWITCH,
	CLI_HOST,
	CLI_HOST_ATTACHED, // that has a namespace
	CLI_HOSTS,         // with commas between
	CLI_PORT,
	CLI_LINK, // or a port at one of its ends
	CLI_QUEUE,
	CLI_TENANT,
	CLI_VRF,
	CLI_REVISION,
	CLI_COMMAND,
	CLI_KEY,
	CLI_VALUE,
	CLI_FLAG, // an option without a value
	CLI_NUMBER,
	CLI_TIME,    // in ps
	CLI_SECONDS, // 90s, 5m, 1h: in s
	CLI_RATE,    // in bit/s
	CLI_SIZE,    // in bytes
	CLI_LENGTH,  // in mm
	CLI_PERCENT, // in ppm
	CLI_ERROR_RATE,
	CLI_KINDS,
};

// What a number may be; both 0: any uint64_t.
struct cli_range {
	int64_t least, most;
};

struct cli_argument {
	enum cli_kind kind;
	const char *name; // of a literal its words, "json|text"; of others what usage calls it,
			  // unless the kind's own name will do
	bool optional;
	bool repeated;
	struct cli_range range;
};

struct cli_form {
	struct cli_argument arguments[CLI_ARGUMENTS_MAX + 1];
	const char *help; // of this form, for completion; or NULL
};

struct cli_option {
	const char *name; // "until": --until
	char letter;      // 'o': -o; 0: none
	enum cli_kind kind;
	const char *help;
	const char *value; // of a literal its words; of others what usage calls the value, as above
	struct cli_range range;
	bool required;
	bool repeated;
	bool alone;     // a form of its own: no words beside it, and no options that are not shared
	bool shared;    // by many commands, and left out of the line of usage
	bool hidden;    // for tests
	const char *of; // "start|solution": the first words of the forms that have it; NULL: all
};

struct cli_args;

struct cli_command {
	const char *name;
	const char *help;    // a verb phrase on one line; empty: for programs, and not listed
	const char *details; // paragraphs for --help, each line with its newline; or NULL
	struct cli_form forms[CLI_FORMS_ROW + 1]; // up to the first that is empty; none: no words
	// Makes them from another table instead; the same at every call.
	const struct cli_form *(*make_forms)(void);
	struct cli_option options[CLI_OPTIONS_MAX + 1];
	// The words are read by the command: the parts of a key may stand apart, so that only the
	// schema knows where it ends. The forms are for usage and completion.
	bool reads_words;
	int (*run)(const struct cli_args *args); // returns an exit status
};

struct cli_program {
	struct cli_command options; // "roost" itself: its options stand before the command
	const struct cli_command *const *commands; // in the order of --help
	size_t count;
};

// ---- what a command gets ------------------------------------------------------------------------

struct cli_given;

struct cli_args {
	const struct cli_program *program;
	const struct cli_command *command;
	char title[CLI_TITLE_MAX]; // "roost sim", for messages
	unsigned count;            // words that are not options
	char **words;              // NULL behind the last
	unsigned form;             // that the words fit
	struct cli_given *given;
	unsigned given_count;
};

// Reads a command line, whose argv[0] is the command's name. Returns EXIT_OK, or EXIT_USAGE with
// the error on stderr; cli_args_free() in either case.
int cli_parse(struct cli_args *args, const struct cli_program *program,
	      const struct cli_command *command, int argc, char **argv);
// Reads the options before the command: the words begin with the command.
int cli_parse_program(struct cli_args *args, const struct cli_program *program, int argc,
		      char **argv);
void cli_args_free(struct cli_args *args);

// Values are found by the option's name, the argument's name in usage ("FILE"), or the literal
// itself. A name that the command's row does not have is a bug and aborts.
bool cli_given(const struct cli_args *args, const char *name);
// All that was given under a name, as it was written; count of them, for free().
const char **cli_texts(const struct cli_args *args, const char *name, unsigned *count);
// As it was written last, or NULL.
const char *cli_text(const struct cli_args *args, const char *name);
// Of a number, a time, a rate and so on, in the kind's unit; or `otherwise`.
uint64_t cli_number(const struct cli_args *args, const char *name, uint64_t otherwise);
// Whether --output json was given (CLI_OUTPUT_OPTION).
bool cli_wants_json(const struct cli_args *args);

// Options that several commands share.
#define CLI_FABRIC_OPTION                                                            \
	{                                                                            \
		.name = "fabric", .letter = 'f', .kind = CLI_FABRIC, .shared = true, \
		.help = "the live fabric, if several are up (default: ROOST_FABRIC)" \
	}
#define CLI_OUTPUT_OPTION                                                                   \
	{                                                                                   \
		.name = "output", .letter = 'o', .kind = CLI_LITERAL, .value = "json|text", \
		.shared = true, .help = "the output format (default: text)"                 \
	}

// ---- errors -------------------------------------------------------------------------------------

// Prints a usage error of `title` and where to read on. Returns EXIT_USAGE.
int cli_usage(const char *title, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The command of this name, or NULL; and the usage error when there is none.
const struct cli_command *cli_find_command(const struct cli_program *program, const char *name);
int cli_refuse_command(const struct cli_program *program, const char *name);
// The command that may have been meant, or NULL.
const char *cli_near_command(const struct cli_program *program, const char *name);

// ---- help (help.c) ------------------------------------------------------------------------------

// What `roost --help` prints, and what --help prints behind a command: its row, or the key among
// the words. Both return an exit status.
void cli_print_program(const struct cli_program *program, FILE *to);
int cli_print_help(const struct cli_command *command, int argc, char **argv);
// The help of the key that the words are. value: the last word may be the key's value.
int cli_print_key(const char *title, int count, char **words, bool value);

// ---- for the files of this folder ---------------------------------------------------------------

// What usage calls an argument: "FILE", "json|text".
const char *cli_argument_name(const struct cli_argument *argument);
// The kind that usage calls so, or CLI_TEXT.
enum cli_kind cli_kind_named(const char *name, size_t length);

// Reads a word as the value of an argument; *out is 0 for kinds that are not numbers. Returns 0,
// or -EINVAL with one line in why.
int cli_read_value(const struct cli_argument *argument, const char *text, uint64_t *out,
		   char why[static CLI_WHY_MAX]);
// The option that a word is, or NULL. *value: the value in the same word, as in -oDIR and
// --out=DIR, or NULL.
const struct cli_option *cli_find_option(const struct cli_command *command, const char *word,
					 const char **value);
// The value of an option as an argument.
struct cli_argument cli_option_argument(const struct cli_option *option);

// Whether forms that begin with this word have the option.
bool cli_option_belongs(const struct cli_option *option, const char *first);

// Whether a word is one of "json|text".
bool cli_is_literal(const char *literals, const char *word);

// The positions in a command's forms after some words: for each form, a bit for each argument that
// may come next, and the bit behind the last argument if the form may end there.
struct cli_places {
	const struct cli_form *forms;
	unsigned count;
	uint8_t next[CLI_FORMS_MAX];
};

// The forms of a command, and how many.
const struct cli_form *cli_forms(const struct cli_command *command, unsigned *count);
unsigned cli_form_length(const struct cli_form *form);
void cli_places_begin(struct cli_places *places, const struct cli_command *command);
// Moves past a word. A word that is a literal of any form is only that, never a name. Returns false
// if no form accepts it; the places are unchanged then.
bool cli_places_take(struct cli_places *places, const char *word);
