// SPDX-License-Identifier: BSD-3-Clause
// The revisions of a fabric's configuration. store.c says how they are kept. One process writes,
// the fabric's own; anybody who may read the directory may read them meanwhile.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STORE_KEPT 100      // revisions; older ones go
#define STORE_USER_MAX 64   // bytes of a user's name with its NUL
#define STORE_WHAT_MAX 256  // of what was done
#define STORE_FILE_MAX 4096 // of a path
#define STORE_TEXT_MAX (32u << 20)

// When, who and what made a revision. Texts are one line of printable characters.
struct store_revision {
	uint32_t number;
	int64_t at; // seconds since 1970, UTC
	uid_t uid;
	char user[STORE_USER_MAX]; // of that uid; empty: it has no name
	char what
		[STORE_WHAT_MAX]; // "set tenants.green.hosts [h5, h6]", "apply lab.yaml", "rollback 3"
	char file[STORE_FILE_MAX]; // the fabric's file when it came up, absolute; empty: none
};

struct store;

// Where the revisions of a fabric of the caller's are: $ROOST_STATE/NAME; else /var/lib/roost/NAME
// of root's, $XDG_STATE_HOME/roost/NAME or ~/.local/state/roost/NAME of another user's. Returns 0;
// -EINVAL when the name is none; -ENOENT when there is no place for them; -ENAMETOOLONG; then one
// line stands in err.
int store_directory(const char *name, char path[static STORE_FILE_MAX], char *err, size_t err_size);

// Opens the revisions of a fabric to read them. Returns 0, -ENOENT when there are none, or another
// -errno; then one line stands in err.
int store_open(struct store **out, const char *name, char *err, size_t err_size);
// The same to write: the directory is made, what a crash left of a revision that was never
// committed goes, and until store_close() no other process opens it so. Returns also -EBUSY when
// one has.
int store_open_to_write(struct store **out, const char *name, char *err, size_t err_size);
// NULL is fine.
void store_close(struct store *store);

// Makes a revision, numbered one above the last, of everything but revision->number, which is set.
// When it returns 0 the revision survives whatever comes; when it returns -errno, with one line in
// err, there is none: there is nothing between. Older ones than the last STORE_KEPT go.
int store_commit(struct store *store, struct store_revision *revision, const char *text,
		 size_t length, char *err, size_t err_size);

// The number of the last revision; 0: there is none.
uint32_t store_last(const struct store *store);

// Lists the revisions, oldest first, in *out for free(). One whose beginning does not read is left
// out. Returns 0, or -errno with one line in err.
int store_list(const struct store *store, struct store_revision **out, unsigned *count, char *err,
	       size_t err_size);

// Reads one revision: who made it, and its text for free(), of whose first lines, which say that,
// blanks are left. Returns 0, -ENOENT when it is not there, -EBADMSG when it does not read, or
// another -errno; then one line stands in err.
int store_read(const struct store *store, uint32_t number, struct store_revision *out, char **text,
	       size_t *length, char *err, size_t err_size);
// Where that revision is, for messages.
void store_path(const struct store *store, uint32_t number, char path[static STORE_FILE_MAX]);
