/* What a pointer and keys ask of a time chart. The picture is complete without this. All figures come from the plot's metadata:
 * names: [class, text]; rows: { kind, name, about, y, h, d }, where d holds a text each column, "TEXT*N" for N equal ones. Of CPUs and tasks: for each key its
 * share (of 63) and name (two digits), in digits of base 64; of the others: numbers. */
var bars = svg.querySelector(".bars");
function read(name) { return JSON.parse(svg.querySelector("metadata." + name).textContent); }
var size = get("plot").split(" ").map(Number), width = size[0], top = size[1], bottom = size[2];
var columns = +get("columns"), span = +get("span"), start = get("start").split(" ").map(Number), cw = width / columns, step = span / columns;
var names = read("names"), wakes = read("wakes"), rows = read("rows"), DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/* Rows are read when they are first pointed at. */
function digit(c) { return DIGITS.indexOf(c); }
function keyed(text) {
	return (text.match(/.../g) || []).map(function (t) { return { share: digit(t[0]) / 63, key: digit(t[1]) * 64 + digit(t[2]) }; });
}
function isKeyed(row) { return row.kind === "cpu" || row.kind === "task"; }
function cells(row) {
	if (!row.cells) {
		row.cells = [];
		row.d.split(" ").forEach(function (part) {
			var text = part.split("*"), n = +(text[1] || 1), cell = isKeyed(row) ? keyed(text[0]) : text[0].split(",").map(Number);
			while (n--) row.cells.push(cell);
		});
	}
	return row.cells;
}

/* Texts */
function length(ns) {
	var u = unitOf(ns);
	return String(+(ns / u[1]).toPrecision(3)) + " " + u[0];
}
/* A time of the recording, from nanoseconds behind the start, with as many decimals as a column is wide. */
var decimals = clamp(Math.ceil(9 - Math.log(step) / Math.LN10) + 1, 0, 9);
function stamp(ns, places) {
	var whole = start[0], part = Math.round(start[1] + ns), text;
	places = places === undefined ? decimals : places;
	whole += Math.floor(part / 1e9);
	text = String(part % 1e9);
	while (text.length < 9) text = "0" + text;
	return String(whole) + (places ? "." + text.slice(0, places) : "");
}
function percent(share) {
	var v = share * 100;
	return (v >= 10 ? Math.round(v) : v >= 1 ? Math.round(v * 10) / 10 : "< 1") + " %";
}

/* Zoom: the picture's left edge in pixels of the whole, and how many times wider it is. What is drawn along the time is stretched within a frame that cuts it
 * off; lines and times of the axis and arrows of wake-ups are drawn anew. */
var view = { from: 0, k: 1 }, frame = make(plot, "g", {}), scene = make(frame, "g", {}), MOST = Math.max(1, columns / 10);
var clip = make(make(svg, "defs", {}), "clipPath", { id: "pt-clip" }), grid = plot.querySelector(".lines"), times = svg.querySelector(".times"), arrows = plot.querySelector(".arrows");
make(clip, "rect", { x: 0, y: top, width: width, height: bottom - top });
plot.insertBefore(frame, bars);
frame.setAttribute("clip-path", "url(#pt-clip)");
[".gap", ".lives", ".bars"].forEach(function (name) { var e = plot.querySelector(name); if (e) scene.appendChild(e); });
var near = make(plot, "g", {}), woken = make(plot, "g", {}), buttons = make(svg, "g", {}), chosen = null;
plot.insertBefore(near, frame);
function sx(x) { return (x - view.from) * view.k; }
function whole(p) { return view.from + p / view.k; }

var band = make(plot, "g", { "class": "over" }), tip = make(plot, "g", { "class": "over tip" });
var foot = make(svg, "g", { "class": "foot" });

function where(event) {
	var p = pointer(event, plot), r;
	for (r = 0; r < rows.length && !(p.y >= rows[r].y && p.y < rows[r].y + rows[r].h); r++)
		;
	return { x: p.x, y: p.y, c: clamp(Math.floor(whole(p.x) / cw), 0, columns - 1), r: r < rows.length ? r : -1,
		within: p.x >= 0 && p.x < width && p.y >= top && p.y < bottom };
}

