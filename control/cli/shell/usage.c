// SPDX-License-Identifier: BSD-3-Clause
// Reading: a recursive descent over the form builds a machine of states (Thompson, CACM 1968), in
// which a part is known by where it begins and by an empty state at its end. Matching: the set of
// tokens that may come next is carried from word to word.
#include "usage.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define DEPTH_MAX 8

struct reader {
	struct usage *usage;
	const char *at, *end;
	unsigned depth;
	bool wrong;
};

struct part {
	unsigned first, last;
};

static unsigned
add_state(struct reader *r, enum usage_kind kind)
{
	struct usage_state *state = &r->usage->states[r->usage->count];

	if (r->usage->count == USAGE_STATES_MAX - 1) {
		r->wrong = true;
		return r->usage->count;
	}
	*state = (struct usage_state){.kind = kind};
	return r->usage->count++;
}

static void
skip_blanks(struct reader *r)
{
	while (r->at < r->end && *r->at == ' ')
		r->at++;
}

static bool
accept(struct reader *r, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
		return false;
	r->at += length;
	return true;
}

// A word of the form, without the dots that repeat it.
static void
read_word(struct reader *r, char out[static USAGE_WORD])
{
	const char *begin = r->at;
	size_t length;

	while (r->at < r->end && strchr(" []", *r->at) == NULL)
		r->at++;
	length = (size_t)(r->at - begin);
	if (length > 3 && memcmp(r->at - 3, "...", 3) == 0) {
		length -= 3;
		r->at -= 3;
	}
	r->wrong |= length == 0 || length >= USAGE_WORD;
	if (r->wrong)
		length = 0;
	memcpy(out, begin, length);
	out[length] = '\0';
}

static bool
is_option(const char *word)
{
	return word[0] == '-' && strcmp(word, "--") != 0;
}

static struct part read_alternatives(struct reader *r);

static struct part
optional(struct reader *r, struct part inner)
{
	struct part out = {add_state(r, USAGE_SPLIT), add_state(r, USAGE_EMPTY)};

	r->usage->states[out.first].next = inner.first;
	r->usage->states[out.first].other = out.last;
	r->usage->states[inner.last].next = out.last;
	return out;
}

static struct part
repeated(struct reader *r, struct part inner)
{
	unsigned again = add_state(r, USAGE_SPLIT), last = add_state(r, USAGE_EMPTY);

	r->usage->states[inner.last].next = again;
	r->usage->states[again].next = inner.first;
	r->usage->states[again].other = last;
	return (struct part){inner.first, last};
}

// Nothing, in the place of an option and its argument.
static struct part
nothing(struct reader *r)
{
	unsigned state = add_state(r, USAGE_EMPTY);

	return (struct part){state, state};
}

static struct part
read_option_argument(struct reader *r)
{
	char argument[USAGE_WORD];

	skip_blanks(r);
	if (r->at < r->end && strchr("[]|-", *r->at) == NULL) {
		read_word(r, argument);
		accept(r, "...");
	}
	return nothing(r);
}

static struct part
read_item(struct reader *r)
{
	struct part out;

	if (accept(r, "[")) {
		if (r->depth++ == DEPTH_MAX)
			r->wrong = true;
		out = r->wrong ? nothing(r) : optional(r, read_alternatives(r));
		r->depth--;
		r->wrong |= !accept(r, "]");
	} else {
		char word[USAGE_WORD];

		read_word(r, word);
		if (r->wrong || is_option(word))
			return read_option_argument(r);
		out = (struct part){add_state(r, USAGE_TOKEN), add_state(r, USAGE_EMPTY)};
		r->usage->states[out.first].next = out.last;
		memcpy(r->usage->states[out.first].token, word, sizeof(word));
	}
	return accept(r, "...") ? repeated(r, out) : out;
}

static struct part
read_sequence(struct reader *r)
{
	struct part out = nothing(r);

	for (;;) {
		struct part next;

		skip_blanks(r);
		if (r->wrong || r->at == r->end || *r->at == ']' || *r->at == '|')
			return out;
		next = read_item(r);
		r->usage->states[out.last].next = next.first;
		out.last = next.last;
	}
}

static struct part
read_alternatives(struct reader *r)
{
	struct part out = read_sequence(r);

	while (!r->wrong && accept(r, "|")) {
		struct part other = read_sequence(r);
		struct part both = {add_state(r, USAGE_SPLIT), add_state(r, USAGE_EMPTY)};

		r->usage->states[both.first].next = out.first;
		r->usage->states[both.first].other = other.first;
		r->usage->states[out.last].next = both.last;
		r->usage->states[other.last].next = both.last;
		out = both;
	}
	return out;
}

// What can be reached from a state without a word.
static void
enter(struct usage *usage, unsigned state, bool seen[static USAGE_STATES_MAX])
{
	const struct usage_state *s = &usage->states[state];

	if (seen[state])
		return;
	seen[state] = true;
	if (s->kind == USAGE_TOKEN || s->kind == USAGE_END) {
		usage->here[state] = true;
		return;
	}
	enter(usage, s->next, seen);
	if (s->kind == USAGE_SPLIT)
		enter(usage, s->other, seen);
}

int
usage_parse(struct usage *out, const char *form, size_t length)
{
	struct reader r = {.usage = out, .at = form, .end = form + length};
	bool seen[USAGE_STATES_MAX] = {false};
	struct part all;
	unsigned end;

	*out = (struct usage){0};
	all = read_alternatives(&r);
	end = add_state(&r, USAGE_END);
	if (r.wrong || r.at != r.end)
		return out->count >= USAGE_STATES_MAX - 1 ? -E2BIG : -EINVAL;
	out->states[all.last].next = end;
	enter(out, all.first, seen);
	return 0;
}

bool
usage_fits(const char *token, const char *word)
{
	size_t length = strlen(word);

	if (isupper((unsigned char)token[0]))
		return true;
	while (*token != '\0') {
		size_t one = strcspn(token, "|");

		if (one == length && memcmp(token, word, length) == 0)
			return true;
		token += one + (token[one] == '|');
	}
	return false;
}

// A word that is written so in the form is that, not what a capital may stand for.
static bool
is_literal(const struct usage_state *s, const char *word)
{
	return s->kind == USAGE_TOKEN && !isupper((unsigned char)s->token[0]) &&
	       usage_fits(s->token, word);
}

static void
take(struct usage *usage, const char *word, const char *token)
{
	bool before[USAGE_STATES_MAX], seen[USAGE_STATES_MAX] = {false}, literal = false;

	memcpy(before, usage->here, sizeof(before));
	memset(usage->here, 0, sizeof(usage->here));
	for (unsigned i = 0; i < usage->count; i++)
		literal |= token == NULL && before[i] && is_literal(&usage->states[i], word);
	for (unsigned i = 0; i < usage->count; i++) {
		const struct usage_state *s = &usage->states[i];
		bool fits = token != NULL ? strcmp(s->token, token) == 0
			    : literal     ? is_literal(s, word)
					  : usage_fits(s->token, word);

		if (before[i] && s->kind == USAGE_TOKEN && fits)
			enter(usage, s->next, seen);
	}
}

void
usage_take(struct usage *usage, const char *word)
{
	take(usage, word, NULL);
}

void
usage_take_token(struct usage *usage, const char *token)
{
	take(usage, NULL, token);
}
