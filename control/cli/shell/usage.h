// SPDX-License-Identifier: BSD-3-Clause
// The grammar of a command's arguments, read out of what --help prints of them, so that there is no
// second description to keep: "FILE [-o DIR]", "interface [PORT] [counters qos | qos roce]". A word
// that begins with a capital stands for something (FILE, KEY), [...] may be left out, a|b and
// [a | b] are alternatives, WORD... may be repeated. Options may stand anywhere; those that only
// the lines "  -o, --output json|text  the form" of the details tell are known too.
#pragma once

#include "control/cli/cli.h"

#define USAGE_WORD 64
#define USAGE_STATES_MAX 128
#define USAGE_OPTIONS_MAX 24

struct usage_option {
	char names[2][USAGE_WORD]; // "-o", "--output"; the second may be empty
	char argument[USAGE_WORD]; // "DIR", "json|text"; empty: none
	const char *help;          // a line, help_length of it; NULL: the details do not tell
	size_t help_length;
};

// The options of a command, at most USAGE_OPTIONS_MAX. Returns how many.
unsigned usage_options(const struct cli_command *command,
		       struct usage_option out[static USAGE_OPTIONS_MAX]);
// The one that a word is, or NULL. Of "--until=1ms" too, with *joined true.
const struct usage_option *usage_find_option(const struct usage_option *options, unsigned count,
					     const char *word, bool *joined);

enum usage_kind { USAGE_EMPTY, USAGE_SPLIT, USAGE_TOKEN, USAGE_END };

struct usage_state {
	enum usage_kind kind;
	char token[USAGE_WORD]; // "FILE", "pfc|queue"
	unsigned next, other;
};

// One form (a line of the arguments) as a machine that reads words; its options are left out.
struct usage {
	struct usage_state states[USAGE_STATES_MAX];
	unsigned count;
	bool here[USAGE_STATES_MAX]; // tokens that may come next, and the end
};

// Reads a form of `length` bytes. Returns 0, -EINVAL when it is none, -E2BIG.
int usage_parse(struct usage *out, const char *form, size_t length);
// Goes over a word. What may come next is then in here[]; nothing when the word does not fit.
void usage_take(struct usage *usage, const char *word);
// Goes over whatever token `token` is, as if it had been met.
void usage_take_token(struct usage *usage, const char *token);
// Whether a word is what a token stands for: one of "a|b", or anything for "FILE".
bool usage_fits(const char *token, const char *word);
