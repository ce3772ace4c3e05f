/* keys.h - the keys that a full screen gives (cli/screen.h), and how its lines look: for code that
 * says what is on it (profile/browse.h). */
#ifndef PT_BASE_KEYS_H
#define PT_BASE_KEYS_H

/* Keys are characters, or one of these. */
enum pt_screen_key {
	PT_SCREEN_NO_KEY,		/* none was pressed */
	PT_SCREEN_BACKSPACE = 8,
	PT_SCREEN_ENTER = '\n',
	PT_SCREEN_ESCAPE = 27,
	PT_SCREEN_UP = 256,
	PT_SCREEN_DOWN,
	PT_SCREEN_LEFT,
	PT_SCREEN_RIGHT,
	PT_SCREEN_PAGE_UP,
	PT_SCREEN_PAGE_DOWN,
	PT_SCREEN_HOME,
	PT_SCREEN_END,
	PT_SCREEN_RESIZED,
	PT_SCREEN_GONE,			/* the terminal was closed */
};

enum pt_style {
	PT_STYLE_PLAIN,
	PT_STYLE_HEAD,
	PT_STYLE_SELECTED,
	/* perf's colours: from half a percent on, from five percent on */
	PT_STYLE_WARM,
	PT_STYLE_HOT,
};

#endif
