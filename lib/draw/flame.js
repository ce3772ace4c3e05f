/* Zoom, search, keys and links of a flame graph. The picture is complete without this: shapes and labels are there. From the data beside them (names, a line
 * each: colour and name; frames: depth.name.count[.before.colour[.width]], base 36, depth first) the script draws what is asked for. */
var geometry = get("geometry").split(" ").map(Number), left = geometry[0], top = geometry[1], width = geometry[2], row = geometry[3], depth = geometry[4], font = geometry[5];
var inverted = get("inverted") === "1", two = get("two") === "1", unit = get("unit");
var palette = get("palette").match(/.{6}/g), all = +get("total"), GREY = 20;
var kinds = { k: "kernel", j: "compiled at run time", i: "inlined", w: "waker" };

/* The tree */
function number(text) {
	var part = text.split("_");
	return part.length > 1 ? +part[1] + part[2] / 1e6 : parseInt(text, 36);
}
var names = svg.querySelector("metadata.names").textContent.split("\n").map(function (line) {
	var blank = line.indexOf(" ");
	var name = line.slice(blank + 1), kind = /^(.+)_\[([ijkw])\]$/.exec(name);
	return { name: name, colour: parseInt(line.slice(0, blank), 36), shown: kind ? kind[1] : name, kind: kind ? kinds[kind[2]] : "" };
});
var root = { depth: 0, name: "all", shown: "all", total: all, width: +get("width"), before: +get("before"), x: 0, children: [], parent: null, id: 0, colour: GREY + 5 };
var frames = [root], path = [root];
svg.querySelector("metadata.frames").textContent.split(" ").forEach(function (token) {
	var part = token.split("."), d, parent, f, n;
	if (part.length < 3)
		return;
	d = parseInt(part[0], 36);
	parent = path[d - 1];
	f = { depth: d, named: part[1] !== "", total: number(part[2]), before: two ? number(part[3]) : 0, children: [], parent: parent, id: frames.length };
	n = f.named ? names[parseInt(part[1], 36)] : { name: "", shown: "(several narrow frames)", colour: GREY };
	f.name = n.name;
	f.shown = n.shown;
	f.kind = n.kind;
	f.colour = two ? parseInt(part[4], 36) : n.colour;
	f.width = part.length > 5 ? number(part[5]) : f.total;
	f.x = parent.end === undefined ? parent.x : parent.end;
	parent.end = f.x + f.width;
	parent.children.push(f);
	frames.push(f);
	path[d] = f;
	path.length = d + 1;
});
var height = +svg.getAttribute("height"), full = +svg.getAttribute("width");
clear(plot);
var alone = svg === document.documentElement, bars = svg.querySelector(".back");
/* Bars that stay in sight where the picture is taller than the window: title and buttons above, what is chosen below. */
function bar(y, h) {
	var g = make(svg, "g", { "class": "bar" }), back = make(g, "rect", { "class": "back", y: y, width: full, height: h, visibility: "hidden" });
	if (bars.getAttribute("style")) back.setAttribute("style", bars.getAttribute("style"));
	return { g: g, back: back };
}
var boxes = make(plot, "g", { "class": "boxes" }), labels = make(plot, "g", { "class": "labels" }), marks = make(plot, "g", {});
var head = bar(0, 36), foot = bar(height - 30, 30), legend = svg.querySelector(".legend"), field = null;
head.g.appendChild(svg.querySelector(".title"));
if (legend) foot.g.appendChild(legend);
var line = make(foot.g, "text", { x: left, y: height - 12, "class": "line" }, "");
var matched = make(foot.g, "text", { x: full - left, y: height - 12, "class": "end matched" }, "");
var reset = make(head.g, "text", { x: left, y: 26, "class": "button reset", visibility: "hidden" }, "Reset zoom");
var search = make(head.g, "text", { x: full - left, y: 26, "class": "end button search" }, "Search");
function place() {
	var above = Math.max(0, window.pageYOffset), below = Math.max(0, height - above - window.innerHeight);
	head.g.setAttribute("transform", "translate(0," + above + ")");
	foot.g.setAttribute("transform", "translate(0," + -below + ")");
	head.back.setAttribute("visibility", above ? "visible" : "hidden");
	foot.back.setAttribute("visibility", below ? "visible" : "hidden");
}
if (alone) {
	on(window, "scroll", place);
	on(window, "resize", place);
}

