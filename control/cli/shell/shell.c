// SPDX-License-Identifier: BSD-3-Clause
// `roost` alone on a terminal. A line is read with libedit, split into words as a shell does, and
// run in a child process. So the shell continues when a command exits, crashes or is interrupted,
// and what the command changes, such as the environment, does not affect later ones. Ctrl-C ends
// the line that is edited, or the command that runs.
#include "shell.h"

#include "control/api/api.h"
#include "control/base/memory.h"
#include "split.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROMPT_MAX 80

struct shell {
	const struct cli_program *program;
	int (*main)(int argc, char **argv);
	EditLine *editor;
	History *past;
	char prompt[PROMPT_MAX];
	char last[SHELL_LINE_MAX + 1]; // line of the history
	bool forgetful;                // the history cannot be written, and that was reported
	bool cancelled;                // Ctrl-C ended the line
};

// "roost(demo)> " if commands would find one fabric, else "roost> ".
static void
make_prompt(struct shell *shell)
{
	char path[API_PATH_MAX];
	struct diag ignored = {0};
	const char *name;
	int rc = api_socket_find(api_socket_name(NULL), path, &ignored);

	diag_free(&ignored);
	snprintf(shell->prompt, sizeof(shell->prompt), "roost> ");
	if (rc != 0)
		return;
	name = strrchr(path, '/') + 1;
	snprintf(shell->prompt, sizeof(shell->prompt), "roost(%.*s)> ", (int)strcspn(name, "."),
		 name);
}

static char *
prompt_of(EditLine *editor)
{
	struct shell *shell = NULL;

	el_get(editor, EL_CLIENTDATA, &shell);
	return shell->prompt;
}

// Ctrl-C is an ordinary key while a line is edited: a signal between two polls could be missed.
static unsigned char
on_cancel(EditLine *editor, int key)
{
	struct shell *shell = NULL;

	(void)key;
	el_get(editor, EL_CLIENTDATA, &shell);
	shell->cancelled = true;
	return CC_EOF;
}

// ---- running ------------------------------------------------------------------------------------

static void
run_child(const struct shell *shell, struct shell_words *words, unsigned first)
{
	char *argv[SHELL_WORDS_MAX + 2] = {(char[]){"roost"}};
	int argc = 1, status;

	for (unsigned i = first; i < words->count; i++)
		argv[argc++] = words->words[i];
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	status = shell->main(argc, argv);
	fflush(NULL);
	_exit(status);
}

static void
run_words(const struct shell *shell, struct shell_words *words, unsigned first)
{
	pid_t child;
	int status = 0;

	fflush(NULL);
	child = fork();
	if (child == 0)
		run_child(shell, words, first);
	if (child < 0) {
		fprintf(stderr, "roost: %s\n", strerror(errno));
		return;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		putchar('\n');
	else if (WIFSIGNALED(status))
		fprintf(stderr, "roost: ended by signal %d: %s\n", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
}

static bool
is_word(const struct shell_words *words, unsigned first, const char *word)
{
	return words->count == first + 1 && strcmp(words->words[first], word) == 0;
}

// Runs a line. Returns false when it ends the shell.
static bool
run_line(const struct shell *shell, const char *line)
{
	struct shell_words words;
	unsigned first;

	if (shell_split(&words, line) != 0) {
		fprintf(stderr, "roost: the line is too long\n");
		return true;
	}
	if (words.quote != 0) {
		fprintf(stderr, "roost: the line ends within %s\n",
			words.quote == '\\' ? "an escape (\\)" : "quotes");
		return true;
	}
	first = words.count > 0 && strcmp(words.words[0], "roost") == 0;
	if (words.count == first)
		return true;
	if (is_word(&words, first, "exit") || is_word(&words, first, "quit"))
		return false;
	run_words(shell, &words, first);
	return true;
}

// ---- reading ------------------------------------------------------------------------------------

static void
remember(struct shell *shell, const char *line)
{
	HistEvent event;
	int status;

	if (line[strspn(line, " \t")] == '\0' || strcmp(line, shell->last) == 0 ||
	    strlen(line) > SHELL_LINE_MAX)
		return;
	strcpy(shell->last, line);
	history(shell->past, &event, H_ENTER, line);
	status = shell_history_append(line);
	if (status != 0 && !shell->forgetful)
		fprintf(stderr, "roost: the history cannot be saved: %s\n", strerror(-status));
	shell->forgetful |= status != 0;
}

// Reads a line, without its newline. Returns NULL at the end of input, and if Ctrl-C ended the
// line.
static char *
read_line(struct shell *shell)
{
	int length = 0;
	const char *line;
	char *copy;

	// Before the prompt, so that keys typed as soon as it appears, also Ctrl-D, reach the
	// editor.
	el_set(shell->editor, EL_PREP_TERM, 1);
	shell->cancelled = false;
	line = el_gets(shell->editor, &length);
	if (line == NULL || length <= 0)
		return NULL;
	copy = memory_text_part(line, (size_t)length);
	copy[strcspn(copy, "\n")] = '\0';
	return copy;
}

static void
read_and_run(struct shell *shell)
{
	bool running = true;

	while (running) {
		char *line;

		make_prompt(shell);
		line = read_line(shell);
		if (line == NULL && shell->cancelled) {
			putchar('\n');
			continue;
		}
		if (line == NULL)
			break;
		remember(shell, line);
		running = run_line(shell, line);
		free(line);
	}
}

static int
shell_open(struct shell *shell)
{
	HistEvent event;

	shell->editor = el_init("roost", stdin, stdout, stderr);
	shell->past = history_init();
	if (shell->editor == NULL || shell->past == NULL)
		return -EIO;
	history(shell->past, &event, H_SETSIZE, SHELL_HISTORY_MAX);
	shell_history_load(shell->past);
	el_set(shell->editor, EL_CLIENTDATA, shell);
	el_set(shell->editor, EL_PROMPT, prompt_of);
	el_set(shell->editor, EL_HIST, history, shell->past);
	el_set(shell->editor, EL_EDITOR, "emacs");
	el_set(shell->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(shell->editor, EL_SETTY, "-d", "-isig", NULL);
	el_set(shell->editor, EL_ADDFN, "roost-cancel", "end the line", on_cancel);
	el_set(shell->editor, EL_BIND, "^C", "roost-cancel", NULL);
	el_source(shell->editor, NULL);
	return shell_bind(shell->editor) == 0 ? 0 : -EIO;
}

const struct cli_program *
shell_program(EditLine *editor)
{
	struct shell *shell = NULL;

	el_get(editor, EL_CLIENTDATA, &shell);
	return shell->program;
}

int
shell_run(const struct cli_program *program, int (*main)(int argc, char **argv))
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct shell *shell = memory_new(sizeof(*shell), "shell");
	int status;

	shell->program = program;
	shell->main = main;
	status = shell_open(shell);
	if (status != 0) {
		fprintf(stderr, "roost: the line editor: %s\n", strerror(-status));
	} else {
		// Ctrl-C is for the command that runs.
		sigaction(SIGINT, &ignore, &before);
		printf("? lists what may follow, TAB completes it, exit or Ctrl-D ends the "
		       "shell.\n");
		read_and_run(shell);
		putchar('\n');
		sigaction(SIGINT, &before, NULL);
	}
	if (shell->editor != NULL)
		el_end(shell->editor);
	if (shell->past != NULL)
		history_end(shell->past);
	free(shell);
	return status == 0 ? EXIT_OK : EXIT_FAILED;
}
