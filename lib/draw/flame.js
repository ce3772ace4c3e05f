/* Zoom, search, keys and links of a flame graph. The picture is complete without this: shapes and labels are there. From the data beside them (names, a line
 * each: colour and name; frames: depth.name.count[.before.colour[.width]], base 36, depth first) the script draws what is asked for. */
var geometry = get("geometry").split(" ").map(Number), left = geometry[0], top = geometry[1], row = geometry[2], font = geometry[3], tower = geometry[4];
var inverted = get("inverted") === "1", two = get("two") === "1", unit = get("unit"), change = get("change").split(" ").map(Number);
var palette = get("palette").match(/.{6}/g), all = +get("total"), GREY = 20, LESS = 90, MORE = 100;
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
/* As it was drawn, and as it is now: a picture alone in a window is as wide as that, and as high as what it shows needs. */
var foot_height = geometry[5], drawn = { width: +svg.getAttribute("width"), height: +svg.getAttribute("height") }, full = drawn.width, height = drawn.height, width = full - 2 * left;
clear(plot);
var alone = svg === document.documentElement, fits = alone && get("fit") === "1", bars = svg.querySelector(".back");
/* Bars that stay in sight where the picture is taller than the window: title and buttons above, what is chosen below. */
function bar(y, h) {
	var g = make(svg, "g", { "class": "bar" }), back = make(g, "rect", { "class": "back", y: y, width: "100%", height: h, visibility: "hidden" });
	if (bars.getAttribute("style")) back.setAttribute("style", bars.getAttribute("style"));
	return { g: g, back: back };
}
var boxes = make(plot, "g", { "class": "boxes" }), labels = make(plot, "g", { "class": "labels" }), marks = make(plot, "g", {});
var head = bar(0, 36), foot = bar(height - 30, 30), legend = svg.querySelector(".legend"), field = null;
var title = svg.querySelector(".title"), subtitle = svg.querySelector(".subtitle"), below_title = subtitle.textContent;
head.g.appendChild(title);
if (legend) foot.g.appendChild(legend);
var line = make(foot.g, "text", { x: left, y: height - 12, "class": "line" }, "");
var matched = make(foot.g, "text", { x: full - left, y: height - 12, "class": "end matched" }, "");
var reset = make(head.g, "text", { x: left, y: 26, "class": "button reset", visibility: "hidden" }, "Reset zoom");
var search = make(head.g, "text", { x: full - left, y: 26, "class": "end button search" }, "Search");
function place() {
	var above = Math.max(0, window.pageYOffset), below = Math.max(0, height - above - window.innerHeight);
	head.g.setAttribute("transform", "translate(0," + above + ")");
	foot.g.setAttribute("transform", "translate(0," + (height - drawn.height - below) + ")");
	head.back.setAttribute("visibility", above ? "visible" : "hidden");
	foot.back.setAttribute("visibility", below ? "visible" : "hidden");
}
function resize() {
	var seen = window.visualViewport;
	full = fits ? Math.max(400, Math.floor(seen && seen.width ? seen.width * seen.scale : window.innerWidth)) : drawn.width;
	width = full - 2 * left;
	[title, subtitle].forEach(function (e) { e.setAttribute("x", full / 2); });
	[matched, search].forEach(function (e) { e.setAttribute("x", full - left); });
	if (legend) legend.setAttribute("transform", "translate(" + (full - drawn.width) + " 0)");
}
/* Rows that are added above keep what is seen in its place. */
function heighten(rows) {
	var was = height;
	height = Math.max(drawn.height, top + rows * row + foot_height);
	svg.setAttribute("width", full);
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", "0 0 " + full + " " + height);
	if (!alone) foot.g.setAttribute("transform", "translate(0," + (height - drawn.height) + ")");
	if (alone && height !== was && !inverted && !center) window.scrollBy(0, height - was);
	if (alone) place();
}
if (alone) {
	on(window, "scroll", place);
	on(window, "resize", function () { resize(); draw(); });
}

function percent(part, whole) { return (whole ? 100 * part / whole : 0).toFixed(2) + "%"; }
function about(f) {
	var text = f.shown + (f.kind ? " [" + f.kind + "]" : "") + " (" + grouped(f.total) + " " + unit + ", " + percent(f.total, all) + ")";
	if (two)
		text += "; before " + grouped(f.before) + ", " + (f.total >= f.before ? "+" : "\u2212") + grouped(Math.abs(f.total - f.before)) +
			(f.before ? f.total ? "" : " (gone)" : " (new)");
	return text;
}

