// SPDX-License-Identifier: BSD-3-Clause
#include "answer_kind.h"

static const struct {
	const char *name;
	const char *help;
} kinds[] = {
#define X(id, name, help) {name, help},
	ANSWER_KINDS(X)
#undef X
};

const char *
answer_kind_name(enum answer_kind kind)
{
	return kinds[kind].name;
}

const char *
answer_kind_help(enum answer_kind kind)
{
	return kinds[kind].help;
}