function percent(part, whole) { return (whole ? 100 * part / whole : 0).toFixed(2) + "%"; }
function about(f) {
	var text = f.shown + (f.kind ? " [" + f.kind + "]" : "") + " (" + grouped(f.total) + " " + unit + ", " + percent(f.total, all) + ")";
	if (two)
		text += "; before " + grouped(f.before) + ", " + (f.total >= f.before ? "+" : "\u2212") + grouped(Math.abs(f.total - f.before)) +
			(f.before ? f.total ? "" : " (gone)" : " (new)");
	return text;
}

/* Drawing what is within the zoomed frame, its callers across the full width. */
var zoomed = root, chosen = null, pattern = null, wanted = "", any_case = false, shown = [];
function top_of(d) { return top + (inverted ? d * row : (depth - d) * row); }
function columns(c) { var n = c.codePointAt(0); return n >= 0x2e80 ? 2 : n >= 0x300 && n < 0x370 ? 0 : 1; }
function fit(text, w) {
	var room = Math.floor((w - 6) / (font * .61)), at = 0, part = "", c;
	for (c of text) {
		at += columns(c);
		if (at > room)
			return part && part + "..";
		if (at + 2 <= room)
			part += c;
	}
	return text;
}
function box(f, x, w, up) {
	var match = pattern && f.named && pattern.test(f.name), y = top_of(f.depth), text, r;
	r = make(boxes, "rect", { x: x, y: y, width: Math.max(w - (w > 1 ? .4 : 0), .1), height: row - 1, fill: "#" + palette[f.colour], "class": "box" + (up ? " up" : "") + (match ? " match" : "") });
	r.frame = f;
	f.box = { x: x, y: y, w: w };
	make(r, "title", {}, about(f));
	text = f.named || f === root ? fit(f.shown, w) : "";
	if (text)
		make(labels, "text", { x: x + 3, y: Math.round(y + row / 2 + font * .33) }, text);
	shown.push(f);
}
function draw() {
	var scale = width / zoomed.width, stack, f, up;
	clear(boxes);
	clear(labels);
	shown.forEach(function (g) { g.box = null; });
	shown = [];
	for (up = zoomed.parent; up; up = up.parent)
		box(up, left, width, true);
	stack = [zoomed];
	while ((f = stack.pop())) {
		var w = f.width * scale;
		if (w < .1)
			continue;
		box(f, left + (f.x - zoomed.x) * scale, w, false);
		for (var i = f.children.length - 1; i >= 0; i--)
			stack.push(f.children[i]);
	}
	reset.setAttribute("visibility", zoomed === root ? "hidden" : "visible");
	mark();
}
/* As much of a name as there is room for in the line below, and all of what stands behind it. */
function brief(f) {
	var whole = about(f), rest = whole.slice(f.shown.length), right = matched.textContent ? 24 + matched.textContent.length * font * .61 : legend ? full - left - legend.getBBox().x + 14 : 0;
	return fit(f.shown, full - 2 * left - right - rest.length * font * .61) + rest;
}
function mark() {
	clear(marks);
	if (chosen && chosen.box)
		make(marks, "rect", { x: chosen.box.x, y: chosen.box.y, width: Math.max(chosen.box.w - .4, 1), height: row - 1, fill: "none", "class": "chosen" });
	line.textContent = chosen ? brief(chosen) : "";
}
function choose(f) { chosen = f; mark(); }

/* The address tells what is seen: #zoom=ID&search=TEXT. */
function remember() {
	var part = [];
	if (zoomed !== root) part.push("zoom=" + zoomed.id);
	if (pattern) part.push("search=" + encodeURIComponent(wanted));
	if (any_case) part.push("case=any");
	try { history.replaceState(null, "", part.length ? "#" + part.join("&") : location.pathname + location.search); } catch (e) { /* a picture within a page */ }
}
function zoom(f, quiet) {
	zoomed = f && f.width > 0 ? f : root;
	draw();
	if (!quiet) remember();
}

