// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts within a namespace: /etc/netns/NAME/hosts, which `ip netns exec` and `roost exec`
// mount over /etc/hosts.
#pragma once

// Writes the file of a namespace, over one that a fabric has written. `text` is added below a first
// line that says whose it is. Returns 0; -EEXIST if there is one that no fabric wrote and that is
// not empty, which stays as it is; or -errno.
int hosts_file_write(const char *netns, const char *fabric, const char *text);
// Removes it, if that fabric wrote it or it is empty, and its directory, if nothing else is in it.
void hosts_file_remove(const char *netns, const char *fabric);
