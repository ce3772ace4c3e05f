#include "cli/screen.h"

#ifdef PT_WITH_NCURSES
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

struct pt_screen {
	SCREEN *screen;
	FILE *keys;
	bool colours;
};

static const int ends[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGSEGV, SIGABRT, SIGFPE, SIGILL };

/* The handler is gone by now (SA_RESETHAND): the second signal ends the process. */
static void screen_restore(int signal)
{
	endwin();
	raise(signal);
}

static void watch_signals(void)
{
	struct sigaction sa = { .sa_handler = screen_restore, .sa_flags = (int)SA_RESETHAND },
			 before;

	for (size_t i = 0; i < PT_NR(ends); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &sa, NULL);
}

static void start_colours(struct pt_screen *s)
{
	s->colours = s->colours && has_colors() && start_color() != ERR;
	if (!s->colours)
		return;
	use_default_colors();
	init_pair(PT_STYLE_WARM, COLOR_GREEN, -1);
	init_pair(PT_STYLE_HOT, COLOR_RED, -1);
}

int pt_screen_open(struct pt_screen **out, bool colours, struct pt_err *e)
{
	struct pt_screen *s;
	FILE *keys = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	const char *term = getenv("TERM");

	if (!keys)
		return pt_err_set(e, "no terminal gives keys (--text prints without one)");
	s = pt_alloc(sizeof(*s));
	s->keys = keys;
	s->colours = colours;
	setlocale(LC_CTYPE, "");
	watch_signals();		/* before ncurses does, which would exit with 1 */
	s->screen = newterm(NULL, stdout, keys);
	if (!s->screen) {
		pt_err_set(e, "the terminal '%s' is not known (set TERM, or use --text)",
			   term ? term : "");
		pt_screen_close(s);
		return -1;
	}
	set_term(s->screen);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	start_colours(s);
	*out = s;
	return 0;
}

void pt_screen_close(struct pt_screen *s)
{
	if (!s)
		return;
	if (s->screen) {
		endwin();
		delscreen(s->screen);
	}
	if (s->keys != stdin)
		fclose(s->keys);
	free(s);
}

/* Where the locale has bytes alone, a character beyond ASCII is a `?`. */
static void screen_put_text(const char *text, size_t len)
{
	bool bytes = MB_CUR_MAX == 1;
	unsigned char c;

	for (size_t i = 0; bytes && i < len; i++) {
		c = (unsigned char)text[i];
		if ((c & 0xc0) != 0x80)
			addch(c < 0x80 ? c : '?');
	}
	if (!bytes)
		addnstr(text, (int)len);
}

static void screen_put_line(void *screen, size_t line, enum pt_style style, const char *text,
			    size_t len)
{
	const struct pt_screen *s = screen;
	attr_t how = A_NORMAL;

	if (style == PT_STYLE_HEAD)
		how = A_BOLD;
	else if (style == PT_STYLE_SELECTED)
		how = A_REVERSE;
	else if (s->colours && style != PT_STYLE_PLAIN)
		how = (attr_t)COLOR_PAIR(style);
	move((int)line, 0);
	clrtoeol();
	attrset((int)how);
	screen_put_text(text, len);
	attrset(A_NORMAL);
}

void pt_screen_draw(struct pt_screen *s, struct pt_browse *b)
{
	pt_browse_draw(b, (size_t)PT_MAX(getmaxy(stdscr), 1), (size_t)PT_MAX(getmaxx(stdscr), 1),
		       screen_put_line, s);
	refresh();
}

static int screen_key_of(int c)
{
	switch (c) {
	case KEY_UP:
		return PT_SCREEN_UP;
	case KEY_DOWN:
		return PT_SCREEN_DOWN;
	case KEY_LEFT:
		return PT_SCREEN_LEFT;
	case KEY_RIGHT:
		return PT_SCREEN_RIGHT;
	case KEY_PPAGE:
		return PT_SCREEN_PAGE_UP;
	case KEY_NPAGE:
		return PT_SCREEN_PAGE_DOWN;
	case KEY_HOME:
		return PT_SCREEN_HOME;
	case KEY_END:
		return PT_SCREEN_END;
	case KEY_BACKSPACE:
	case 127:
		return PT_SCREEN_BACKSPACE;
	case KEY_ENTER:
	case '\r':
		return PT_SCREEN_ENTER;
	case KEY_RESIZE:
		return PT_SCREEN_RESIZED;
	default:
		return c > 0 && c < 256 ? c : PT_SCREEN_NO_KEY;
	}
}

int pt_screen_key(struct pt_screen *s, bool wait)
{
	int c;

	nodelay(stdscr, !wait);
	c = getch();
	if (c == ERR)
		return feof(s->keys) || wait ? PT_SCREEN_GONE : PT_SCREEN_NO_KEY;
	return screen_key_of(c);
}
#else
/* a build without ncurses: there is never a screen */
int pt_screen_open(struct pt_screen **s, bool colours, struct pt_err *e)
{
	(void)colours;
	*s = NULL;
	return pt_err_set(e, "this build is without ncurses: --text prints the table");
}

void pt_screen_close(struct pt_screen *s)
{
	(void)s;
}

void pt_screen_draw(struct pt_screen *s, struct pt_browse *b)
{
	(void)s;
	(void)b;
}

int pt_screen_key(struct pt_screen *s, bool wait)
{
	(void)s;
	(void)wait;
	return PT_SCREEN_GONE;
}
#endif
