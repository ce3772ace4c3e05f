# The time chart driven in a browser: what pointing tells, choosing a stretch by dragging and by keys, zoom, the legend, light and dark, as a plain picture without script.
import json, os, re, subprocess, sys
import xml.etree.ElementTree as ET
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["PT_TOP"], "tests/lib"))
import browser
from browser import OUT, ActionChains, By, Keys, check, same_without_style, scheme, start, texts

SIZE = "1250,1000"
SVG = "{http://www.w3.org/2000/svg}"


def record(name, *options):
    with open(name, "wb") as f:
        subprocess.run(["cpus", *options], stdout=f, check=True)


def chart(data, svg, *options):
    with open(svg, "wb") as f:
        subprocess.run(["pt-timechart", *options, data], stdout=f, stderr=subprocess.DEVNULL, check=True)


class Chart:
    """What the picture holds for its script."""
    def __init__(self, path):
        plot = next(e for e in ET.parse(path).iter(SVG + "g") if e.get("class") == "plot")
        for m in plot.iter(SVG + "metadata"):
            setattr(self, m.get("class"), json.loads(m.text))
        self.columns = int(plot.get("data-columns"))
        self.width, self.top, self.bottom = map(float, plot.get("data-plot").split())
        self.span = int(plot.get("data-span"))
        s, ns = map(int, plot.get("data-start").split())
        self.start = s * 10**9 + ns

    def row(self, kind, name=None):
        return next(r for r in self.rows if r["kind"] == kind and (name is None or r["name"] == name))

    def cells(self, row):
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".index
        out = []
        for part in row["d"].split(" "):
            t, _, n = part.partition("*")
            out += [[(digits(t[j]), digits(t[j + 1]) * 64 + digits(t[j + 2])) for j in range(0, len(t), 3)]] * int(n or 1)
        return out


def at(d, c, column, row):
    field = d.find_element(By.CSS_SELECTOR, ".field").rect
    scale = field["width"] / c.width
    return field["x"] + (column + .5) * field["width"] / c.columns, field["y"] + (row["y"] + row["h"] / 2 - c.top) * scale


def move_to(d, x, y):
    chain = ActionChains(d)
    chain.w3c_actions.pointer_action.move_to_location(int(x), int(y))
    chain.perform()


def drag(d, x, y, to):
    chain = ActionChains(d)
    p = chain.w3c_actions.pointer_action
    p.move_to_location(int(x), int(y)); p.pointer_down(); p.move_to_location(int((x + to) / 2), int(y)); p.move_to_location(int(to), int(y)); p.pointer_up()
    chain.perform()