/* How long one thing went on around a column that it fills: whole columns, and its shares of those at both ends. */
function stretch(list, c, key) {
	function share(i) {
		var found = i >= 0 && i < columns && list[i].filter(function (e) { return e.key === key; })[0];
		return found ? found.share : 0;
	}
	var from = c, to = c, before, after;
	if (share(c) < 1)
		return null;
	while (share(from - 1) === 1) from--;
	while (share(to + 1) === 1) to++;
	before = share(from - 1);
	after = share(to + 1);
	return { first: from, last: to, from: Math.max(0, (from - before) * step), length: (to - from + 1 + before + after) * step, open: from === 0 || to === columns - 1 };
}
/* Who had the CPU while a task waited for it: where it ran next, by the share of the wait. */
function meanwhile(row, wait) {
	var list = cells(row), to = wait.last, next = null, share = {}, on, most;
	while (!next && ++to < columns && list[to].length)
		next = list[to].map(function (e) { return / on CPU (\d+)$/.exec(names[e.key][1]); }).filter(Boolean)[0];
	on = next && rows.filter(function (r) { return r.kind === "cpu" && r.name === "CPU " + next[1]; })[0];
	if (!on)
		return [];
	cells(on).slice(wait.first, wait.last + 1).forEach(function (cell) {
		cell.forEach(function (e) { share[e.key] = (share[e.key] || 0) + e.share / (wait.last - wait.first + 1); });
	});
	most = Object.keys(share).sort(function (a, b) { return share[b] - share[a]; }).slice(0, 2);
	return most.map(function (key) { return [names[key][0], "meanwhile on CPU " + next[1] + ": " + names[key][1] + " " + percent(share[key])]; });
}
function keyLines(row, c) {
	var list = cells(row), cell = list[c] || [], sum = 0, lines = [], who = [], one;
	cell.forEach(function (e) {
		var text = names[e.key][1];
		sum += e.share;
		one = stretch(list, c, e.key);
		if (one && row.kind === "task" && text === "waiting for a CPU") who = meanwhile(row, one);
		lines.push([names[e.key][0], text + (one ? " for " + (one.open ? "at least " : "") + length(one.length) + " from " + stamp(one.from) : " " + percent(e.share))]);
	});
	if (row.kind === "cpu" && sum < .99)
		lines.unshift([null, cell.length ? "busy " + percent(sum) : "idle"]);
	else if (row.kind === "task" && !cell.length)
		lines.unshift([null, "asleep, or not there"]);
	return lines.concat(who);
}
function sumLines(row, c) {
	var v = cells(row)[c] || [0], sum = v.reduce(function (a, b) { return a + b; }, 0);
	switch (row.kind) {
	case "wait": return [[null, String(v[0]) + (v[0] === 1 ? " task waits" : " tasks wait") + " here on average"]];
	case "others": return [[null, String(v[0]) + " of them run here on average"]];
	case "device": return [[null, String(+sum.toFixed(2)) + " in flight on average: " + v[0] + " reads, " + (v[1] || 0) + " writes" + (v[2] ? ", " + v[2] + " others" : "")]];
	default: return [[null, sum ? grouped(Math.max(1, Math.round(sum))) + " here" : "none here"]];
	}
}
function wakeLines(row, x) {
	return wakes.filter(function (w) { return w[1] >= row.y - 1 && w[1] < row.y + row.h && Math.abs(sx(w[0]) - x) <= 3; }).slice(0, 3).map(function (w) {
		return [null, "woken " + (w[2] < 0 ? "" : w[2] ? "by " + w[2] + " " : "by an interrupt ") + (w[3] < 0 ? "" : "on CPU " + w[3] + " ") +
			"at " + stamp(w[0] / width * span) + ", waited " + length(w[4])];
	});
}
function tell(at) {
	var row = rows[at.r], lines;
	clear(tip);
	make(tip, "path", { "class": "here", d: "M" + sx((at.c + .5) * cw) + " " + top + "V" + bottom });
	if (!row)
		return;
	make(tip, "rect", { "class": "here", x: sx(at.c * cw), y: row.y, width: Math.max(cw * view.k, 3), height: row.h });
	lines = [[null, row.name + " at " + stamp(at.c * step) + " s (" + length(step) + ")"]];
	lines = lines.concat(isKeyed(row) ? keyLines(row, at.c) : sumLines(row, at.c), row.kind === "task" ? wakeLines(row, at.x) : []);
	if (row.about)
		lines.push([null, "in all: " + row.about]);
	box(tip, at.x, at.y, lines, { left: -160, right: width + 60, top: 4, bottom: bottom + 50 });
}

