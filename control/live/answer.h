// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric answers over its API. Control thread.
#pragma once

#include "control/api/api.h"
#include "copy.h"

struct answer {
	struct lab *lab;
	struct copy *copy;
	bool stop; // `down` was asked for
};

// "show": see report/show.h. "down": stops the fabric; {"pid"}. "hosts": {HOST: {"netns", "address"}} of the
// attached ones.
extern const struct api_method answer_methods[];
extern const size_t answer_method_count;
