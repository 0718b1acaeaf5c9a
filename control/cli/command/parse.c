// SPDX-License-Identifier: BSD-3-Clause
// The one parser of command lines. Options may stand anywhere up to "--": -o DIR, -oDIR, --out DIR,
// --out=DIR. What is left are words, which must fit one of the command's forms.
#include "command.h"

#include "control/base/memory.h"
#include "control/config/config.h"
#include "control/run/ranks_load.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CLI_LIST_MAX 600 // of a list of arguments in a message

struct cli_given {
	const char *name;
	const char *text; // NULL: a flag
	bool option;      // not a word
	uint64_t number;
};

int
cli_usage(const char *title, const char *format, ...)
{
	va_list arguments;

	if (!ranks_speaks())
		return EXIT_USAGE;
	fprintf(stderr, "%s: ", title);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n`%s --help` shows the usage\n", title);
	return EXIT_USAGE;
}

// ---- what was given -----------------------------------------------------------------------------

static bool
has_argument(const struct cli_command *command, const char *name)
{
	unsigned count;
	const struct cli_form *forms = cli_forms(command, &count);

	for (unsigned f = 0; f < count; f++)
		for (unsigned a = 0; a < cli_form_length(&forms[f]); a++) {
			const struct cli_argument *argument = &forms[f].arguments[a];
			const char *own = cli_argument_name(argument);

			if (argument->kind == CLI_LITERAL ? cli_is_literal(own, name)
							  : strcmp(own, name) == 0)
				return true;
		}
	return false;
}

// An option hides a literal of the same name, such as `show fabric`.
static bool
names_option(const struct cli_args *args, const char *name)
{
	for (const struct cli_option *o = args->command->options; o->name != NULL; o++)
		if (strcmp(o->name, name) == 0)
			return true;
	if (has_argument(args->command, name))
		return false;
	fprintf(stderr, "%s has no \"%s\" in its row\n", args->title, name);
	abort();
}

const char **
cli_texts(const struct cli_args *args, const char *name, unsigned *count)
{
	const char **out = memory_array(args->given_count + 1, sizeof(*out), "arguments");
	bool option = names_option(args, name);

	*count = 0;
	for (unsigned i = 0; i < args->given_count; i++)
		if (args->given[i].option == option && strcmp(args->given[i].name, name) == 0)
			out[(*count)++] = args->given[i].text;
	return out;
}

// What was given last under a name, or NULL.
static const struct cli_given *
find_given(const struct cli_args *args, const char *name)
{
	bool option = names_option(args, name);

	for (unsigned i = args->given_count; i-- > 0;)
		if (args->given[i].option == option && strcmp(args->given[i].name, name) == 0)
			return &args->given[i];
	return NULL;
}

bool
cli_given(const struct cli_args *args, const char *name)
{
	return find_given(args, name) != NULL;
}

const char *
cli_text(const struct cli_args *args, const char *name)
{
	const struct cli_given *given = find_given(args, name);

	return given != NULL ? given->text : NULL;
}

uint64_t
cli_number(const struct cli_args *args, const char *name, uint64_t otherwise)
{
	const struct cli_given *given = find_given(args, name);

	return given != NULL ? given->number : otherwise;
}

bool
cli_wants_json(const struct cli_args *args)
{
	const char *output = cli_text(args, "output");

	return output != NULL && strcmp(output, "json") == 0;
}

// Reads a value into the next place of args->given, whose name and text are set. shown: what an
// error calls it, "--until" or "FILE".
static int
give(struct cli_args *args, const struct cli_argument *argument, const char *shown)
{
	struct cli_given *given = &args->given[args->given_count];
	char why[CLI_WHY_MAX];

	if (given->text != NULL && cli_read_value(argument, given->text, &given->number, why) != 0)
		return cli_usage(args->title, "%s: %s", shown, why);
	args->given_count++;
	return EXIT_OK;
}

// ---- options ------------------------------------------------------------------------------------

static int
refuse_option(const struct cli_args *args, const char *word)
{
	const char *names[CLI_OPTIONS_MAX + 1], *near;
	char name[CLI_TITLE_MAX];
	size_t count = 0, length = word[1] == '-' ? strcspn(word, "=") : strlen(word);

	for (const struct cli_option *o = args->command->options; o->name != NULL; o++)
		if (!o->hidden)
			names[count++] = o->name;
	names[count++] = "help";
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	// Without a value it is answered before the options are read.
	if (strcmp(name, "--help") == 0)
		return cli_usage(args->title, "--help takes no value");
	near = word[1] == '-' ? config_suggest(name + 2, names, count) : NULL;
	if (near != NULL)
		return cli_usage(args->title, "unknown option %s; did you mean --%s?", name, near);
	return cli_usage(args->title, "unknown option %s", name);
}

