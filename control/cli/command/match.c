// SPDX-License-Identifier: BSD-3-Clause
// Which arguments of a command's forms may come next after some words. The parser accepts words
// that bring a form to its end; completion offers the next arguments.
#include "command.h"

#include <string.h>

unsigned
cli_form_length(const struct cli_form *form)
{
	unsigned length = 0;

	while (length < CLI_ARGUMENTS_MAX && form->arguments[length].kind != CLI_END)
		length++;
	return length;
}

const struct cli_form *
cli_forms(const struct cli_command *command, unsigned *count)
{
	const struct cli_form *forms = command->make_forms != NULL ? command->make_forms()
								   : command->forms;

	*count = 1; // an empty one, where the command takes no words
	while (*count < CLI_FORMS_MAX && cli_form_length(&forms[*count]) != 0)
		++*count;
	return forms;
}

// The arguments from this one on, up to and including the first that is required.
static uint8_t
reach(const struct cli_form *form, unsigned argument)
{
	unsigned length = cli_form_length(form);
	uint8_t out = 0;

	for (; argument < length; argument++) {
		out |= (uint8_t)(1u << argument);
		if (!form->arguments[argument].optional)
			return out;
	}
	return out | (uint8_t)(1u << length);
}

void
cli_places_begin(struct cli_places *places, const struct cli_command *command)
{
	unsigned count;
	const struct cli_form *forms = cli_forms(command, &count);

	*places = (struct cli_places){.forms = forms, .count = count};
	for (unsigned f = 0; f < places->count; f++)
		places->next[f] = reach(&places->forms[f], 0);
}

bool
cli_places_take(struct cli_places *places, const char *word)
{
	uint8_t names[CLI_FORMS_MAX] = {0}, literals[CLI_FORMS_MAX] = {0};
	bool any_name = false, any_literal = false;

	for (unsigned f = 0; f < places->count; f++) {
		const struct cli_form *form = &places->forms[f];
		unsigned length = cli_form_length(form);

		for (unsigned a = 0; a < length; a++) {
			const struct cli_argument *argument = &form->arguments[a];
			bool literal = argument->kind == CLI_LITERAL;
			uint8_t after = reach(form, a + 1);

			if (!(places->next[f] >> a & 1) ||
			    (literal && !cli_is_literal(argument->name, word)))
				continue;
			if (argument->repeated)
				after |= (uint8_t)(1u << a);
			*(literal ? &any_literal : &any_name) = true;
			(literal ? literals : names)[f] |= after;
		}
	}
	if (any_literal || any_name)
		memcpy(places->next, any_literal ? literals : names, sizeof(places->next));
	return any_literal || any_name;
}

const struct cli_option *
cli_find_option(const struct cli_command *command, const char *word, const char **value)
{
	bool is_long = strncmp(word, "--", 2) == 0;
	size_t length = is_long ? strcspn(word, "=") : 2;

	*value = NULL;
	if (word[0] != '-' || word[1] == '\0')
		return NULL;
	if (word[length] != '\0')
		*value = word + length + is_long;
	for (const struct cli_option *o = command->options; o->name != NULL; o++)
		if (is_long ? strlen(o->name) == length - 2 &&
				      memcmp(o->name, word + 2, length - 2) == 0
			    : o->letter != 0 && o->letter == word[1])
			return o;
	return NULL;
}