/* The sandwich of a function: its callers, merged, above it, what it calls below. Of recursive calls the outermost counts. */
function twin(parent, f, depth) {
	return { depth: depth, name: f.name, shown: f.shown, kind: f.kind, named: f.named, colour: f.colour, total: 0, before: 0, width: 0, x: 0, children: [], parent: parent, index: new Map() };
}
function count(node, f) {
	node.total += f.total;
	node.before += f.before;
	node.width += f.width;
}
function child(node, f, by) {
	var c = node.index.get(f.named ? f.name : "");
	if (!c) {
		c = twin(node, f, node.depth + by);
		node.index.set(f.named ? f.name : "", c);
		node.children.push(c);
	}
	return c;
}
function add_callees(node, f) {
	count(node, f);
	f.children.forEach(function (c) { add_callees(child(node, c, 1), c); });
}
function add_callers(node, f) {
	var up;
	for (up = f.parent; up && up !== root; up = up.parent)
		count(node = child(node, up, -1), f);
}
function settle(node) {
	var x = node.x, at;
	if (two) {
		at = Math.min(9, Math.floor(Math.sqrt(Math.abs(node.total - node.before) / change[0]) * 10));
		node.colour = Math.abs(node.total - node.before) < 1e-9 ? GREY + 9 : (node.total > node.before === (change[1] === 0) ? MORE : LESS) + at;
	}
	node.children.sort(function (a, b) { return b.width - a.width; }).forEach(function (c) {
		c.x = x;
		x += c.width;
		settle(c);
	});
}
function sandwich_of(name) {
	var middle = null, over, stack = [root], f;
	while ((f = stack.pop())) {
		if (!f.named || f.name !== name) {
			stack.push.apply(stack, f.children);
			continue;
		}
		if (!middle) {
			middle = twin(null, f, 0);
			over = twin(null, f, 0);
		}
		add_callees(middle, f);
		add_callers(over, f);
	}
	if (!middle)
		return null;
	settle(middle);
	settle(over);
	middle.callers = over.children;
	over.children.forEach(function (c) { c.parent = middle; });
	return middle;
}