function redraw() {
	var zoomed = view.k > 1, ns = span / view.k, from = view.from / width * span, unit = unitOf(ns), apart = 1, steps = [2, 2.5, 2], t, d = "", last = {};
	scene.setAttribute("transform", "translate(" + -view.from * view.k + " 0) scale(" + view.k + " 1)");
	[grid, times, arrows].forEach(function (e) { if (e) e.setAttribute("visibility", zoomed ? "hidden" : "visible"); });
	clear(near);
	clear(woken);
	clear(buttons);
	if (chosen)
		make(buttons, "text", { "class": "button closer", x: +svg.getAttribute("width") - 12, y: 30 }, "Zoom in (Enter)");
	if (zoomed)
		make(buttons, "text", { "class": "button whole", x: +svg.getAttribute("width") - 12, y: 50 }, "Whole time (Escape)");
	show_choice();
	if (!zoomed)
		return;
	while (ns / apart > width / 110) apart *= steps[0], steps.push(steps.shift());
	for (t = Math.ceil(from / apart) * apart; t <= from + ns; t += apart) {
		d += "M" + sx(t / span * width) + " " + top + "V" + bottom;
		[top - 5, bottom + 14].forEach(function (y) {
			make(near, "text", { "class": "small mid", x: sx(t / span * width), y: y }, String(+(t / unit[1]).toFixed(Math.max(0, Math.ceil(Math.log(unit[1] / apart) / Math.LN10)))) + " " + unit[0]);
		});
	}
	make(near, "path", { "class": "lines", d: d });
	d = "";
	wakes.forEach(function (w) {
		var x = sx(w[0]), slot = Math.floor(x / 6), up = w[5] > w[1], tip = w[1] + (up ? 6 : -6), wing = up ? 4 : -4;
		if (x < 0 || x > width || last[slot])
			return;
		last[slot] = true;
		d += "M" + x + " " + w[5] + "V" + tip + "m-2.5 " + wing + "l2.5 " + -wing + "l2.5 " + wing;
	});
	if (d) make(woken, "path", { "class": "arrows", d: d });
}
/* Shows `part` pixels of the whole from `from` on. */
function zoom(from, part) {
	view.k = clamp(width / part, 1, MOST);
	view.from = clamp(from, 0, width - width / view.k);
	clear(tip);
	redraw();
}
/* Times wider, what is at pixel `at` of the whole stays where it is. */
function zoom_by(times, at) {
	var k = clamp(view.k * times, 1, MOST);
	zoom(at - (at - view.from) * view.k / k, width / k);
}
function zoom_in() {
	var c = chosen;
	chosen = null;
	anchor = -1;
	zoom(c[0], c[1] - c[0]);
}

/* A range of time that was chosen, and the command that draws it alone. */
function choose(from, to) {
	chosen = [Math.max(0, Math.min(from, to)), Math.min(width, Math.max(from, to))];
	redraw();
}
function show_choice() {
	var a = chosen && chosen[0], b = chosen && chosen[1], line, range;
	clear(band);
	clear(foot);
	if (!chosen)
		return;
	make(band, "rect", { "class": "band", x: clamp(sx(a), 0, width), y: top, width: Math.max(clamp(sx(b), 0, width) - clamp(sx(a), 0, width), .5), height: bottom - top });
	range = stamp(a / width * span, 9) + "," + stamp(b / width * span, 9);
	line = length((b - a) / width * span) + " from " + stamp(a / width * span) + " to " + stamp(b / width * span) + " s";
	make(foot, "text", { "class": "strong range", x: 12, y: bottom + 34 }, line);
	make(foot, "text", { "class": "command", x: 12, y: bottom + 53 }, get("command") === null ?
		"to look closer, record: pt-record --sched -o sched.data ...; then drag in the chart of sched.data" :
		get("command") + " --time " + range + get("behind"));
}
function unchoose() {
	anchor = -1;
	chosen = null;
	redraw();
}

