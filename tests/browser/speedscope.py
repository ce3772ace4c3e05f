# pt-convert's files, and the text of pt-script and pt-stack, opened by speedscope itself (npm's package), in a browser: it takes them, and has their profiles.
import base64, json, os, subprocess, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["PT_TOP"], "tests/lib"))
import browser
from browser import check, start

if subprocess.run("command -v npm", shell=True, stdout=subprocess.DEVNULL).returncode:
    print("SKIP: npm is not installed")
    sys.exit(77)
if subprocess.run("npm pack --silent speedscope@1.25.0 && tar xzf speedscope-1.25.0.tgz", shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120).returncode:
    print("SKIP: npm cannot fetch speedscope 1.25.0")
    sys.exit(77)
DATA = os.environ["PT_DATA"]
PAGE = os.path.abspath("package/dist/release/index.html")


def convert(name, *args, **more):
    subprocess.run(["pt-convert", "-o", name, *args], check=True, stderr=subprocess.DEVNULL, **more)
    with open(name, "rb") as f:
        return f.read()


def opened(d, name, content, wait):
    """The title of the page once speedscope has read a file, in the way in which its own command line passes one."""
    with open("import.js", "w") as f:
        f.write("speedscope.loadFileFromBase64(%s, %s)" % (json.dumps(name), json.dumps(base64.b64encode(content).decode())))
    d.get("about:blank")
    d.get("file://%s#localProfilePath=%s" % (PAGE, os.path.abspath("import.js")))
    end = time.time() + wait
    while time.time() < end and wait > 0 and name.split(".")[0] not in d.title:
        time.sleep(.1)
    return d.title, d.find_element("tag name", "body").text


d = start("1200,800")
try:
    recording = convert("arm64.speedscope.json", "--symfs", DATA + "/stacks/arm64", DATA + "/stacks/arm64.data")
    title, text = opened(d, "arm64.speedscope.json", recording, 30)
    check("speedscope-recording", "arm64" in title and "rror" not in text, (title, text[:200]))
    threads = convert("threads.speedscope.json", DATA + "/threads.data")
    title, text = opened(d, "threads.speedscope.json", threads, 30)
    check("speedscope-threads", "threads" in title and "/%d)" % len(json.loads(threads)["profiles"]) in title + text, (title, text[:200]))
    hostile = convert("hostile.speedscope.json", "-", input=b'<img src=x onerror=document.title="taken">;"\\\x01\xff;' + b"x" * 3000 + b" 7\n")
    title, text = opened(d, "hostile.speedscope.json", hostile, 30)
    check("speedscope-hostile", title != "taken" and "rror" not in text.replace("onerror", ""), (title, text[:200]))
    # the text of pt-script and pt-stack, which speedscope reads by itself
    said = subprocess.run(["pt-script", "--no-inline", DATA + "/fp.data"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    title, text = opened(d, "sh tid.linux-perf.txt", said, 30)	# it names the threads
    check("speedscope-pt-script", "sh tid: 9430" in title and "rror" not in text, (title, text[:200]))
    folded = subprocess.run(["pt-stack", DATA + "/fp.data"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    title, text = opened(d, "stacks.folded", folded, 30)
    check("speedscope-pt-stack", "stacks" in title and "rror" not in text and "#" not in text, (title, text[:200]))
    # the test can fail: speedscope says so of what it cannot read
    title, text = opened(d, "broken.speedscope.json", recording.replace(b'"sampled"', b'"simple"'), 3)
    check("speedscope-broken", "broken" not in title, (title, text[:200]))
    schema = json.load(open("package/dist/release/file-format-schema.json"))
    for name, content in (("recording", recording), ("threads", threads), ("hostile", hostile)):
        f = json.loads(content.decode("utf-8"))
        want = schema["definitions"]["FileFormat.File"]
        check("speedscope-schema-" + name, set(want["required"]) <= set(f) <= set(want["properties"]) and f["$schema"] == want["properties"]["$schema"]["const"] and
              all(set(p) == set(schema["definitions"]["FileFormat.SampledProfile"]["required"]) and p["unit"] in schema["definitions"]["FileFormat.ValueUnit"]["enum"] and
                  len(p["samples"]) == len(p["weights"]) and sum(p["weights"]) == p["endValue"] and
                  all(0 <= x < len(f["shared"]["frames"]) for s in p["samples"] for x in s) for p in f["profiles"]), f.keys())
finally:
    d.quit()
sys.exit(browser.failed != 0)
