// SPDX-License-Identifier: BSD-3-Clause
// Runs a command and prints the largest resident set that it had, in bytes. A program of its own
// and a small one, because the kernel counts what a process had before it became the command.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: resident COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[1], &argv[1]);
		fprintf(stderr, "resident: %s: %s\n", argv[1], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		fprintf(stderr, "resident: %s\n", strerror(errno));
		return 1;
	}
	printf("%ld\n", usage.ru_maxrss * 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