/* Share of what matches, each stack once: a match below a match adds nothing. */
function find(text, quiet) {
	var sum = 0, stack = [root], f;
	wanted = text;
	try { pattern = text ? new RegExp(text, any_case ? "i" : "") : null; } catch (e) { pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), any_case ? "i" : ""); }
	while (pattern && (f = stack.pop())) {
		if (f.named && pattern.test(f.name))
			sum += f.total;
		else
			stack.push.apply(stack, f.children);
	}
	matched.textContent = pattern ? "Matched" + (any_case ? " in any case" : "") + ": " + percent(sum, all) : "";
	if (legend) legend.setAttribute("visibility", pattern ? "hidden" : "visible");
	search.textContent = pattern ? "Reset search" : "Search";
	draw();
	if (!quiet) remember();
}
function ask() {
	var holder, input;
	if (field) return;
	holder = field = make(head.g, "foreignObject", { x: full - left - 260, y: 8, width: 190, height: 28 });
	input = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
	input.setAttribute("class", "field");
	input.setAttribute("placeholder", "regular expression");
	input.setAttribute("style", "width: 180px; box-sizing: border-box;");
	if (pattern) input.value = wanted;
	holder.appendChild(input);
	on(input, "keydown", function (event) {
		event.stopPropagation();
		if (event.key === "Enter" || event.key === "Escape") {
			head.g.removeChild(holder);
			field = null;
			if (event.key === "Enter") find(input.value);
			plot.focus();
		}
	});
	input.focus();
}

/* Pointer and keys */
on(boxes, "click", function (event) { if (event.target.frame) { choose(event.target.frame); zoom(event.target.frame); plot.focus(); } });
on(boxes, "mouseover", function (event) { if (event.target.frame) choose(event.target.frame); });
on(reset, "click", function () { zoom(root); });
on(search, "click", function () { if (pattern) find(""); else ask(); });
function beside(f, by) {
	var list = f.parent ? f.parent.children : [f], i = list.indexOf(f) + by;
	return i >= 0 && i < list.length && list[i].box ? list[i] : f;
}
function widest(f) {
	return f.children.reduce(function (best, c) { return c.box && (!best || c.total > best.total) ? c : best; }, null) || f;
}
on(document, "keydown", function (event) {
	var at = chosen && chosen.box ? chosen : zoomed, to = null;
	if ((event.ctrlKey || event.metaKey) && event.key === "f" || event.key === "/") {
		event.preventDefault();
		ask();
		return;
	}
	if (event.ctrlKey && event.key === "i" || event.key === "i" && !event.metaKey && !event.altKey) {
		event.preventDefault();
		any_case = !any_case;
		if (pattern) find(wanted);
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	switch (event.key) {
	case "ArrowUp": to = inverted ? at.parent || at : widest(at); break;
	case "ArrowDown": to = inverted ? widest(at) : at.parent || at; break;
	case "ArrowLeft": to = beside(at, -1); break;
	case "ArrowRight": to = beside(at, 1); break;
	case "Enter": zoom(at); break;
	case "Backspace": zoom(zoomed.parent || root); break;
	case "Escape": if (pattern) find(""); zoom(root); break;
	default: return;
	}
	event.preventDefault();
	if (to) choose(to);
});
function recall() {
	var m = /[#&]zoom=(\d+)/.exec(location.hash), s = /[#&]search=([^&]*)/.exec(location.hash), text = "";
	zoomed = m && frames[+m[1]] || root;
	if (!(zoomed.width > 0)) zoomed = root;
	any_case = /[#&]case=any/.test(location.hash);
	try { text = s ? decodeURIComponent(s[1]) : ""; } catch (e) { text = s[1]; }
	find(text, true);
}
if (alone && !inverted && height > window.innerHeight)
	window.scrollTo(0, height);		/* the root is below */
if (alone) place();
on(window, "hashchange", recall);
recall();
