// SPDX-License-Identifier: BSD-3-Clause
#include "describe.h"

static json_t *
schema_of(enum api_type type)
{
	switch (type) {
	case API_TEXT:
		return json_pack("{s:s}", "type", "string");
	case API_INTEGER:
		return json_pack("{s:s}", "type", "integer");
	case API_BOOL:
		return json_pack("{s:s}", "type", "boolean");
	case API_TEXTS:
		return json_pack("{s:s,s:{s:s}}", "type", "array", "items", "type", "string");
	case API_OBJECTS:
		return json_pack("{s:s,s:{s:s}}", "type", "array", "items", "type", "object");
	}
	return NULL;
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
						     p->required, "schema", schema_of(p->type)));
	return out;
}

json_t *
api_describe(const struct api_method *methods, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{s:s,s:s,s:s,s:s,s:o,s:{s:s,s:s,s:{}}}", "name", methods[i].name,
				  "summary", text_of(methods[i].help), "x-right",
				  right_name(&methods[i]), "paramStructure", "by-name", "params",
				  describe_params(&methods[i]), "result", "name", "result",
				  "description", text_of(methods[i].result), "schema"));
	return json_pack("{s:s,s:{s:s,s:s,s:s},s:o}", "openrpc", "1.3.2", "info", "title",
			 "Roost: a live fabric", "version", "1", "description",
			 "JSON-RPC 2.0 over a unix stream socket, a message a line", "methods",
			 list);
}

void
api_describe_markdown(const struct api_method *methods, size_t count, FILE *to)
{
	static const char *const types[] = {
		[API_TEXT] = "string",
		[API_INTEGER] = "integer",
		[API_BOOL] = "boolean",
		[API_TEXTS] = "list of strings",
		[API_OBJECTS] = "list of objects",
	};

	for (size_t i = 0; i < count; i++) {
		const struct api_method *m = &methods[i];

		fprintf(to, "### %s\n\n%s. Needs the right to %s.\n\n", m->name, text_of(m->help),
			right_name(m));
		if (m->params != NULL && m->params->name != NULL)
			fputs("| Parameter | Type | |\n| --- | --- | --- |\n", to);
		for (const struct api_param *p = m->params; p != NULL && p->name != NULL; p++)
			fprintf(to, "| `%s` | %s%s | %s |\n", p->name, types[p->type],
				p->required ? ", required" : "", p->help);
		if (m->params != NULL && m->params->name != NULL)
			fputc('\n', to);
		fprintf(to, "Answers %s.%s", text_of(m->result), i + 1 < count ? "\n\n" : "\n");
	}
}