var drag = null, held = -1, anchor = -1, row = 0;
on(plot, "mousedown", function (event) {
	var at = where(event);
	if (event.button || !at.within)
		return;
	drag = { x: whole(at.x), moved: false };
	event.preventDefault();
	if (plot.focus) plot.focus();
});
on(svg, "mousemove", function (event) {
	var at = where(event);
	clear(tip);
	if (drag && event.buttons & 1 && (drag.moved || Math.abs(at.x - sx(drag.x)) > 3)) {
		drag.moved = true;
		choose(drag.x, whole(at.x));
	} else if (at.within) {
		tell(at);
	}
});
on(svg, "mouseleave", function () { clear(tip); });
on(window, "mouseup", function () {
	if (drag && !drag.moved)
		unchoose();
	drag = null;
});
on(plot, "keydown", function (event) {
	var to = { ArrowLeft: held - 1, ArrowRight: held + 1, Home: 0, End: columns - 1, PageUp: held - 20, PageDown: held + 20 }[event.key];
	var by = { ArrowUp: -1, ArrowDown: 1 }[event.key], was = held;
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.key === "Escape") {
		unchoose();
		zoom(0, width);
	} else if (event.key === "Enter" && chosen) {
		zoom_in();
	} else if (event.key === "+" || event.key === "-") {
		zoom_by(event.key === "+" ? 2 : .5, held < 0 ? whole(width / 2) : (held + .5) * cw);
	} else if (to !== undefined) {
		held = clamp(held < 0 && to < 0 ? columns - 1 : to, 0, columns - 1);
		if (event.shiftKey) {
			anchor = anchor < 0 ? Math.max(was, 0) : anchor;
			choose(Math.min(anchor, held) * cw, (Math.max(anchor, held) + 1) * cw);
		} else {
			anchor = -1;
		}
	} else if (by && rows.length) {
		row = clamp(held < 0 ? row : row + by, 0, rows.length - 1);
	} else {
		return;
	}
	if ((to !== undefined || by) && rows.length) {
		held = Math.max(held, 0);
		if (sx(held * cw) < 0 || sx((held + 1) * cw) > width)
			zoom(held * cw - width / view.k / 2, width / view.k);
		tell({ c: held, r: row, x: sx((held + .5) * cw), y: rows[row].y + rows[row].h / 2 });
	}
	event.preventDefault();
});
/* The wheel with Ctrl zooms, as a pinch of two fingers does; sideways it moves a zoomed picture. */
plot.addEventListener("wheel", function (event) {
	var at = where(event);
	if (!at.within || !(event.ctrlKey || view.k > 1 && event.deltaX))
		return;
	if (event.ctrlKey)
		zoom_by(event.deltaY < 0 ? 1.25 : .8, whole(at.x));
	else
		zoom(view.from + event.deltaX / view.k, width / view.k);
	event.preventDefault();
}, { passive: false });
on(buttons, "click", function (event) {
	if (event.target.getAttribute("class") === "button closer") {
		zoom_in();
	} else {
		chosen = null;
		zoom(0, width);
	}
});
on(plot, "blur", function () { clear(tip); });

/* A key of the legend shows its bars alone while it is pointed at. */
svg.querySelectorAll(".key[data-class]").forEach(function (key) {
	var lit = bars.querySelectorAll("." + key.getAttribute("data-class"));
	function light(only) {
		bars.classList.toggle("dim", only);
		lit.forEach(function (e) { e.classList.toggle("lit", only); });
	}
	on(key, "mouseenter", function () { light(true); });
	on(key, "mouseleave", function () { light(false); });
});
