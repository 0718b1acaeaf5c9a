// SPDX-License-Identifier: BSD-3-Clause
// Where the socket of a live fabric is: /run/roost/NAME.sock of root's,
// $XDG_RUNTIME_DIR/roost/NAME.sock of another user's.
#pragma once

#include "api.h"

// Where the caller's fabric `name` has, or is to have, its socket. Returns 0; -EINVAL when the
// name is none; -ENOENT when there is no place for it (XDG_RUNTIME_DIR is not set);
// -ENAMETOOLONG; then one line stands in err.
int api_socket_path(const char *name, char path[static API_PATH_MAX], char *err, size_t err_size);

// The socket of a fabric that is up: of `name`, or of the only one when it is NULL or empty.
// Returns 0; -ENOENT when it, or any, is not up; -EEXIST when several are; -EACCES; another as
// above; then one line in err says which there are.
int api_socket_find(const char *name, char path[static API_PATH_MAX], char *err, size_t err_size);

// The same in a directory of one's own.
int api_socket_find_in(const char *directory, const char *name, char path[static API_PATH_MAX],
		       char *err, size_t err_size);

// The exit status of a command after api_socket_find() returned rc: EXIT_USAGE where the name is
// wrong or missing.
int api_socket_exit_status(int rc);

// Tells the name of each of the caller's fabrics that is up.
void api_socket_list(void (*each)(void *context, const char *name), void *context);
