// SPDX-License-Identifier: BSD-3-Clause
#include "server_internal.h"

const struct api_type_names api_type_names[] = {
	[API_TEXT] = {"string", false, "string", "a string"},
	[API_INTEGER] = {"integer", false, "integer", "an integer"},
	[API_BOOL] = {"boolean", false, "boolean", "true or false"},
	[API_TEXTS] = {"string", true, "list of strings", "a list of strings"},
	[API_OBJECTS] = {"object", true, "list of objects", "a list of objects"},
};

static json_t *
schema_of(const struct api_param *p)
{
	const struct api_type_names *type = &api_type_names[p->type];
	json_t *schema = json_pack("{s:s}", "type", type->schema), *list;
	const char *const *words;
	size_t count;

	if (p->words != NULL) {
		words = p->words(&count);
		list = json_array();
		for (size_t i = 0; i < count; i++)
			json_array_append_new(list, json_string(words[i]));
		json_object_set_new(schema, "enum", list);
	}
	return type->list ? json_pack("{s:s,s:o}", "type", "array", "items", schema) : schema;
}

static const char *
right_name(const struct api_method *method)
{
	return method->right == API_WRITE ? "write" : "read";
}

static const char *
text_of(const char *text)
{
	return text != NULL ? text : "";
}

static json_t *
describe_params(const struct api_method *method)
{
	json_t *out = json_array();

	for (const struct api_param *p = method->params; p != NULL && p->name != NULL; p++)
		json_array_append_new(out, json_pack("{s:s,s:s,s:b,s:o}", "name", p->name,
						     "description", p->help, "required",
						     p->required, "schema", schema_of(p)));
	return out;
}

json_t *
api_describe(const struct api_method *methods)
{
	json_t *list = json_array();

	for (const struct api_method *m = methods; m->name != NULL; m++)
		json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:o,s:{s:s,s:s,s:{}}}",
						      "name", m->name, "summary", text_of(m->help),
						      "x-right", right_name(m), "paramStructure",
						      "by-name", "params", describe_params(m),
						      "result", "name", "result", "description",
						      text_of(m->result), "schema"));
	return json_pack("{s:s,s:{s:s,s:s,s:s},s:o}", "openrpc", "1.3.2", "info", "title",
			 "Roost: a live fabric", "version", "1", "description",
			 "JSON-RPC 2.0 over a unix stream socket, a message a line", "methods",
			 list);
}

static void
print_param(const struct api_param *p, FILE *to)
{
	const char *const *words;
	size_t count = 0;

	fprintf(to, "| `%s` | %s%s | %s", p->name, api_type_names[p->type].help,
		p->required ? ", required" : "", p->help);
	words = p->words != NULL ? p->words(&count) : NULL;
	for (size_t i = 0; i < count; i++)
		fprintf(to, "%s%s", i == 0 ? ": " : ", ", words[i]);
	fputs(" |\n", to);
}

void
api_describe_markdown(const struct api_method *methods, FILE *to)
{
	for (const struct api_method *m = methods; m->name != NULL; m++) {
		const struct api_param *p = m->params;

		fprintf(to, "%s### %s\n\n%s. Needs the right to %s.\n\n", m != methods ? "\n" : "",
			m->name, text_of(m->help), right_name(m));
		if (p != NULL && p->name != NULL) {
			fputs("| Parameter | Type | |\n| --- | --- | --- |\n", to);
			for (; p->name != NULL; p++)
				print_param(p, to);
			fputc('\n', to);
		}
		fprintf(to, "Returns %s.\n", text_of(m->result));
	}
}
