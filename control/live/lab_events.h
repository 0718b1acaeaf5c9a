// SPDX-License-Identifier: BSD-3-Clause
// The file's events in a live fabric; private to control/live/.
#pragma once

#include "lab.h"

// Resolves them; the fabric exists. Returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int lab_create_events(struct lab *lab, struct config_diag *diag);