/* Drawing what is within the zoomed frame, its callers across the full width; or a sandwich. */
var zoomed = root, center = null, chosen = null, pattern = null, wanted = "", any_case = false, shown = [], first = 0, last = 0;
function top_of(d) { return top + (inverted || center ? d - first : last - d) * row; }
function columns(c) { var n = c.codePointAt(0); return n >= 0x2e80 ? 2 : n >= 0x300 && n < 0x370 ? 0 : 1; }
/* The most characters from the start that fit into so many columns. */
function start_of(characters, room) {
	var part = "", i;
	for (i = 0; i < characters.length && (room -= columns(characters[i])) >= 0; i++)
		part += characters[i];
	return part;
}
/* Names that do not fit lose their middle: those of C++ and Rust differ at the end. */
function fit(text, w) {
	var room = Math.floor((w - 6) / (font * .61)), list = Array.from(text), before;
	if (start_of(list, room) === text)
		return text;
	if (room < 3)
		return "";
	before = room < 9 ? room - 2 : Math.floor((room - 1) / 2);
	return start_of(list, before) + ".." + Array.from(start_of(list.reverse(), room - 2 - before)).reverse().join("");
}
function box(f, x, w, up) {
	var match = pattern && f.named && pattern.test(f.name), y = top_of(f.depth), text, r;
	r = make(boxes, "rect", { x: x, y: y, width: Math.max(w - (w > 1 ? .4 : 0), .1), height: row - 1, fill: "#" + palette[f.colour], "class": "box" + (up ? " up" : "") + (match ? " match" : "") });
	r.frame = f;
	f.box = { x: x, y: y, w: w };
	make(r, "title", {}, about(f));
	text = f.named || f === root ? fit(f.shown, w) : "";
	if (text)
		make(labels, "text", { x: x + 3, y: Math.round(y + row / 2 + font * .33), "class": up && !match ? "up" : "" }, text);
	shown.push(f);
}
/* The frames that are seen: [frame, x, width, cut]. Those on top of a tower too narrow to be read are cut off. */
function seen_from(f, list) {
	var stack = [f], from = f.x, scale = width / f.width, w, i, cut;
	first = Math.min(first, f.depth);
	while ((f = stack.pop())) {
		w = f.width * scale;
		if (w < .1)
			continue;
		cut = w < tower && f.children.length > 0;
		list.push([f, left + (f.x - from) * scale, w, cut]);
		first = Math.min(first, f.depth);
		last = Math.max(last, f.depth);
		for (i = cut ? -1 : f.children.length - 1; i >= 0; i--)
			stack.push(f.children[i]);
	}
}
function draw() {
	var list = [], cuts = "", up;
	clear(boxes);
	clear(labels);
	shown.forEach(function (g) { g.box = null; });
	shown = [];
	first = last = 0;
	seen_from(center || zoomed, list);
	if (center)
		seen_from({ x: 0, width: center.width, depth: 0, children: center.callers }, list.above = []);
	if (center)
		list = list.concat(list.above.slice(1));
	heighten(last - first + 1);
	for (up = center ? null : zoomed.parent; up; up = up.parent)
		box(up, left, width, true);
	list.forEach(function (f) {
		box(f[0], f[1], f[2], false);
		if (f[3]) cuts += "M" + f[1] + " " + (top_of(f[0].depth) + ((center ? f[0].depth > 0 : inverted) ? row - 2 : 1)) + "h" + f[2];
	});
	if (cuts) make(boxes, "path", { "class": "cut", d: cuts });
	reset.setAttribute("visibility", zoomed === root && !center ? "hidden" : "visible");
	reset.textContent = center ? "Leave sandwich" : "Reset zoom";
	subtitle.textContent = center ? "Callers above, what it calls below: " + fit(center.shown, width - 300) : below_title;
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
	if (center) part.push("sandwich=" + encodeURIComponent(center.name));
	if (pattern) part.push("search=" + encodeURIComponent(wanted));
	if (any_case) part.push("case=any");
	try { history.replaceState(null, "", part.length ? "#" + part.join("&") : location.pathname + location.search); } catch (e) { /* a picture within a page */ }
}
function zoom(f, quiet) {
	zoomed = f && f.width > 0 ? f : root;
	center = null;
	draw();
	if (!quiet) remember();
}
function sandwich(f) {
	if (!f.named || !(center = sandwich_of(f.name)))
		return;
	chosen = center;
	draw();
	if (alone) window.scrollTo(0, Math.max(0, top_of(0) - window.innerHeight / 2));
	remember();
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
on(boxes, "click", function (event) {
	var f = event.target.frame;
	if (!f)
		return;
	choose(f);
	(center || event.shiftKey ? sandwich : zoom)(f);
	plot.focus();
});
on(boxes, "mouseover", function (event) { if (event.target.frame) choose(event.target.frame); });
on(reset, "click", function () { zoom(center ? zoomed : root); });
on(search, "click", function () { if (pattern) find(""); else ask(); });
function beside(f, by) {
	var list = !f.parent ? [f] : f.depth < 0 && f.parent === center ? center.callers : f.parent.children, i = list.indexOf(f) + by;
	return i >= 0 && i < list.length && list[i].box ? list[i] : f;
}
function widest(f, list) {
	return (list || f.children).reduce(function (best, c) { return c.box && (!best || c.total > best.total) ? c : best; }, null) || f;
}
/* The neighbour of a frame above it or below. */
function next_to(f, above) {
	if (f === center)
		return above ? widest(f, f.callers) : widest(f);
	return (center ? f.depth < 0 === above : inverted !== above) ? widest(f) : f.parent || f;
}
on(document, "keydown", function (event) {
	var at = chosen && chosen.box ? chosen : center || zoomed, to = null;
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
	case "ArrowUp": to = next_to(at, true); break;
	case "ArrowDown": to = next_to(at, false); break;
	case "ArrowLeft": to = beside(at, -1); break;
	case "ArrowRight": to = beside(at, 1); break;
	case "Enter": (center ? sandwich : zoom)(at); break;
	case "s": sandwich(at); break;
	case "Backspace": zoom(center ? zoomed : zoomed.parent || root); break;
	case "Escape": if (pattern) find(""); zoom(root); break;
	default: return;
	}
	event.preventDefault();
	if (to) choose(to);
});
function decoded(m) {
	try { return m ? decodeURIComponent(m[1]) : ""; } catch (e) { return m[1]; }
}
function recall() {
	var m = /[#&]zoom=(\d+)/.exec(location.hash);
	zoomed = m && frames[+m[1]] || root;
	if (!(zoomed.width > 0)) zoomed = root;
	any_case = /[#&]case=any/.test(location.hash);
	center = sandwich_of(decoded(/[#&]sandwich=([^&]*)/.exec(location.hash)));
	find(decoded(/[#&]search=([^&]*)/.exec(location.hash)), true);
}
on(window, "hashchange", recall);
resize();
recall();
if (alone && !inverted && !center && height > window.innerHeight)
	window.scrollTo(0, height);		/* the root is below */
