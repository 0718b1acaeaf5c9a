// SPDX-License-Identifier: BSD-3-Clause
// Values of keys that come from a command line instead of the file.
#pragma once

#include "yaml_tree.h"

// Puts a value in the tree of a file, in place of what the file has there or beside it; maps on the
// way to it are made. The key is a path, "switch.qos.tc.3.weight". A list's item is named by its
// number, from 0, or by its `name`: "workload.storm.size". The sections switch, hosts, fabric and
// fabric.topology may be left out: "routing.mode", "spines". The value is as in the file, lists and
// maps in flow style, or "@PATH", a file that contains it. Messages about it name that file, so the
// value must outlive the configuration. Returns 0, or -EINVAL with the error in diag; `file` is for
// messages.
int replace_value(struct yaml_node *root, struct arena *arena,
		  const struct config_replacement *replacement, const char *file,
		  struct diag *diag);
