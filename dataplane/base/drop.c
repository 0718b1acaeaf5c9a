// SPDX-License-Identifier: BSD-3-Clause
#include "drop.h"

static const struct {
	const char *name;
	const char *advice;
} drop_texts[DROP_COUNT] = {
#define X(id, text, help) [DROP_##id] = {text, help},
	DROP_REASONS(X)
#undef X
};

const char *
drop_name(enum drop_reason reason)
{
	return drop_texts[reason].name;
}

const char *
drop_advice(enum drop_reason reason)
{
	return drop_texts[reason].advice;
}
