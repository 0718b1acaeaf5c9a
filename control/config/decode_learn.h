// SPDX-License-Identifier: BSD-3-Clause
// `learn:` of a switch.
#pragma once

#include "merge.h"

extern const struct schema schema_learn; // base struct config_learn

// No VRF learns twice and no namespace is learned from twice.
void check_learns(const struct config *config, const struct switch_config *settings,
		  struct diag *diag);
// A section of a fabric that many switches read may not learn.
void check_learn_section(const struct config *config, const struct yaml_pair *section,
			 struct diag *diag);
