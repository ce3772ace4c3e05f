# load.py SECONDS [cpu]: a bit of everything: parsing, sorting, regular expressions, calls, garbage; so many seconds, or so many of CPU time.
import json, re, sys, time
class node:
    def __init__(self, k): self.k, self.left, self.right = k, None, None
    def add(self, k):
        if k < self.k:
            if self.left: self.left.add(k)
            else: self.left = node(k)
        elif self.right: self.right.add(k)
        else: self.right = node(k)
    def walk(self):
        return (self.left.walk() if self.left else 0) + 1 + (self.right.walk() if self.right else 0)
now = time.process_time if len(sys.argv) > 2 else time.time
end = now() + float(sys.argv[1])
r = 0
while now() < end:
    r += 1
    rows = [{"key": (i * 2654435761 + r) % 1000003, "name": "row %d" % i, "tags": [str(i % 7), "x" * (i % 5)]} for i in range(300)]
    back = json.loads(json.dumps(rows))
    back.sort(key=lambda x: (x["tags"], x["key"]))
    words = re.findall(r"[a-z]+ (?:1|2|3)[0-9]*", " ".join(x["name"] for x in back))
    tree = node(500000)
    for x in back: tree.add(x["key"])
    total = tree.walk() + len(set(words)) + sum(divmod(x["key"], 97)[1] for x in rows)
