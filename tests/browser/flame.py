# The flame graph driven in a browser: zoom, sandwich, search with its share, keys, links, tooltips, contrast, the window's width, differences, light and dark, deep stacks, hostile names, as a plain picture.
import os, re, subprocess, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["PT_TOP"], "tests/lib"))
import browser
from browser import OUT, ActionChains, By, Keys, check, same_without_style, scheme, start

SIZE = "1300,700"
FULL = 1280		# pixels of the frames: as wide as the window
STACKS = {
    "app;main;parse;lex": 30, "app;main;parse;lex;read_[k]": 10, "app;main;parse": 5, "app;main;parse;reduce;parse": 15,
    "app;main;run;std::map<int, char>::find": 20, "app;main;run;std::map<int, char>::find;hash_[i]": 8, "app;main;run;Lcom/x/Bar:.run_[j]": 7,
    "app;main;idle;lex": 5,
}
TOTAL = sum(STACKS.values())


def share(pattern, stacks=STACKS):
    """What flamegraph.pl's search shows: the share of stacks with a frame that matches."""
    n = sum(c for s, c in stacks.items() if any(re.search(pattern, f) for f in s.split(";")))
    return "%.2f%%" % (100 * n / sum(stacks.values()))


def flame(stacks, name, *options):
    text = stacks if isinstance(stacks, bytes) else "".join("%s %s\n" % (s, c if isinstance(c, (int, float)) else "%d %d" % c) for s, c in stacks.items()).encode()
    svg = subprocess.run(["pt-flame", *options], input=text, stdout=subprocess.PIPE, check=True).stdout
    with open(name, "wb") as f:
        f.write(svg)
    return "file://" + os.path.abspath(name)


def boxes(d):
    """title -> (x, y, width, fill) of all frames shown"""
    return {b[0]: b[1:] for b in d.execute_script(
        "return Array.from(document.querySelectorAll('.boxes rect')).map(r => [r.querySelector('title').textContent, "
        "+r.getAttribute('x'), +r.getAttribute('y'), +r.getAttribute('width'), getComputedStyle(r).fill, r.getAttribute('class')])")}


def named(d, name):
    return [(t, b) for t, b in boxes(d).items() if t.startswith(name + " ")]


def point(d, box, click=False):
    chain = ActionChains(d)
    chain.w3c_actions.pointer_action.move_to_location(int(box[0] + min(box[2] / 2, 30)), int(box[1] + 5))
    if click:
        chain.w3c_actions.pointer_action.click()
    chain.perform()


def poll(true):
    end = time.time() + 30
    while not true() and time.time() < end:
        time.sleep(.05)


def text(d, selector):
    e = d.find_elements(By.CSS_SELECTOR, selector)
    return e[0].get_attribute("textContent") if e else None


def keys(d, *k):
    ActionChains(d).send_keys(*k).perform()


def search(d, pattern):
    keys(d, "/")
    d.switch_to.active_element.send_keys(Keys.CONTROL, "a")
    d.switch_to.active_element.send_keys(pattern, Keys.ENTER)


def shot(d, name):
    os.makedirs(OUT, exist_ok=True)
    d.save_screenshot(os.path.join(OUT, "flame-%s.png" % name))


