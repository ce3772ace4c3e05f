"""What the tests that drive pictures share: Chromium without a window, and the count of checks that failed. (Without Chromium the test is skipped.)"""
import os, sys, tempfile
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("SKIP: python3-selenium is not installed")
    sys.exit(77)
CHROMIUM = next((p for p in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if os.path.exists(p)), None)
if not CHROMIUM or not os.path.exists("/usr/bin/chromedriver"):
    print("SKIP: chromium and chromedriver are not installed")
    sys.exit(77)

OUT = os.path.join(os.environ["PT_TOP"], "out")
failed = 0


def check(name, fine, why=""):
    global failed
    print("ok %s" % name if fine else "FAIL %s: %s" % (name, why))
    failed += not fine


def start(size, script=True):
    o = webdriver.ChromeOptions()
    for a in ("headless=new no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update "
              "disable-sync hide-scrollbars force-device-scale-factor=1").split():
        o.add_argument("--" + a)
    o.add_argument("--window-size=" + size)
    o.add_argument("--user-data-dir=" + tempfile.mkdtemp())
    o.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not script:
        o.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    o.binary_location = CHROMIUM
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=o)


def scheme(d, mode):
    d.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]})


def texts(d, selector):
    return [e.text for e in d.find_elements(By.CSS_SELECTOR, selector + " text")]


def same_without_style(d, name, path):
    """A picture looks the same to viewers that remove its style sheet (and run no script)."""
    d.get("data:text/html,<!doctype html><body></body>")
    with open(path, encoding="utf-8", errors="replace") as f:
        differ = d.execute_script("""
            document.body.innerHTML = arguments[0];
            var all = Array.from(document.querySelectorAll("svg rect, svg path, svg text"));
            function looks() { return all.map(function (e) {
                var s = getComputedStyle(e);
                return [e.tagName, e.getAttribute("class"), s.fill, s.stroke, s.fontSize, s.fontWeight, s.fontFamily, s.textAnchor].join(" ");
            }); }
            var before = looks();
            document.querySelector("svg style").remove();
            var after = looks();
            return all.length < 10 ? ["only " + all.length + " elements"] :
                before.map(function (x, i) { return x + " / " + after[i]; }).filter(function (x, i) { return before[i] !== after[i]; });
            """, f.read())
    check(name, not differ, differ[:5])
