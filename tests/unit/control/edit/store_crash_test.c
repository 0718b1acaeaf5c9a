// SPDX-License-Identifier: BSD-3-Clause
// A process that commits a revision is killed before each of its system calls in turn, and behind
// each. Whoever opens the revisions then finds the old one or the new one, whole, and can go on.
// That a rename is not on disk before what it renames is seen from the order of the calls.
#include "control/edit/store_internal.h"
#include "place.h"
#include "dataplane/base/headers.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define STOPS_MAX 2000
#define OLD_TEXT "fabric: old\n"
#define NEW_TEXT "fabric: {new: 1}\n"

// The child opens, is traced from there on, commits, and ends.
static void
commit_traced(void)
{
	struct store *store = place_open();

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(3);
	raise(SIGSTOP);
	_exit(place_commit(store, "set", NEW_TEXT) > 0 ? 0 : 4);
}

// Notes a call that has been entered. Of what keeps its order only these matter.
static void
note_call(pid_t pid, char *calls, size_t size)
{
	static const struct {
		unsigned long number;
		const char *name;
	} names[] = {{SYS_write, "write "}, {SYS_fsync, "fsync "}, {SYS_renameat, "rename "}};
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (info.entry.nr == names[i].number && strlen(calls) + 16 < size)
			strcat(calls, names[i].name);
}

// Kills the child at its stop number `stop`. Returns false when it had ended before.
static bool
kill_at(unsigned stop, char *calls, size_t size)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		commit_traced();
	calls[0] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(
		ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
	for (unsigned i = 0;; i++) {
		if (i == stop)
			kill(pid, SIGKILL);
		else
			assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFSIGNALED(status))
			return true;
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			return false;
		}
		assert_int_equal(WSTOPSIG(status), SIGTRAP | 0x80);
		note_call(pid, calls, size);
	}
}

// What is there after the child: the old or the new, and room for more. Returns whether it was the
// new.
static bool
look(uint32_t old)
{
	struct store *store = place_open();
	uint32_t last = store_last(store);
	struct store_revision *list;
	unsigned count;
	struct diag diag = {0};
	bool new = last == old + 1;

	assert_true(last == old || new);
	place_require_text(store, old, OLD_TEXT);
	if (new)
		place_require_text(store, last, NEW_TEXT);
	assert_int_equal(place_commit(store, "set", "after: 1\n"), (int)last + 1);
	place_require_text(store, last + 1, "\nafter: 1\n");
	assert_int_equal(store_list(store, &list, &count, &diag), 0);
	assert_true(count <= STORE_KEPT);
	assert_int_equal(list[count - 1].number, last + 1);
	free(list);
	store_close(store);
	return new;
}

// Revisions up to `last`, without waiting for the disk.
static void
fill(const struct place *p, uint32_t last)
{
	struct store_revision r = {.what = "set"};
	char path[128], header[HEADER_MAX];

	store_close(place_open());
	for (r.number = 1; r.number <= last; r.number++) {
		FILE *to;

		snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/%u.yaml", p->path, r.number);
		to = fopen(path, "w");
		assert_non_null(to);
		header_write(&r, header);
		fprintf(to, "%s" OLD_TEXT, header);
		assert_int_equal(fclose(to), 0);
	}
}

static void
kill_everywhere(uint32_t last)
{
	unsigned stop, old = 0, new = 0;
	char calls[256];
	bool killed = true;

	for (stop = 0; killed; stop++) {
		struct place place;

		assert_true(stop < STOPS_MAX);
		place_make(&place);
		fill(&place, last);
		killed = kill_at(stop, calls, sizeof(calls));
		if (look(last))
			new ++;
		else
			old++;
		place_remove(&place);
	}
	// Several stops before the commit, several behind it, and the last was not killed.
	assert_true(old > 8);
	assert_true(new > 4);
	assert_string_equal(calls, "write write fsync rename fsync ");
}

static void
killed_at_any_call_it_is_old_or_new(void **state)
{
	(void)state;
	kill_everywhere(1);
}

static void
and_while_old_ones_make_room(void **state)
{
	(void)state;
	kill_everywhere(STORE_KEPT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_any_call_it_is_old_or_new),
		cmocka_unit_test(and_while_old_ones_make_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
