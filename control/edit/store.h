// SPDX-License-Identifier: BSD-3-Clause
// The revisions of a fabric's configuration; store.c explains the files. Only the fabric's own
// process writes them. Other processes that have access to the directory can read them at any time.
#pragma once

#include "control/base/diag.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STORE_KEPT 100      // revisions; older ones are removed
#define STORE_USER_MAX 64   // bytes of a user's name with its NUL
#define STORE_WHAT_MAX 256  // of what was done
#define STORE_FILE_MAX 4096 // of a path
#define STORE_PART_MAX 33   // of a part's name with its NUL
#define STORE_TEXT_MAX (32u << 20)

// When, who and what made a revision. Texts are one line of printable characters.
struct store_revision {
	uint32_t number;
	int64_t at; // seconds since 1970, UTC
	uid_t uid;
	char user[STORE_USER_MAX]; // of that uid; empty: it has no name
	// "set tenants.green.hosts [h5, h6]", "apply lab.yaml", "rollback 3"
	char what[STORE_WHAT_MAX];
	char file[STORE_FILE_MAX]; // the fabric's file when it came up, absolute; empty: none
	uint64_t bytes;            // of the text below the comments; 0: not recorded
	char part[STORE_PART_MAX]; // of `fabric.parts`, that ran; empty: all of the fabric
};

struct store;

// Opens the revisions of a fabric to read them: in $ROOST_STATE/NAME; without that variable, root's
// are in /var/lib/roost/NAME, another user's in $XDG_STATE_HOME/roost/NAME or
// ~/.local/state/roost/NAME. Returns 0; -EINVAL if the name is not valid, -ENOENT if there are
// none, or another -errno, with the error in diag.
int store_open(struct store **out, const char *name, struct diag *diag);
// The same to write: makes the directory, removes what a crash left of a revision that was never
// committed, and locks out other writers until store_close(). Also returns -EBUSY if another
// process has the lock.
int store_open_to_write(struct store **out, const char *name, struct diag *diag);
// NULL is fine.
void store_close(struct store *store);

// Makes a revision, numbered one above the last, of everything but revision->number and bytes,
// which are set, and removes revisions older than the last STORE_KEPT. When it returns 0 the
// revision survives a crash; when it returns -errno, with the error in diag, there is none.
int store_commit(struct store *store, struct store_revision *revision, const char *text,
		 size_t length, struct diag *diag);

// The number of the last revision; 0: there is none.
uint32_t store_last(const struct store *store);

// Lists the revisions, oldest first, in *out for free(), without those whose comments cannot be
// read. Returns 0, or -errno with the error in diag.
int store_list(const struct store *store, struct store_revision **out, unsigned *count,
	       struct diag *diag);

// Reads one revision: who made it, and its text for free(), with the comments at its top blanked.
// Returns 0, -ENOENT if it does not exist, -EBADMSG if it is damaged (its comments cannot be read,
// or it was cut short), -EINVAL or -ELOOP if it is no regular file, or another -errno, with the
// error in diag.
int store_read(const struct store *store, int64_t number, struct store_revision *out, char **text,
	       size_t *length, struct diag *diag);
// Reads the last revision that can be read; the errors of later ones are in diag. Returns 0, or the
// -errno of the last if none can.
int store_read_last(const struct store *store, struct store_revision *out, char **text,
		    size_t *length, struct diag *diag);
// The path of a revision, for messages.
void store_path(const struct store *store, uint32_t number, char path[static STORE_FILE_MAX]);
