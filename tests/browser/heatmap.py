# The heat map driven in a browser: tooltips, a column's distribution by click and by keys, contrast, maps by key, light and dark, as a plain picture without script.
import json, math, os, random, subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["PT_TOP"], "tests/lib"))
import browser
from browser import OUT, ActionChains, By, Keys, check, same_without_style, scheme, start, texts

SIZE = "1100,900"


def lines():
    random.seed(5)
    t, text = 1000e6, []
    for i in range(40000):
        t += random.expovariate(1 / 200)
        one = i < 18000
        latency = random.choice([80, 82, 130]) if one else random.lognormvariate(math.log(600), .5)
        latency *= random.lognormvariate(0, .08)
        if random.random() < .01:
            latency += random.expovariate(1 / 2000)
        text.append("%.3f %.3f\n" % (t, latency))
    return "".join(text)


def heatmap(text, *options):
    return subprocess.run(["pt-heatmap", *options], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def move_to(d, grid, column, row, click=False):
    plot = d.find_element(By.CSS_SELECTOR, ".field").rect
    x = plot["x"] + (column + .5) * plot["width"] / grid["columns"]
    y = plot["y"] + plot["height"] - (row + .5) * plot["height"] / grid["rows"]
    chain = ActionChains(d)
    chain.w3c_actions.pointer_action.move_to_location(int(x), int(y))
    if click:
        chain.w3c_actions.pointer_action.click()
    chain.perform()


def press_enter(d, plot):
    d.execute_script("document.querySelectorAll('.plot')[arguments[0]].focus()", plot)
    ActionChains(d).send_keys(Keys.ENTER).perform()


def look(d, text):
    grid = json.loads(heatmap(text, "-j"))
    by_column = {}
    for c, r, n in grid["cells"]:
        by_column.setdefault(c, {})[r] = n
    with open("map.svg", "wb") as f:
        f.write(heatmap(text, "--title", 'Reads <at> "two" depths & more'))
    d.get("file://" + os.path.abspath("map.svg"))
    check("title", d.find_element(By.CSS_SELECTOR, ".title").text == 'Reads <at> "two" depths & more', d.find_element(By.CSS_SELECTOR, ".title").text)

    column, row, count = max(grid["cells"], key=lambda c: c[2])
    move_to(d, grid, column, row)
    tip = texts(d, ".tip")
    total = sum(by_column[column].values())
    check("tooltip-count", len(tip) == 3 and tip[2].startswith("%s of %s (" % (format(count, ","), format(total, ","))), tip)
    unit = {"s": 1e9, "ms": 1e6, "\u00b5s": 1e3, "ns": 1}[tip[1].split(" ")[1]]
    step = grid["step_ns"] / unit
    check("tooltip-time", tip[1] == "%s\u2013%s %s" % ("%g" % (column * step), "%g" % ((column + 1) * step), tip[1].split(" ")[1]), tip)
    low, high = grid["edges_ns"][row], grid["edges_ns"][row + 1]
    check("tooltip-range", len(tip) == 3 and tip[0] == "%s\u2013%s \u00b5s" % ("%g" % (low / 1e3), "%g" % (high / 1e3)), (tip, low, high))
    empty = next(r for r in range(grid["rows"]) if r not in by_column[column])
    move_to(d, grid, column, empty)
    check("tooltip-blank", texts(d, ".tip")[2] == "none", texts(d, ".tip"))

    def bars():
        return {int(b.get_attribute("data-row")): int(b.get_attribute("data-count")) for b in d.find_elements(By.CSS_SELECTOR, ".bar")}

    move_to(d, grid, column, row, click=True)
    check("click-distribution", bars() == by_column[column], (bars(), by_column[column]))
    check("click-head", any(t.startswith(format(total, ",")) for t in texts(d, ".panel .head")), texts(d, ".panel .head"))
    keys = d.find_element(By.CSS_SELECTOR, ".plot")
    keys.send_keys(Keys.ARROW_RIGHT)
    check("key-right", bars() == by_column.get(column + 1, {}), bars())
    keys.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    check("key-left", bars() == by_column.get(column - 1, {}), bars())
    keys.send_keys(Keys.HOME)
    check("key-home", bars() == by_column[0], bars())
    keys.send_keys(Keys.END)
    check("key-end", bars() == by_column[grid["columns"] - 1], bars())
    keys.send_keys(Keys.ESCAPE)
    check("key-escape", not bars() and not d.find_elements(By.CSS_SELECTOR, ".band"), bars())
    move_to(d, grid, column, row, click=True)
    move_to(d, grid, column, row, click=True)
    check("click-closes", not bars(), bars())
    keys.send_keys(Keys.ENTER)
    check("key-enter", bars() == by_column[column], bars())

    os.makedirs(OUT, exist_ok=True)
    seen = {}
    for mode in ("light", "dark"):
        scheme(d, mode)
        seen[mode] = [d.execute_script("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", s, p)
                      for s, p in ((".ground", "fill"), (".title", "fill"), (".s0", "stroke"), (".s23", "stroke"))]
        d.save_screenshot(os.path.join(OUT, "heatmap-column-%s.png" % mode))
        keys.send_keys(Keys.ESCAPE)
        move_to(d, grid, column, row + 4)
        d.save_screenshot(os.path.join(OUT, "heatmap-%s.png" % mode))
        keys.send_keys(Keys.ENTER)
    grey = {m: [sum(map(int, c[4:-1].split(","))) for c in seen[m]] for m in seen}
    check("light", grey["light"][0] > 700 > 150 > grey["light"][1] and grey["light"][2] > grey["light"][3], seen)
    check("dark", grey["dark"][0] < 100 < 650 < grey["dark"][1] and grey["dark"][2] < grey["dark"][3], seen)
    scheme(d, "light")


def gathered(d, text):
    grid = json.loads(heatmap(text, "-j", "--min", "100us", "--max", "1ms"))
    with open("gather.svg", "wb") as f:
        f.write(heatmap(text, "--min", "100us", "--max", "1ms"))
    d.get("file://" + os.path.abspath("gather.svg"))
    top = [c for c in grid["cells"] if c[1] == grid["rows"] - 1][0]
    move_to(d, grid, top[0], top[1])
    tip = texts(d, ".tip")
    check("gathered-top", tip[0] == "\u2265 1 ms" and tip[2].startswith("%d of" % top[2]), tip)
    bottom = [c for c in grid["cells"] if c[1] == 0][0]
    move_to(d, grid, bottom[0], 0)
    check("gathered-bottom", texts(d, ".tip")[0] == "0\u2013100 \u00b5s", texts(d, ".tip"))


LIGHT = """return arguments[0].map(function (v) { v /= 255; return v <= .04045 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); })
    .reduce(function (sum, v, i) { return sum + v * [.2126, .7152, .0722][i]; }, 0)"""


def contrast(d, *css):
    a, b = sorted((d.execute_script(LIGHT, [int(v) for v in c[4:-1].split(",")]) for c in css), reverse=True)
    return (a + .05) / (b + .05)


def lone(d):
    """A cell of one latency among thousands stands out, and the distribution of a column covers nothing."""
    with open("lone.svg", "wb") as f:
        f.write(heatmap("".join("%d %d\n" % (t * 100, 100 + t % 7) for t in range(5000)) + "250000 90000\n"))
    d.get("file://" + os.path.abspath("lone.svg"))
    for mode in ("light", "dark"):
        scheme(d, mode)
        colours = d.execute_script("return [getComputedStyle(document.querySelector('.plot .cells path')).stroke, getComputedStyle(document.querySelector('.field')).fill]")
        check("lone-cell-" + mode, contrast(d, *colours) >= 3, colours)
    scheme(d, "light")
    press_enter(d, 0)
    boxes = d.execute_script("return ['.panel', '.plot .field', '.cells:not(.plot .cells)'].map(s => document.querySelector(s).getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])")
    height = d.execute_script("return +document.documentElement.getAttribute('height')")
    check("panel-below", len(boxes) == 3 and all(boxes[0][1] >= b[3] for b in boxes[1:]) and boxes[0][3] <= height, (boxes, height))
    d.find_element(By.CSS_SELECTOR, ".close").click()
    check("panel-closed", d.execute_script("return +document.documentElement.getAttribute('height')") == 520 and not d.find_elements(By.CSS_SELECTOR, ".bar"))


def by(d):
    """--by: a map for each key below one another, of one scale; each answers for itself."""
    data = os.path.join(os.environ["PT_TOP"], "tests/data/sched-8cpus.data")
    def run(*options):
        return subprocess.run(["pt-heatmap", "--sched", "--by", "cpu", *options, data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    grids = [json.loads(l) for l in run("-j").splitlines()]
    with open("by.svg", "wb") as f:
        f.write(run())
    d.get("file://" + os.path.abspath("by.svg"))
    plots = d.find_elements(By.CSS_SELECTOR, ".plot")
    check("by-number", len(plots) == len(grids) > 2, (len(plots), len(grids)))
    check("by-headings", [t.split(":")[0] for t in (e.text for e in d.find_elements(By.CSS_SELECTOR, "text.strong"))] == [g["by"] for g in grids], [g["by"] for g in grids])
    check("by-one-scale", len({p.get_attribute("data-edges") + p.get_attribute("data-start") + p.get_attribute("data-step") for p in plots}) == 1)
    tops = [p.find_element(By.CSS_SELECTOR, ".field").rect for p in plots]
    check("by-below", all(a["y"] + a["height"] < b["y"] and a["x"] == b["x"] and a["width"] == b["width"] for a, b in zip(tops, tops[1:])), tops)
    column, row, count = grids[1]["cells"][0]
    box = tops[1]
    chain = ActionChains(d)
    chain.w3c_actions.pointer_action.move_to_location(int(box["x"] + (column + .5) * box["width"] / grids[1]["columns"]), int(box["y"] + box["height"] - (row + .5) * box["height"] / grids[1]["rows"]))
    chain.w3c_actions.pointer_action.click()
    chain.perform()
    told = [e.get_attribute("textContent") for e in d.find_elements(By.CSS_SELECTOR, ".panel .head text")]
    check("by-panel", told and told[0].startswith(grids[1]["by"] + ", ") and len(d.find_elements(By.CSS_SELECTOR, ".band")) == 1, told)
    press_enter(d, 0)
    told = [e.get_attribute("textContent") for e in d.find_elements(By.CSS_SELECTOR, ".panel .head text")]
    check("by-other-panel", told[0].startswith(grids[0]["by"] + ", ") and len(d.find_elements(By.CSS_SELECTOR, ".band")) == 1, told)
    d.save_screenshot(os.path.join(OUT, "heatmap-by.png"))


def plain(d):
    with open("page.html", "w") as f:
        f.write("<!doctype html><title>t</title><img src=map.svg style='width:600px'>")
    d.get("file://" + os.path.abspath("page.html"))
    size = d.execute_script("var i = document.images[0]; return [i.complete, i.naturalWidth, i.naturalHeight, i.height]")
    check("as-image", size == [True, 1000, 520, 312], size)


def main():
    text = lines()
    d = start(SIZE)
    try:
        look(d, text)
        gathered(d, text)
        lone(d)
        by(d)
        plain(d)
        for name in "map", "gather", "by":
            same_without_style(d, name + "-without-style", name + ".svg")
        d.get("file://" + os.path.abspath("map.svg"))
        log = [l for l in d.get_log("browser") if l["level"] == "SEVERE"]
        check("no-script-errors", not log, log)
    finally:
        d.quit()
    return browser.failed > 0


sys.exit(main())