// Reads the option argv[0] and its value. Returns how many words they are, or 0 after an error.
static int
take_option(struct cli_args *args, char **argv)
{
	const char *value;
	const struct cli_option *option = cli_find_option(args->command, argv[0], &value);
	struct cli_argument argument;
	char shown[CLI_TITLE_MAX];
	int used = 1;

	if (option == NULL || (option->kind == CLI_FLAG && argv[0][1] != '-' && value != NULL))
		return refuse_option(args, argv[0]), 0;
	argument = cli_option_argument(option);
	snprintf(shown, sizeof(shown), "--%s", option->name);
	if (option->kind == CLI_FLAG && value != NULL)
		return cli_usage(args->title, "%s takes no value", shown), 0;
	if (option->kind != CLI_FLAG && value == NULL) {
		value = argv[1];
		used = 2;
		if (value == NULL)
			return cli_usage(args->title, "%s needs a value: %s", shown,
					 cli_argument_name(&argument)),
			       0;
	}
	args->given[args->given_count] =
		(struct cli_given){.name = option->name, .text = value, .option = true};
	return give(args, &argument, shown) == EXIT_OK ? used : 0;
}

// -5m is a value, not an option.
static bool
is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0' && !isdigit((unsigned char)word[1]);
}

// Separates options from words. all: up to the end; else up to the first word.
static int
take_options(struct cli_args *args, int argc, char **argv, bool all)
{
	int i = 1;

	while (i < argc && (all || is_option(argv[i]))) {
		if (strcmp(argv[i], "--") == 0) {
			// All that follows are words. It is a word itself if a form has it.
			i += !has_argument(args->command, "--");
			break;
		}
		if (is_option(argv[i])) {
			int used = take_option(args, argv + i);

			if (used == 0)
				return EXIT_USAGE;
			i += used;
		} else {
			args->words[args->count++] = argv[i++];
		}
	}
	while (i < argc)
		args->words[args->count++] = argv[i++];
	return EXIT_OK;
}

static int
check_options(const struct cli_args *args)
{
	const struct cli_option *alone = NULL;
	unsigned others = 0;

	for (const struct cli_option *o = args->command->options; o->name != NULL; o++) {
		bool given = cli_given(args, o->name);

		if (given && o->alone && alone == NULL)
			alone = o;
		else if (given && !o->shared)
			others++;
	}
	if (alone != NULL && (others != 0 || args->count != 0))
		return cli_usage(args->title, "--%s cannot be used with other arguments or options",
				 alone->name);
	for (const struct cli_option *o = args->command->options; o->name != NULL; o++) {
		struct cli_argument argument = cli_option_argument(o);

		if (o->required && !cli_given(args, o->name))
			return cli_usage(args->title, "--%s %s is missing", o->name,
					 cli_argument_name(&argument));
	}
	return EXIT_OK;
}

// ---- words --------------------------------------------------------------------------------------

#define NEXT_MAX 64

// What may come next, for errors: first the literals, then the others as usage names them.
struct next {
	char *names[NEXT_MAX];
	size_t count, literals;
};

static void
add_name(struct next *next, const char *name, size_t length)
{
	for (size_t i = 0; i < next->count; i++)
		if (strlen(next->names[i]) == length && memcmp(next->names[i], name, length) == 0)
			return;
	if (next->count < NEXT_MAX)
		next->names[next->count++] = memory_text_part(name, length);
}

static void
add_next(struct next *next, const struct cli_places *places, bool literal)
{
	for (unsigned f = 0; f < places->count; f++)
		for (unsigned a = 0; a < cli_form_length(&places->forms[f]); a++) {
			const struct cli_argument *argument = &places->forms[f].arguments[a];
			const char *name = cli_argument_name(argument);

			if (!(places->next[f] >> a & 1) ||
			    (argument->kind == CLI_LITERAL) != literal)
				continue;
			for (; literal && strchr(name, '|') != NULL; name = strchr(name, '|') + 1)
				add_name(next, name, strcspn(name, "|"));
			add_name(next, name, strlen(name));
		}
}

static struct next
find_next(const struct cli_places *places)
{
	struct next next = {.count = 0};

	add_next(&next, places, true);
	next.literals = next.count;
	add_next(&next, places, false);
	return next;
}

static void
free_next(struct next *next)
{
	for (size_t i = 0; i < next->count; i++)
		free(next->names[i]);
}

// "link, pause or drops".
static void
list_next(const struct next *next, char list[static CLI_LIST_MAX])
{
	size_t used = 0;

	list[0] = '\0';
	for (size_t i = 0; i < next->count && used < CLI_LIST_MAX; i++)
		used += (size_t)snprintf(list + used, CLI_LIST_MAX - used, "%s%s",
					 i == 0                 ? ""
					 : i + 1 == next->count ? " or "
								: ", ",
					 next->names[i]);
}

static int
refuse_end(const struct cli_args *args, const struct cli_places *places)
{
	struct next next = find_next(places);
	char list[CLI_LIST_MAX];

	list_next(&next, list);
	free_next(&next);
	if (args->count == 0)
		return cli_usage(args->title, "an argument is missing: %s", list);
	return cli_usage(args->title, "an argument is missing after \"%s\": %s",
			 args->words[args->count - 1], list);
}

