#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define REPLACEMENT "\xef\xbf\xbd"

size_t pt_text_utf8(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n, i;
	uint32_t c;

	if (!len)
		return 0;
	if (u[0] < 0x80)
		return 1;
	n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : u[0] >= 0xc2 ? 2 : 0;
	if (!n || u[0] > 0xf4 || n > len)
		return 0;
	c = u[0] & (0xffu >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

/* Marks that change the direction of text (U+202A to U+202E, U+2066 to U+2069): a name could look
 * like another one. C1 controls: terminals may take them for CSI. */
static bool misleads(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;

	if (n == 2)
		return u[0] == 0xc2 && u[1] < 0xa0;
	return n == 3 && u[0] == 0xe2 &&
	       ((u[1] == 0x80 && u[2] >= 0xaa && u[2] <= 0xae) ||
		(u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

size_t pt_text_unsafe(const char *s, size_t len)
{
	size_t utf8;

	if (!len)
		return 0;
	if ((unsigned char)*s < 0x20 || *s == 0x7f)
		return 1;
	utf8 = pt_text_utf8(s, len);
	return !utf8 ? 1 : misleads(s, utf8) ? utf8 : 0;
}

static void base_text_add_hex(struct pt_buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char text[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

	pt_buf_add(b, text, 4);
}

size_t pt_text_ascii(const char *s, size_t len)
{
	const uint64_t ones = ~0ull / 255;
	uint64_t w;
	size_t i;

	for (i = 0; len >= 8 && i < len; i += 8) {
		i = PT_MIN(i, len - 8);
		memcpy(&w, s + i, 8);
		if ((w | (w + ones) | (w - 0x20 * ones)) & 0x80 * ones)
			break;
	}
	while (i < len && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] < 0x7f)
		i++;
	return i;
}

void pt_text_plain(struct pt_buf *b, const char *s, size_t len)
{
	size_t i, n, from = 0;

	for (i = pt_text_ascii(s, len); i < len; i += n) {
		size_t unsafe = pt_text_unsafe(s + i, len - i);

		n = unsafe ? unsafe : pt_text_utf8(s + i, len - i);
		if (!unsafe)
			continue;
		pt_buf_add(b, s + from, i - from);
		for (from = i + n; unsafe; unsafe--)
			base_text_add_hex(b, (unsigned char)s[from - unsafe]);
	}
	pt_buf_add(b, s + from, len - from);
}

void pt_text_puts(struct pt_buf *b, const char *s)
{
	pt_text_plain(b, s, strlen(s));
}

void pt_text_valid(struct pt_buf *b, const char *s, size_t len)
{
	size_t i, n, from = 0;

	for (i = 0; i < len; i += n) {
		n = pt_text_utf8(s + i, len - i);
		if (n)
			continue;
		pt_buf_add(b, s + from, i - from);
		pt_buf_puts(b, REPLACEMENT);
		from = i + (n = 1);
	}
	pt_buf_add(b, s + from, len - from);
}

void pt_text_json(struct pt_buf *b, const char *s, size_t len)
{
	size_t i, n, from = 0;

	for (i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)s[i];

		n = 1;
		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
			continue;
		n = pt_text_utf8(s + i, len - i);
		if (n > 1 && !misleads(s + i, n))
			continue;
		pt_buf_add(b, s + from, i - from);
		if (n == 2) {
			pt_buf_printf(b, "\\u%04x", (unsigned char)s[i + 1]);
		} else if (n == 3) {
			pt_buf_printf(b, "\\u20%02x", ((unsigned char)s[i + 1] & 1) << 6 |
					      ((unsigned char)s[i + 2] & 0x3f));
		} else if (!n) {
			pt_buf_puts(b, REPLACEMENT);
			n = 1;
		} else if (c == '"' || c == '\\') {
			pt_buf_putc(b, '\\');
			pt_buf_putc(b, (char)c);
		} else if (c == '\n') {
			pt_buf_puts(b, "\\n");
		} else if (c == '\t') {
			pt_buf_puts(b, "\\t");
		} else {
			pt_buf_printf(b, "\\u%04x", c);
		}
		from = i + n;
	}
	pt_buf_add(b, s + from, len - from);
}

void pt_text_xml(struct pt_buf *b, const char *s, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)s[i];

		n = pt_text_utf8(s + i, len - i);
		if (c == '&')
			pt_buf_puts(b, "&amp;");
		else if (c == '<')
			pt_buf_puts(b, "&lt;");
		else if (c == '>')
			pt_buf_puts(b, "&gt;");
		else if (c == '"')
			pt_buf_puts(b, "&quot;");
		else if (c == '\'')
			pt_buf_puts(b, "&#39;");
		else if (!n || c < 0x20 || c == 0x7f || misleads(s + i, n) ||
			 (n == 3 && c == 0xef && (unsigned char)s[i + 1] == 0xbf &&
			  (unsigned char)s[i + 2] >= 0xbe))
			pt_buf_puts(b, REPLACEMENT);
		else
			pt_buf_add(b, s + i, n);
		n = n ? n : 1;
	}
}

void pt_text_shell(struct pt_buf *b, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/%@";

	if (*word && !word[strspn(word, plain)]) {
		pt_buf_puts(b, word);
		return;
	}
	pt_buf_putc(b, '\'');
	for (; *word; word++)
		if (*word == '\'')
			pt_buf_puts(b, "'\\''");
		else
			pt_buf_putc(b, *word);
	pt_buf_putc(b, '\'');
}

bool pt_text_glob(const char *pattern, const char *s)
{
	return !fnmatch(pattern, s, 0);
}

size_t pt_text_distance(const char *a, const char *b, size_t max)
{
	size_t la = strlen(a), lb = strlen(b), i, j, best;
	size_t *row, *last, *before, *swap;

	if ((la > lb ? la - lb : lb - la) > max || la > 256 || lb > 256)
		return max + 1;
	row = pt_alloc_array(3 * (lb + 1), sizeof(*row));
	last = row + lb + 1;
	before = last + lb + 1;
	swap = row;		/* to free */
	for (j = 0; j <= lb; j++)
		last[j] = j;
	for (i = 1; i <= la; i++) {
		size_t *tmp;

		row[0] = best = i;
		for (j = 1; j <= lb; j++) {
			size_t v = last[j - 1] + (a[i - 1] != b[j - 1]);

			v = PT_MIN(v, last[j] + 1);
			v = PT_MIN(v, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				v = PT_MIN(v, before[j - 2] + 1);
			row[j] = v;
			best = PT_MIN(best, v);
		}
		if (best > max) {
			free(swap);
			return max + 1;
		}
		tmp = before, before = last, last = row, row = tmp;
	}
	best = last[lb];
	free(swap);
	return PT_MIN(best, max + 1);
}

size_t pt_text_width(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

size_t pt_text_fit(const char *s, size_t len, size_t columns)
{
	size_t i = 0;

	for (size_t n = 0; i < len; i++) {
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
		if (n > columns)
			break;
	}
	return i;
}

void pt_text_cut(struct pt_buf *b, const char *s, size_t len, size_t columns)
{
	size_t fits = pt_text_fit(s, len, columns);

	pt_buf_add(b, s, fits);
	if (fits < len)
		pt_buf_puts(b, "\342\200\246");
}

const char *pt_text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

char *pt_text_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? pt_strndup(path, (size_t)(slash - path) + 1) : pt_strdup(".");
}

static bool base_text_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool pt_text_has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		if ((p == text || !base_text_is_word(p[-1])) && !base_text_is_word(p[n]))
			return true;
	return false;
}
