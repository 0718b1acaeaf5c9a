// SPDX-License-Identifier: BSD-3-Clause
// The version of the format of files, and what differed in files of earlier versions of Roost.
#pragma once

#include "yaml_tree.h"

// Files that this version writes begin with `version: 1`. A file without `version` can be of any
// earlier version. Raise it with each row of format.c.
#define FORMAT_VERSION 1
#define FORMAT_VERSION_TEXT "1" // the same

enum format_kind {
	FORMAT_KEY,     // a key was renamed
	FORMAT_WORD,    // a word among the values of a key was renamed
	FORMAT_DEFAULT, // a key that the file leaves out had another default
};

// One key that has changed. A place is a path of keys with dots; `*` stands for any key, or for the
// items of a list.
struct format_row {
	unsigned since; // the first version with the new form
	enum format_kind kind;
	const char *
		place; // KEY, DEFAULT: of the map that has the key, "": the file; WORD: of the word
	const char *was;       // an old name never becomes the name of something else
	const char *now;       // DEFAULT: what has changed, for a user
	const char *beside;    // DEFAULT: only where the map also has this key; or NULL
	const char *unless[2]; // DEFAULT: not where this section of the file has this key; or NULL
	bool node_first;       // not where the topology has a node of this name
};

// The rows, up to one without `was`.
extern const struct format_row format_rows[];

// A place in a file where a row applies.
struct format_change {
	const struct format_row *row;
	struct diag_pos pos; // KEY: of the key; WORD: of the word; DEFAULT: of the map
	const char *path;    // of what changes, "fabric.topology.hosts_per_leaf"
};

struct format_changes {
	struct format_change *items; // in the arena
	unsigned count;
};

// Gives the keys and words of a file's tree their present names, and lists what it changed and
// which defaults differ. Returns 0, or -EINVAL with the errors in diag: the file is of a newer
// version, or has both the old and the new name of a key. name: of the file, for messages.
int format_upgrade(struct yaml_node *root, struct arena *arena, const char *name,
		   struct format_changes *out, struct diag *diag);
// Adds a warning for each key and word that was renamed. revision: the file is a fabric's revision,
// which no user edits.
void format_warn(const struct format_changes *changes, const char *name, bool revision,
		 struct diag *diag);
// Has the tree begin with `version`, unless it has that key or is no map.
void format_mark(struct yaml_node *root, struct arena *arena);
// Reads the text of a file as a tree with present names that begins with `version`, to be compared
// with what runs. Returns as yaml_tree_parse() and format_upgrade().
int format_parse(struct yaml_node **out, struct arena *arena, const char *text, size_t length,
		 const char *name, struct diag *diag);