static int
refuse_word(const struct cli_args *args, const struct cli_places *places, const char *word)
{
	struct next next = find_next(places);
	const char *near = config_suggest(word, (const char *const *)next.names, next.literals);
	char list[CLI_LIST_MAX];

	list_next(&next, list);
	if (near != NULL)
		cli_usage(args->title, "unknown argument \"%s\"; did you mean \"%s\"?", word, near);
	else if (next.literals == 0)
		cli_usage(args->title, "unexpected argument \"%s\"", word);
	else
		cli_usage(args->title, "unexpected argument \"%s\"; expected %s", word, list);
	free_next(&next);
	return EXIT_USAGE;
}

// Gives each word from `word` on to the arguments of one form from `a` on, the way that the places
// have found. Returns false when they do not fit; what was given is then as before.
static bool
assign(struct cli_args *args, const struct cli_form *form, unsigned a, unsigned word,
       const struct cli_argument **of)
{
	const struct cli_argument *argument = &form->arguments[a];
	bool fits;

	if (a == cli_form_length(form))
		return word == args->count;
	fits = word < args->count &&
	       (argument->kind != CLI_LITERAL || cli_is_literal(argument->name, args->words[word]));
	// A later literal is itself: `route vrf red` has no node of the name vrf.
	if (fits && argument->optional && argument->kind != CLI_LITERAL &&
	    form->arguments[a + 1].kind == CLI_LITERAL &&
	    cli_is_literal(form->arguments[a + 1].name, args->words[word]))
		fits = false;
	if (argument->repeated && a + 1 == cli_form_length(form)) {
		if (word == args->count)
			return argument->optional;
		for (; fits && word < args->count; word++) {
			fits = argument->kind != CLI_LITERAL ||
			       cli_is_literal(argument->name, args->words[word]);
			of[word] = argument;
		}
		return fits;
	}
	if (fits) {
		of[word] = argument;
		if (argument->repeated && assign(args, form, a, word + 1, of))
			return true;
		if (assign(args, form, a + 1, word + 1, of))
			return true;
	}
	return argument->optional && assign(args, form, a + 1, word, of);
}

static int
give_words(struct cli_args *args, const struct cli_argument **of)
{
	int status = EXIT_OK;

	for (unsigned i = 0; i < args->count && status == EXIT_OK; i++) {
		const char *name = cli_argument_name(of[i]);
		bool literal = of[i]->kind == CLI_LITERAL;

		args->given[args->given_count] = (struct cli_given){
			.name = literal ? args->words[i] : name, .text = args->words[i]};
		status = give(args, of[i], name);
	}
	return status;
}

static int
take_words(struct cli_args *args)
{
	const struct cli_argument **of;
	struct cli_places places;
	int status = EXIT_USAGE;

	cli_places_begin(&places, args->command);
	for (unsigned i = 0; i < args->count; i++)
		if (!cli_places_take(&places, args->words[i]))
			return refuse_word(args, &places, args->words[i]);
	of = memory_array(args->count + 1, sizeof(*of), "arguments");
	for (unsigned f = 0; f < places.count; f++) {
		const struct cli_form *form = &places.forms[f];

		if (!(places.next[f] >> cli_form_length(form) & 1))
			continue;
		if (assign(args, form, 0, 0, of)) {
			args->form = f;
			status = give_words(args, of);
			free(of);
			return status;
		}
	}
	free(of);
	return refuse_end(args, &places);
}

// The options that were given belong to the form.
static int
check_form(const struct cli_args *args)
{
	for (const struct cli_option *o = args->command->options; o->name != NULL; o++)
		if (cli_given(args, o->name) && args->count > 0 &&
		    !cli_option_belongs(o, args->words[0]))
			return cli_usage(args->title, "%s has no option --%s", args->words[0],
					 o->name);
	return EXIT_OK;
}

// ---- all of it ----------------------------------------------------------------------------------

static void
begin(struct cli_args *args, const struct cli_program *program, const struct cli_command *command,
      int argc)
{
	*args = (struct cli_args){.program = program, .command = command};
	args->words = memory_array((size_t)argc + 1, sizeof(*args->words), "words");
	args->given = memory_array((size_t)argc + 1, sizeof(*args->given), "values");
}

int
cli_parse(struct cli_args *args, const struct cli_program *program,
	  const struct cli_command *command, int argc, char **argv)
{
	int status;

	begin(args, program, command, argc);
	snprintf(args->title, sizeof(args->title), "roost %s", command->name);
	status = take_options(args, argc, argv, true);
	if (status == EXIT_OK)
		status = check_options(args);
	if (status != EXIT_OK || command->reads_words)
		return status;
	for (const struct cli_option *o = command->options; o->name != NULL; o++)
		if (o->alone && cli_given(args, o->name))
			return EXIT_OK;
	status = take_words(args);
	return status == EXIT_OK ? check_form(args) : status;
}

int
cli_parse_program(struct cli_args *args, const struct cli_program *program, int argc, char **argv)
{
	begin(args, program, &program->options, argc);
	snprintf(args->title, sizeof(args->title), "roost");
	return take_options(args, argc, argv, false);
}

void
cli_args_free(struct cli_args *args)
{
	free(args->words);
	free(args->given);
	*args = (struct cli_args){0};
}
