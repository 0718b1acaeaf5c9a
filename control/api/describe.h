// SPDX-License-Identifier: BSD-3-Clause
// An API described from its table of methods, for machines and for people. Any thread.
#pragma once

#include "api.h"

#include <stdio.h>

// An OpenRPC document (https://spec.open-rpc.org, version 1.3): every method with its parameters
// and who may call it ("x-right": "read" or "write"). NULL when memory ran out.
json_t *api_describe(const struct api_method *methods, size_t count);

// The same as a Markdown table of methods, each with a table of its parameters.
void api_describe_markdown(const struct api_method *methods, size_t count, FILE *to);
