// SPDX-License-Identifier: BSD-3-Clause
// One process at a time has the lock; only the owner can take it; nothing of it stays behind.
#include "control/api/api.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS 200
#define PROCESSES 4

static char directory[64], run[API_PATH_MAX], path[API_PATH_MAX];
static struct diag diag;

static int
setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/roost-lock-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(run, sizeof(run), "%s/run", directory);
	snprintf(path, sizeof(path), "%.80s/demo.sock", run);
	return 0;
}

// The lock's file is gone, or the directory could not be removed.
static int
teardown(void **state)
{
	(void)state;
	diag_free(&diag);
	assert_int_equal(rmdir(run), 0);
	return rmdir(directory);
}

static int
take(struct api_lock *lock, int wait_ms)
{
	diag_free(&diag);
	return api_lock(lock, path, wait_ms, &diag);
}

static void
test_mode_and_directory(void **state)
{
	char file[API_PATH_MAX + 16];
	struct api_lock lock;
	struct stat is;

	(void)state;
	assert_int_equal(take(&lock, 0), 0);
	assert_int_equal(stat(run, &is), 0);
	assert_int_equal(is.st_mode & 07777, 0700);
	snprintf(file, sizeof(file), "%.80s/demo.lock", run);
	assert_int_equal(stat(file, &is), 0);
	assert_int_equal(is.st_mode & 07777, 0600);
	api_unlock(&lock);
	assert_int_equal(access(file, F_OK), -1);
}

// A child that takes the lock, says so, and keeps it until it is killed.
static pid_t
hold(void)
{
	int pipes[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		struct api_lock lock;

		if (take(&lock, 0) == 0 && write(pipes[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return child;
}

static void
test_the_holder_is_named(void **state)
{
	struct api_lock lock;
	char named[64];
	pid_t child = hold();

	(void)state;
	assert_int_equal(take(&lock, 30), -EBUSY);
	snprintf(named, sizeof(named), "process %d is bringing", (int)child);
	assert_non_null(strstr(diag_first_error(&diag), named));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(take(&lock, 0), 0); // the file was there
	api_unlock(&lock);
}

// A lock on the directory is no lock: others may open it.
static void
test_the_directory_itself(void **state)
{
	struct api_lock lock;
	int fd;

	(void)state;
	assert_int_equal(mkdir(run, 0755), 0);
	fd = open(run, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(take(&lock, 0), 0);
	api_unlock(&lock);
	close(fd);
}

static void
test_a_directory_that_others_may_write(void **state)
{
	struct api_lock lock;

	(void)state;
	assert_int_equal(mkdir(run, 0700), 0);
	assert_int_equal(chmod(run, 01777), 0);
	assert_int_equal(take(&lock, 0), -EPERM);
	assert_non_null(strstr(diag_first_error(&diag), "chmod go-w"));
}

static void
test_what_stands_in_its_place(void **state)
{
	char file[API_PATH_MAX + 16];
	struct api_lock lock;

	(void)state;
	assert_int_equal(mkdir(run, 0700), 0);
	snprintf(file, sizeof(file), "%.80s/demo.lock", run);
	assert_int_equal(symlink("/etc/passwd", file), 0);
	assert_int_equal(take(&lock, 0), -ELOOP);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_int_equal(take(&lock, 0), -EPERM);
	assert_int_equal(unlink(file), 0);
}

// Adds 1 to a file's number, in two steps that must not mix with another's.
static void
add_one(const char *counter)
{
	char text[32] = "";
	int fd = open(counter, O_RDWR | O_CREAT, 0600);

	(void)!read(fd, text, sizeof(text) - 1);
	snprintf(text, sizeof(text), "%d", atoi(text) + 1);
	(void)!pwrite(fd, text, strlen(text), 0);
	close(fd);
}

static void
test_processes_take_turns(void **state)
{
	char counter[API_PATH_MAX + 16], text[32] = "";
	struct api_lock lock;
	int fd, status;

	(void)state;
	snprintf(counter, sizeof(counter), "%s/counter", directory);
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() != 0)
			continue;
		for (int k = 0; k < ROUNDS / PROCESSES; k++) {
			if (take(&lock, 60000) != 0)
				_exit(1);
			add_one(counter);
			api_unlock(&lock);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	fd = open(counter, O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_int_equal(atoi(text), ROUNDS);
	assert_int_equal(unlink(counter), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_mode_and_directory),       T(test_the_holder_is_named),
		T(test_the_directory_itself),     T(test_a_directory_that_others_may_write),
		T(test_what_stands_in_its_place), T(test_processes_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