def look(d):
    d.get(flame(STACKS, "flame.svg", "--title", 'Time <of> "app" & more', "--countname", "ms"))
    check("title", text(d, ".title") == 'Time <of> "app" & more', text(d, ".title"))
    seen = boxes(d)
    check("all-frames", len(seen) == 14 and "all (100 ms, 100.00%)" in seen, sorted(seen))
    lex = named(d, "lex")
    wide = max(lex, key=lambda t: t[1][2])
    check("tooltip", wide[0] == "lex (40 ms, 40.00%)", lex)
    check("kinds-told", any("read [kernel] (10 ms" in t for t in seen) and any("hash [inlined]" in t for t in seen), sorted(seen))
    point(d, wide[1])
    check("hover-line", text(d, ".line") == "lex (40 ms, 40.00%)", text(d, ".line"))
    shot(d, "light")
    scheme(d, "dark")
    dark = d.execute_script("return [getComputedStyle(document.querySelector('.back')).fill, getComputedStyle(document.querySelector('.title')).fill]")
    shot(d, "dark")
    scheme(d, "light")
    light = d.execute_script("return [getComputedStyle(document.querySelector('.back')).fill, getComputedStyle(document.querySelector('.title')).fill]")
    grey = [sum(map(int, c[4:-1].split(","))) for c in light + dark]
    check("light-and-dark", grey[0] > 700 > 200 > grey[1] and grey[2] < 120 < 600 < grey[3], grey)

    point(d, wide[1], click=True)
    now = boxes(d)
    check("zoom-by-click", abs(now["lex (40 ms, 40.00%)"][2] - (FULL - .4)) < .5 and abs(now["read [kernel] (10 ms, 10.00%)"][2] - FULL / 4) < 1 and len(now) == 6, now)
    check("zoom-link", "#zoom=" in d.current_url, d.current_url)
    check("zoom-reset-shown", d.find_element(By.CSS_SELECTOR, ".reset").get_attribute("visibility") == "visible")
    shot(d, "zoomed")
    link = d.current_url
    d.find_element(By.CSS_SELECTOR, ".reset").click()
    check("reset", len(boxes(d)) == 14 and "#" not in d.current_url, (len(boxes(d)), d.current_url))

    search(d, "lex|hash")
    check("search-share", text(d, ".matched") == "Matched: " + share("lex|hash"), (text(d, ".matched"), share("lex|hash")))
    marked = [t for t, b in boxes(d).items() if "match" in b[4].split()]
    check("search-marks", len(marked) == 3 and all(t.startswith(("lex", "hash")) for t in marked), marked)
    check("search-link", "search=lex%7Chash" in d.current_url, d.current_url)
    shot(d, "searched")
    search(d, "^parse$")
    check("search-nested-once", text(d, ".matched") == "Matched: " + share("^parse$"), (text(d, ".matched"), share("^parse$")))
    search(d, "LEX")
    check("search-case", text(d, ".matched") == "Matched: 0.00%", text(d, ".matched"))
    keys(d, "i")
    check("search-any-case", text(d, ".matched") == "Matched in any case: " + share("lex"), text(d, ".matched"))
    keys(d, "i")
    search(d, "map<int, char")
    check("search-words", text(d, ".matched") == "Matched: " + share("map<int, char"), text(d, ".matched"))
    search(d, "find[")
    check("search-no-regex", text(d, ".matched") == "Matched: 0.00%", text(d, ".matched"))
    d.find_element(By.CSS_SELECTOR, ".search").click()
    check("search-reset", text(d, ".matched") == "" and not [b for b in boxes(d).values() if "match" in b[4].split()], text(d, ".matched"))

    point(d, boxes(d)["all (100 ms, 100.00%)"])
    keys(d, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP)
    check("key-up", text(d, ".line").startswith("parse (60"), text(d, ".line"))
    keys(d, Keys.ARROW_RIGHT)
    check("key-right", text(d, ".line").startswith("run (35"), text(d, ".line"))
    keys(d, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    check("key-left", text(d, ".line").startswith("idle (5"), text(d, ".line"))
    keys(d, Keys.ENTER)
    check("key-enter", abs(named(d, "idle")[0][1][2] - (FULL - .4)) < .5 and len(boxes(d)) == 5, boxes(d))
    keys(d, Keys.BACKSPACE)
    check("key-backspace", abs(named(d, "main")[0][1][2] - (FULL - .4)) < .5 and len(boxes(d)) == 14, len(boxes(d)))
    keys(d, Keys.ENTER, Keys.ESCAPE)
    check("key-escape", "#" not in d.current_url and len(boxes(d)) == 14, d.current_url)

    d.get("about:blank")
    d.get(link + "&search=re.d")
    now = boxes(d)
    check("link-recalled", abs(now["lex (40 ms, 40.00%)"][2] - (FULL - .4)) < .5 and text(d, ".matched") == "Matched: 10.00%", (text(d, ".matched"), sorted(now)))
    d.get("about:blank")
    d.get(link.split("#")[0] + "#zoom=99999&search=%E0%A4%A")
    check("link-wrong", len(boxes(d)) == 14, len(boxes(d)))


CONTRAST = """
    function light(c) { return c.match(/[\\d.]+/g).slice(0, 3).map(function (v) { v /= 255; return v <= .04045 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); })
        .reduce(function (sum, v, i) { return sum + v * [.2126, .7152, .0722][i]; }, 0); }
    var all = Array.from(document.querySelectorAll(".boxes rect")), least = [99, ""];
    document.querySelectorAll(".labels text").forEach(function (t) {
        var x = +t.getAttribute("x"), y = +t.getAttribute("y"), r = all.filter(function (r) {
            return x > +r.getAttribute("x") && x < +r.getAttribute("x") + +r.getAttribute("width") && y > +r.getAttribute("y") && y < +r.getAttribute("y") + +r.getAttribute("height"); })[0];
        var a = light(getComputedStyle(t).fill), b = light(getComputedStyle(r).fill), c = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
        if (getComputedStyle(t).opacity !== "1" || getComputedStyle(r).opacity !== "1") c = 0;
        if (c < least[0]) least = [c, t.textContent];
    });
    return least"""


def readable(d):
    """Text is readable on every box, light and dark, also of the callers below a zoomed frame and of what a search marks."""
    d.get(flame(STACKS, "flame.svg"))
    point(d, named(d, "read [kernel]")[0][1], click=True)
    for name, pattern in ("", None), ("-searched", "app|read"):
        if pattern:
            search(d, pattern)
        for mode in "light", "dark":
            scheme(d, mode)
            least = d.execute_script(CONTRAST)
            check("contrast-zoomed-%s%s" % (mode, name), 4.5 <= least[0] < 99, least)
            shot(d, "zoomed-%s%s" % (mode, name))
    scheme(d, "light")


def sandwich(d):
    d.get(flame(STACKS, "flame.svg"))
    point(d, named(d, "idle")[0][1])
    keys(d, Keys.ARROW_UP, "s")
    y = {t.split(" (")[0]: b for t, b in boxes(d).items()}
    # lex is called by parse (40) and by idle (5), calls read (10): all of its stacks together are the full width.
    check("sandwich-order", y["app"][1] < y["main"][1] < y["parse"][1] == y["idle"][1] < y["lex"][1] < y["read [kernel]"][1], y)
    widths = {n: y[n][2] for n in ("lex", "parse", "idle", "read [kernel]")}
    want = {"lex": FULL, "parse": FULL * 40 / 45, "idle": FULL * 5 / 45, "read [kernel]": FULL * 10 / 45}
    check("sandwich-widths", all(abs(widths[n] - want[n]) < 1 for n in want), (widths, want))
    check("sandwich-told", text(d, ".subtitle").endswith(": lex") and "lex (45 samples, 45.00%)" in boxes(d), (text(d, ".subtitle"), sorted(boxes(d))))
    check("sandwich-link", d.current_url.endswith("#sandwich=lex"), d.current_url)
    shot(d, "sandwich")
    point(d, named(d, "lex")[0][1])
    keys(d, Keys.ARROW_UP)
    check("sandwich-key-up", text(d, ".line").startswith("parse (40 "), text(d, ".line"))
    keys(d, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    check("sandwich-key-down", text(d, ".line").startswith("read [kernel] (10 "), text(d, ".line"))
    point(d, named(d, "parse")[0][1], click=True)
    now = boxes(d)
    # parse below parse adds nothing.
    check("sandwich-recursion", "parse (60 samples, 60.00%)" in now and "parse (15 samples, 15.00%)" in now, sorted(now))
    d.get("about:blank")
    d.get("file://" + os.path.abspath("flame.svg") + "#sandwich=lex")
    check("sandwich-recalled", text(d, ".subtitle").endswith(": lex"), text(d, ".subtitle"))
    d.find_element(By.CSS_SELECTOR, ".reset").click()
    check("sandwich-left", len(boxes(d)) == 14 and "#" not in d.current_url, (len(boxes(d)), d.current_url))


def window(d):
    """The picture is as wide as the window. What is on top of a frame narrower than three pixels is a mark until one zooms in."""
    d.get(flame("a;wide 10000\na;thin;b;c;d 10\n".encode(), "thin.svg"))
    size = "return [+document.documentElement.getAttribute('width'), innerWidth, +document.documentElement.getAttribute('height')]"
    first = d.execute_script(size)
    check("as-wide-as-the-window", first[0] == first[1] == 1300, first)
    seen = boxes(d)
    check("thin-tower-cut", len(seen) == 4 and not named(d, "b") and len(d.find_elements(By.CSS_SELECTOR, ".boxes .cut")) == 1, sorted(seen))
    d.execute_script("Array.from(document.querySelectorAll('.boxes rect')).filter(r => r.frame.name === 'thin')[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    zoomed = d.execute_script(size)
    check("thin-tower-zoomed", len(boxes(d)) == 6 and not d.find_elements(By.CSS_SELECTOR, ".boxes .cut") and zoomed[2] == first[2] + 3 * 17, (sorted(boxes(d)), first, zoomed))
    d.set_window_size(900, 700)
    poll(lambda: d.execute_script(size)[0] == 900)
    check("window-made-narrower", d.execute_script(size)[:2] == [900, 900] and abs(boxes(d)["all (10,010 samples, 100.00%)"][2] - 879.6) < .1, (d.execute_script(size), boxes(d)))
    d.set_window_size(1300, 700)
    d.get(flame(STACKS, "fixed.svg", "--width", "800"))
    check("width-as-asked", d.execute_script(size)[0] == 800, d.execute_script(size))


def order(d):
    d.get(flame(STACKS, "inverted.svg", "--inverted"))
    seen = boxes(d)
    check("inverted", named(d, "all")[0][1][1] < named(d, "app")[0][1][1] < named(d, "main")[0][1][1], seen)
    d.get(flame(STACKS, "reverse.svg", "--reverse"))
    check("reverse", ("lex (35 samples, 35.00%)" in boxes(d)), sorted(boxes(d)))
    d.get(flame(b"a;x 2\na;y 3\na;x 5\n", "chart.svg", "--flamechart"))
    x = sorted(named(d, "x") + named(d, "y"), key=lambda t: t[1][0])
    check("flamechart", [t[0].split(" (")[0] + t[0].split("(")[1][0] for t in x] == ["x2", "y3", "x5"], x)


def difference(d):
    stacks = {"app;grows": (10, 40), "app;shrinks": (40, 30), "app;same": (20, 20), "app;gone": (30, 0), "app;new": (0, 10)}
    for negate in (False, True):
        d.get(flame(stacks, "diff.svg", *(["--negate"] if negate else [])))
        rgb = {t.split(" ")[0]: [int(v) for v in b[3][4:-1].split(",")] for t, b in boxes(d).items()}
        red, blue = ("shrinks", "grows") if negate else ("grows", "shrinks")
        check("difference-negated" if negate else "difference-red-grows", rgb[red][0] > rgb[red][2] + 20 and rgb[blue][2] > rgb[blue][0] + 10, rgb)
        check("difference-same-grey", max(rgb["same"]) - min(rgb["same"]) < 10 and "gone" not in rgb, rgb)
        check("difference-more-is-darker", sum(rgb["grows"]) < sum(rgb["new"]), rgb)
    check("difference-legend", [t.text for t in d.find_elements(By.CSS_SELECTOR, ".legend text")] == ["+30 more", "less, \u221230"], [t.text for t in d.find_elements(By.CSS_SELECTOR, ".legend text")])
    keys(d, Keys.ARROW_UP, Keys.ARROW_UP)
    before = {t: b[3] for t, b in boxes(d).items()}
    keys(d, "s")
    check("difference-sandwich", text(d, ".subtitle").endswith(": grows") and all(before.get(t, b[3]) == b[3] for t, b in boxes(d).items()), (before, boxes(d)))
    keys(d, Keys.ESCAPE)
    seen = boxes(d)
    check("difference-tooltip", "grows (40 samples, 40.00%); before 10, +30" in seen and any("(new)" in t for t in seen), sorted(seen))
    d.get(flame(stacks, "vanished.svg", "--vanished"))
    gone = named(d, "gone")
    check("vanished", gone and abs(gone[0][1][2] - FULL * 30 / 130) < 1 and "(gone)" in gone[0][0] and "all (100 samples, 100.00%)" in " ".join(boxes(d)), boxes(d))
    shot(d, "differential")


def hostile(d):
    names = [b"<script>alert(1)</script>", b"a&b\"c'd", b"bell\x07esc\x1b[31m", b"bad\xff\xfe\xc3utf", b"]]>", b"caf\xc3\xa9", b"cr\rin", b"nul\x00in", b"tab\tin", b"</metadata>", b"--><b>",
             "\u202elive".encode(), "\u2067x\u2069".encode(), "\u05e9\u05dc\u05d5\u05dd".encode(), "\u9577\u3044".encode() * 30, b"c1\xc2\x9b31m"]
    url = flame(b"".join(b"app;%s 10\n" % n for n in names), "hostile.svg", "--title", "]]> <script>x</script>", "--subtitle", "\x01&", "--fonttype", "x;} * { fill: red")
    d.get(url)
    seen = boxes(d)
    check("hostile-names", len(seen) == 2 + len(names), sorted(seen))
    check("hostile-shown", any(t.startswith("<script>alert(1)</script> (10") for t in seen) and any(t.startswith("a&b\"c'd (10") for t in seen), sorted(seen))
    check("hostile-order", not any(c in t for t in seen for c in "\u202e\u2067\u2069\x9b") and any(t.startswith("\u05e9\u05dc\u05d5\u05dd (10") for t in seen), sorted(seen))
    over = d.execute_script("return Array.from(document.querySelectorAll('.labels text')).map(t => [t.textContent, t.getBBox().width])")
    check("wide-characters-cut", any(re.fullmatch("(\u9577|\u3044)+\\.\\.(\u9577|\u3044)+", t) for t, w in over) and max(w for t, w in over) < FULL, over)
    check("hostile-no-script", d.execute_script("return document.querySelectorAll('script').length") == 1)


def deep(d):
    url = flame(b"app;" + b";".join(b"f%d" % i for i in range(2000)) + b" 3\napp;x 1\n", "deep.svg")
    d.get(url)
    check("deep", len(boxes(d)) == 2003, len(boxes(d)))
    inside = "return ['.title', '.search'].concat(arguments[0]).map(s => document.querySelector(s).getBoundingClientRect()).every(r => r.top >= 0 && r.bottom <= innerHeight)"
    check("deep-root-in-sight", d.execute_script("var r = document.querySelectorAll('.boxes rect')[0].getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight"))
    check("deep-bars-below", d.execute_script(inside, []))
    d.execute_script("window.scrollTo(0, 10000)")
    poll(lambda: d.execute_script(inside, []))
    check("deep-bars-amid", d.execute_script(inside, []))
    d.execute_script("var r = document.querySelectorAll('.boxes rect')[1500]; r.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
    check("deep-line-amid", d.execute_script(inside, [".line"]) and text(d, ".line").startswith("f1498 (3 samples"), text(d, ".line"))
    d.get(flame(b"app;" + b";".join(b"f%d" % i for i in range(2000)) + b" 3\napp;x 1\n", "down.svg", "--inverted"))
    check("deep-inverted-top", d.execute_script("return pageYOffset") == 0)
    name = "std::" + "very<long, " * 60 + "x"
    d.get(flame({"app;main;" + name: 10, "app;main;k_[k]": 1}, "long.svg"))
    point(d, named(d, name)[0][1])
    line, legend = d.execute_script("return [document.querySelector('.line').getBBox(), document.querySelector('.legend').getBBox()].map(b => [b.x, b.x + b.width])")
    check("long-line", re.fullmatch(r"std::very<lon.*\.\..*ng, x \(10 samples, 90.91%\)", text(d, ".line")) and line[1] < legend[0], (text(d, ".line"), line, legend))


def many(d):
    """100,000 stacks: what is narrower than a pixel's tenth is merged, so that the size has a bound."""
    seed, lines = 7, []
    for i in range(100000):
        frames = ["app"]
        for k in range(i % 23 + 2):
            seed = (seed * 1103515245 + 12345) & 0x7fffffff
            frames.append("function_%d_%d" % (k, seed % (k * 7 + 3)))
        lines.append(";".join(frames) + " %d" % (i % 9 + 1))
    url = flame("\n".join(lines).encode() + b"\n", "many.svg")
    size = os.path.getsize("many.svg")
    d.get(url)
    check("many", size < 2000000 and "all (%d samples 100.00%%)" % sum(i % 9 + 1 for i in range(100000)) in "".join(boxes(d)).replace(",", ""), size)
    shot(d, "many")


def plain():
    d = start(SIZE, script=False)
    try:
        d.get("file://" + os.path.abspath("flame.svg"))
        shot(d, "plain")
    finally:
        d.quit()
    with open("flame.svg") as f:
        svg = f.read()
    paths = sum(p.count("M") for p in re.findall(r'<path[^>]* d="([^"]*)"', svg))
    check("plain-boxes", paths == 14, paths)
    check("plain-labels", len(re.findall(r'<text x="[\d.]+" y="\d+">', svg.split('class="labels"')[1])) >= 10)


def main():
    d = start(SIZE)
    try:
        look(d)
        readable(d)
        sandwich(d)
        window(d)
        order(d)
        difference(d)
        hostile(d)
        deep(d)
        many(d)
        with open("page.html", "w") as f:
            f.write("<!doctype html><title>t</title><img src=flame.svg style='width:600px'>")
        d.get("file://" + os.path.abspath("page.html"))
        check("as-image", d.execute_script("var i = document.images[0]; return [i.complete, i.naturalWidth, i.width]") == [True, 1200, 600])
        for name in "flame", "diff", "hostile":
            same_without_style(d, name + "-without-style", name + ".svg")
        log = [l for l in d.get_log("browser") if l["level"] == "SEVERE"]
        check("no-script-errors", not log, log)
    finally:
        d.quit()
    plain()
    return browser.failed > 0


sys.exit(main())