def look(d):
    record("few.data", "-c", "2", "-t", "6", "-n", "60", "-p")
    chart("few.data", "few.svg", "--title", 'A <few> "tasks" & more')
    c = Chart("few.svg")
    d.get("file://" + os.path.abspath("few.svg"))
    check("title", d.find_element(By.CSS_SELECTOR, ".title").text == 'A <few> "tasks" & more', d.find_element(By.CSS_SELECTOR, ".title").text)
    row = c.row("cpu", "CPU 0")
    cells = c.cells(row)
    check("columns", len(cells) == c.columns, (len(cells), c.columns))
    full = next(i for i in range(5, c.columns - 5) if all(len(x) == 1 and x[0] == cells[i][0] and x[0][0] == 63 for x in cells[i - 1:i + 2]))
    name = c.names[cells[full][0][1]][1]
    move_to(d, *at(d, c, full, row))
    tip = texts(d, ".tip")
    check("tip-row", tip and tip[0].startswith("CPU 0 at 1."), tip)
    check("tip-task", len(tip) > 2 and tip[1].startswith(name + " for "), (tip, name))
    # How long it ran there is what the recording says, to a column's share.
    length = re.search(r" for (?:at least )?([\d.]+) (\S+) from ([\d.]+)", tip[1])
    unit = {"s": 1, "ms": 1e-3, "\u00b5s": 1e-6, "ns": 1e-9}[length.group(2)]
    ran = float(length.group(1)) * unit
    since = float(length.group(3))
    lines = subprocess.run(["pt-script", "-F", "cpu,time,event,tid", "--ns", "few.data"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    times = sorted(float(m.group(1)) for m in (re.search(r"\[000\] +([\d.]+): .*sched_switch", l) for l in lines) if m)
    near = min(abs(t - since) for t in times)
    step = c.span / c.columns / 1e9
    check("tip-from", near < step / 10, (since, near, step))
    ends = min(abs(t - since - ran) for t in times)
    check("tip-length", ends < step / 5 + ran / 150, (since, ran, ends, step))
    idle = next((i for i in range(c.columns) if not cells[i]), None)
    if idle is not None:
        move_to(d, *at(d, c, idle, row))
        check("tip-idle", texts(d, ".tip")[1] == "idle", texts(d, ".tip"))
    task = c.row("task")
    waits = next((i for i, x in enumerate(c.cells(task)) if x and c.names[x[0][1]][1] == "waiting for a CPU" and x[0][0] == 63), None)
    if waits is not None:
        move_to(d, *at(d, c, waits, task))
        check("tip-wait", texts(d, ".tip")[1].startswith("waiting for a CPU for "), texts(d, ".tip"))
    event = c.row("event")
    move_to(d, *at(d, c, 1, event))
    check("tip-event", "here" in texts(d, ".tip")[1] and texts(d, ".tip")[-1] == "in all: " + event["about"], texts(d, ".tip"))
    w = c.wakes[0]
    target = next(r for r in c.rows if r["y"] <= w[1] + 1 < r["y"] + r["h"])
    move_to(d, *at(d, c, int(w[0] / c.width * c.columns), target))
    check("tip-wake", any(t.startswith("woken ") for t in texts(d, ".tip")), (w, texts(d, ".tip")))
    return c, row


def choosing(d, c, row):
    x, y = at(d, c, 99, row)
    to, _ = at(d, c, 499, row)
    drag(d, x, y, to)
    told = d.find_element(By.CSS_SELECTOR, ".command").text
    m = re.fullmatch(r"pt-timechart --time (\d+\.\d{9}),(\d+\.\d{9}) few\.data > part\.svg", told)
    check("drag-command", m, told)
    lengths = [float(m.group(i)) * 1e9 - c.start for i in (1, 2)]
    field = d.find_element(By.CSS_SELECTOR, ".field").rect
    want = [(int(v) - field["x"]) / field["width"] * c.span for v in (x, to)]
    check("drag-range", all(abs(a - b) < 2 * c.span / c.columns for a, b in zip(lengths, want)), (lengths, want))
    check("drag-band", abs(d.find_element(By.CSS_SELECTOR, ".band").rect["width"] - (int(to) - int(x))) < 3)
    # What it tells to run draws that part: the same stretch, more of it apart.
    subprocess.run(told, shell=True, check=True, stderr=subprocess.DEVNULL)
    part = Chart("part.svg")
    check("part", abs(part.start - float(m.group(1)) * 1e9) < 1e3 and abs(part.span - (lengths[1] - lengths[0])) < 1e3, (part.start, part.span))
    keys = d.find_element(By.CSS_SELECTOR, ".plot")
    keys.send_keys(Keys.ESCAPE)
    check("escape", not d.find_elements(By.CSS_SELECTOR, ".band") and not d.find_elements(By.CSS_SELECTOR, ".command"))
    keys.send_keys(Keys.HOME)
    check("key-home", texts(d, ".tip")[0].startswith("CPU 0 at "), texts(d, ".tip"))
    keys.send_keys(Keys.ARROW_DOWN)
    check("key-down", texts(d, ".tip")[0].startswith("CPU 1 at "), texts(d, ".tip"))
    keys.send_keys(Keys.SHIFT + Keys.ARROW_RIGHT * 3)
    m = re.search(r"--time ([\d.]+),([\d.]+) ", d.find_element(By.CSS_SELECTOR, ".command").text)
    got = (float(m.group(2)) - float(m.group(1))) * 1e9
    check("key-choose", abs(got - 4 * c.span / c.columns) < 10, (got, c.span / c.columns))
    keys.send_keys(Keys.ESCAPE)
    key = d.find_element(By.CSS_SELECTOR, ".key[data-class]")
    ActionChains(d).move_to_element(key.find_element(By.CSS_SELECTOR, "rect")).perform()
    check("legend-alone", d.find_element(By.CSS_SELECTOR, ".bars").get_attribute("class") == "bars dim" and d.find_elements(By.CSS_SELECTOR, ".lit"))


def zooming(d, c, row):
    """A chosen stretch fills the picture; what pointing tells stays the same; arrows of wake-ups are drawn there only."""
    d.get("file://" + os.path.abspath("few.svg"))
    check("no-arrows", not d.find_elements(By.CSS_SELECTOR, ".arrows"))
    column = 200
    move_to(d, *at(d, c, column, row))
    before = texts(d, ".tip")
    x, y = at(d, c, 99, row)
    to, _ = at(d, c, 299, row)
    drag(d, x, y, to)
    check("zoom-offered", d.find_element(By.CSS_SELECTOR, ".closer").text == "Zoom in (Enter)")
    keys = d.find_element(By.CSS_SELECTOR, ".plot")
    keys.send_keys(Keys.ENTER)
    field = d.find_element(By.CSS_SELECTOR, ".field").rect
    scale = c.columns / 200
    move_to(d, field["x"] + (column - 99) / c.columns * scale * field["width"], y)
    after = texts(d, ".tip")
    check("zoomed-tip", after[1:] == before[1:] and abs(float(re.search(r"at ([\d.]+)", after[0]).group(1)) - float(re.search(r"at ([\d.]+)", before[0]).group(1))) < 2.1 * c.span / c.columns / 1e9, (before, after))
    check("zoomed-arrows", len(d.find_elements(By.CSS_SELECTOR, ".arrows")) == 1)
    inside = d.execute_script("var f = document.querySelector('.field').getBoundingClientRect(); return Array.from(document.querySelectorAll('.plot text.mid')).map(t => t.getBoundingClientRect()).every(r => r.left > f.left - 40 && r.right < f.right + 40)")
    check("zoomed-axis", inside and d.find_element(By.CSS_SELECTOR, ".times").get_attribute("visibility") == "hidden")
    d.save_screenshot(os.path.join(OUT, "timechart-zoomed.png"))
    keys.send_keys("+")
    wider = d.execute_script("return document.querySelector('.bars').getBoundingClientRect().width")
    keys.send_keys("-", "-")
    check("key-zoom", abs(wider / d.execute_script("return document.querySelector('.bars').getBoundingClientRect().width") - 4) < .1, wider)
    d.find_element(By.CSS_SELECTOR, ".whole").click()
    check("zoom-reset", not d.find_elements(By.CSS_SELECTOR, ".arrows") and d.find_element(By.CSS_SELECTOR, ".times").get_attribute("visibility") == "visible")
    move_to(d, *at(d, c, column, row))
    check("zoom-reset-tip", texts(d, ".tip") == before, (before, texts(d, ".tip")))
    chart("few.data", "part.svg", "--time", "1.005,1.015")
    with open("part.svg") as f:
        check("arrows-of-a-part", 'class="arrows"' in f.read())


def waiting(d):
    """Waits have a pattern, not only a colour. With --comm, the task that had the CPU meanwhile is named although it has no row."""
    chart("few.data", "comm.svg", "--comm", "python3", "--sort", "start")
    c = Chart("comm.svg")
    d.get("file://" + os.path.abspath("comm.svg"))
    fills = d.execute_script("return Array.from(document.querySelectorAll('.bars path')).map(e => [e.getAttribute('class'), getComputedStyle(e).fill])")
    check("wait-pattern", ["waits", 'url("#pt-waits")'] in fills and all(f.startswith("rgb") for n, f in fills if n not in ("waits", "blocks")), fills)
    rows = [r for r in c.rows if r["kind"] == "task"]
    by_run = [r["name"] for r in Chart("few.svg").rows if r["kind"] == "task" and r["name"].startswith("python3")]
    first = [next(i for i, x in enumerate(c.cells(r)) if x) for r in rows]
    check("sort-start", first == sorted(first) and sorted(r["name"] for r in rows) == sorted(by_run) and [r["name"] for r in rows] != by_run, (first, by_run))
    named = 0
    for row in rows:
        cells = c.cells(row)
        full = [i for i, x in enumerate(cells) if len(x) == 1 and x[0][0] == 63 and c.names[x[0][1]][1] == "waiting for a CPU"]
        for i in full[:1] + full[-1:]:
            move_to(d, *at(d, c, i, row))
            told = [t for t in texts(d, ".tip") if t.startswith("meanwhile on CPU ")]
            if told and not any("python3" in t for t in told):
                name = re.fullmatch(r"meanwhile on CPU (\d+): (\S+ \d+) .*", told[0])
                lane = c.cells(c.row("cpu", "CPU " + name.group(1)))
                check("foreign-%s" % name.group(2), any(c.names[k][1] == name.group(2) for s, k in lane[i]) or len(told) > 1, (told, [c.names[k][1] for s, k in lane[i]]))
                named += 1
    check("foreign-named", named > 0)
    d.save_screenshot(os.path.join(OUT, "timechart-comm.png"))


def themes(d, c, row):
    seen = {}
    os.makedirs(OUT, exist_ok=True)
    x, y = at(d, c, 420, row)
    for mode in ("light", "dark"):
        scheme(d, mode)
        drag(d, x, y, x + 200)
        move_to(d, x + 40, y)
        seen[mode] = [d.execute_script("return getComputedStyle(document.querySelector(arguments[0])).fill", s) for s in (".ground", ".title")]
        d.save_screenshot(os.path.join(OUT, "timechart-few-%s.png" % mode))
    grey = {m: [sum(map(int, s[4:-1].split(","))) for s in seen[m]] for m in seen}
    check("light", grey["light"][0] > 700 > 150 > grey["light"][1], seen)
    check("dark", grey["dark"][0] < 100 < 650 < grey["dark"][1], seen)
    scheme(d, "light")


def many(d):
    for name, options in (("8", ("-c", "8", "-n", "30000")), ("64", ("-c", "64", "-t", "300", "-n", "100000")),
                          ("quiet", ("-c", "8", "-t", "30", "-q", "-n", "1500")), ("missing", ("-c", "4", "-n", "30000", "-g", "-l", "-x", "-p"))):
        record("many.data", *options)
        chart("many.data", "many.svg")
        size = os.path.getsize("many.svg")
        check("size-" + name, size < 1000000, size)
        c = Chart("many.svg")
        d.set_window_size(1250, min(2400, int(c.bottom) + 250))
        d.get("file://" + os.path.abspath("many.svg"))
        row = c.row("cpu", "CPU 3")
        move_to(d, *at(d, c, c.columns // 2, row))
        tip = texts(d, ".tip")
        check("tip-" + name, tip and tip[0].startswith("CPU 3 at "), tip)
        d.save_screenshot(os.path.join(OUT, "timechart-%s.png" % name))
    check("hatched", d.find_elements(By.CSS_SELECTOR, ".gap") and d.find_elements(By.CSS_SELECTOR, ".warn"))
    d.set_window_size(1250, 1000)


def plain(d):
    with open("page.html", "w") as f:
        f.write("<!doctype html><title>t</title><img src=few.svg style='width:600px'>")
    d.get("file://" + os.path.abspath("page.html"))
    size = d.execute_script("var i = document.images[0]; return [i.complete, i.naturalWidth]")
    check("as-image", size == [True, 1200], size)


def main():
    d = start(SIZE)
    try:
        c, row = look(d)
        choosing(d, c, row)
        zooming(d, c, row)
        waiting(d)
        d.get("file://" + os.path.abspath("few.svg"))
        themes(d, c, row)
        many(d)
        plain(d)
        same_without_style(d, "few-without-style", "few.svg")
        d.get("file://" + os.path.abspath("few.svg"))
        log = [l for l in d.get_log("browser") if l["level"] == "SEVERE"]
        check("no-script-errors", not log, log)
    finally:
        d.quit()
    return browser.failed > 0


sys.exit(main())
