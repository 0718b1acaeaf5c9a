// SPDX-License-Identifier: BSD-3-Clause
#include "top_screen.h"

#include <curses.h>
#include <errno.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#define HEAD_LINES 2 // the title, and the headings
#define COLUMN_WIDTH 11
#define NAME_WIDTH_LEAST 16
#define NAME_WIDTH_MOST 40

int
top_screen_open(void)
{
	int error;

	// initscr() would end the process.
	if (setupterm(NULL, STDOUT_FILENO, &error) != OK || cursor_address == NULL ||
	    newterm(NULL, stdout, stdin) == NULL)
		return -ENOTTY;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	return 0;
}

void
top_screen_close(void)
{
	endwin();
}

static size_t
lines_of_rows(void)
{
	return LINES > HEAD_LINES ? (size_t)(LINES - HEAD_LINES) : 0;
}

// With a space behind the longest.
static int
width_of_names(const struct top_rows *rows)
{
	size_t width = NAME_WIDTH_LEAST;

	for (size_t i = 0; i < rows->count; i++)
		if (strlen(rows->rows[i].name) >= width)
			width = strlen(rows->rows[i].name) + 1;
	return width < NAME_WIDTH_MOST ? (int)width : NAME_WIDTH_MOST;
}

static void
draw_head(const struct top_screen *s, int names)
{
	const struct top_column *all;
	size_t count;

	all = top_columns(s->view, &count);
	mvaddnstr(0, 0, s->title, COLS);
	attron(A_REVERSE);
	mvhline(1, 0, ' ', COLS);
	if (s->column == -1)
		attron(A_BOLD);
	mvprintw(1, 0, "%-*.*s", names, COLS, top_name_of(s->view));
	attroff(A_BOLD);
	for (size_t k = 0; k < count; k++) {
		if ((int)k == s->column)
			attron(A_BOLD | A_UNDERLINE);
		if (names + (int)(k + 1) * COLUMN_WIDTH <= COLS)
			mvprintw(1, names + (int)k * COLUMN_WIDTH, "%*s", COLUMN_WIDTH,
				 all[k].heading);
		attroff(A_BOLD | A_UNDERLINE);
	}
	attroff(A_REVERSE);
}

void
top_screen_draw(struct top_screen *s, const struct top_rows *rows)
{
	const struct top_column *all;
	const int names = width_of_names(rows);
	char cell[TOP_CELL_MAX];
	size_t count;

	all = top_columns(s->view, &count);
	if (s->first >= rows->count)
		s->first = rows->count != 0 ? rows->count - 1 : 0;
	erase();
	draw_head(s, names);
	for (size_t i = 0; i < lines_of_rows() && s->first + i < rows->count; i++) {
		const struct top_row *row = &rows->rows[s->first + i];
		int line = HEAD_LINES + (int)i;

		mvaddnstr(line, 0, row->name, COLS < names ? COLS : names - 1);
		for (size_t k = 0; k < count; k++)
			if (names + (int)(k + 1) * COLUMN_WIDTH <= COLS)
				mvprintw(line, names + (int)k * COLUMN_WIDTH, "%*s", COLUMN_WIDTH,
					 top_cell(&all[k], row->values[k], cell));
	}
	refresh();
}

// By so many columns to the right, and round.
static void
sort_by(struct top_screen *s, int step)
{
	size_t count;

	top_columns(s->view, &count);
	s->column += step;
	if (s->column < -1)
		s->column = (int)count - 1;
	else if (s->column >= (int)count)
		s->column = -1;
}

enum top_key
top_screen_wait(struct top_screen *s, int timeout_ms)
{
	const size_t page = lines_of_rows();

	timeout(timeout_ms);
	switch (getch()) {
	case ERR:
		return TOP_KEY_NONE;
	case 'q':
	case 'Q':
		return TOP_KEY_QUIT;
	case 's':
	case KEY_RIGHT:
		sort_by(s, 1);
		return TOP_KEY_SORT;
	case KEY_LEFT:
		sort_by(s, -1);
		return TOP_KEY_SORT;
	case KEY_DOWN:
		s->first++;
		return TOP_KEY_DRAW;
	case KEY_UP:
		s->first -= s->first != 0;
		return TOP_KEY_DRAW;
	case KEY_NPAGE:
		s->first += page;
		return TOP_KEY_DRAW;
	case KEY_PPAGE:
		s->first -= s->first < page ? s->first : page;
		return TOP_KEY_DRAW;
	default: // also a new size of the terminal
		return TOP_KEY_DRAW;
	}
}
