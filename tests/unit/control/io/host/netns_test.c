// SPDX-License-Identifier: BSD-3-Clause
#include "control/io/host/netns.h"

#include "control/io/host/link.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char name[64];

static ino_t
inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static int
tell_inode(void *arg)
{
	int fd = netns_open(NULL);

	assert_true(fd >= 0);
	*(ino_t *)arg = inode_of(fd);
	close(fd);
	return 17;
}

static void
refuses_names_that_are_paths(void **state)
{
	struct diag diag = {0};
	bool created;

	(void)state;
	assert_int_equal(netns_create("", "demo", &created, &diag), -EINVAL);
	assert_int_equal(netns_create("../x", "demo", &created, &diag), -EINVAL);
	assert_int_equal(netns_delete(".."), -EINVAL);
	assert_int_equal(netns_open("a/b"), -EINVAL);
	assert_int_equal(netns_open("roost-no-such-namespace"), -ENOENT);
	diag_free(&diag);
}

static void
makes_enters_and_removes_one(void **state)
{
	int here = netns_open(NULL);
	ino_t inside, still;
	bool created;
	struct diag diag = {0};
	char path[128];
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(netns_create(name, "demo", &created, &diag), 0);
	assert_true(created);
	assert_int_equal(netns_create(name, "demo", &created, &diag), 0);
	assert_false(created);
	fd = netns_open(name);
	assert_true(fd >= 0);
	assert_int_equal(netns_run(fd, tell_inode, &inside), 17);
	assert_int_equal(inside, inode_of(fd));
	assert_int_not_equal(inside, inode_of(here));
	assert_int_equal(netns_run(-1, tell_inode, &still), 17);
	assert_int_equal(still, inode_of(here));
	close(fd);
	close(here);
	assert_int_equal(netns_delete(name), 0);
	assert_int_equal(netns_delete(name), -ENOENT);
	snprintf(path, sizeof(path), "/var/run/netns/%s", name);
	assert_int_not_equal(access(path, F_OK), 0);
}

// What is left when a removal is cut short between unmount and unlink.
static void
takes_over_a_stale_file(void **state)
{
	struct diag diag = {0};
	char path[128];
	bool created;
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(netns_create(name, "demo", &created, &diag), 0);
	assert_int_equal(netns_delete_own(name, "another"), -EPERM);
	assert_int_equal(netns_delete_own(name, "demo"), 0);
	assert_int_equal(netns_delete_own(name, "demo"), -ENOENT);
	snprintf(path, sizeof(path), "/var/run/netns/%s", name);
	fd = open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(netns_open(name), -EINVAL);
	assert_int_equal(netns_create(name, "demo", &created, &diag), 0);
	assert_true(created);
	fd = netns_open(name);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(netns_delete(name), 0);
}

static int
loopback_is_up(void *arg)
{
	struct link_info info;

	(void)arg;
	return link_get("lo", &info) == 0 && info.up;
}

// In a child, because a process cannot leave its private namespace by itself.
static void
private_namespace_has_only_loopback(void **state)
{
	int status;
	pid_t child;

	(void)state;
	if (geteuid() != 0)
		skip();
	child = fork();
	if (child == 0) {
		ino_t inside = 0, outside = 0;
		int previous;

		if (netns_enter_private(&previous) != 0)
			_exit(1);
		tell_inode(&inside);
		netns_run(previous, tell_inode, &outside);
		_exit(inside != outside && loopback_is_up(NULL) ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void
runs_a_command_inside(void **state)
{
	// /sys must show the namespace's interfaces: loopback and nothing else.
	char *const argv[] = {"sh", "-c", "test \"$(ls /sys/class/net)\" = lo", NULL};
	char *const missing[] = {"roost-no-such-command", NULL};
	struct diag diag = {0};
	bool created;
	int status;
	pid_t child;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(netns_create(name, "demo", &created, &diag), 0);
	child = fork();
	if (child == 0)
		_exit(-host_exec(name, argv, &diag));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	child = fork();
	if (child == 0)
		_exit(-host_exec(name, missing, &diag) != ENOENT ||
		      strcmp(diag_first_error(&diag),
			     "roost-no-such-command: No such file or directory") != 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(netns_delete(name), 0);
	// The same number, but not the command's.
	assert_int_equal(host_exec(name, argv, &diag), -ENOENT);
	assert_non_null(strstr(diag_first_error(&diag), "is gone: somebody has removed it"));
	diag_free(&diag);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_names_that_are_paths),
		cmocka_unit_test(makes_enters_and_removes_one),
		cmocka_unit_test(takes_over_a_stale_file),
		cmocka_unit_test(private_namespace_has_only_loopback),
		cmocka_unit_test(runs_a_command_inside),
	};

	snprintf(name, sizeof(name), "roost-netns-test-%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
