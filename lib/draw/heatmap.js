/* What a pointer and keys ask of a heat map. The picture is complete without this. All figures come from attributes of the plot:
 * data-edges (latencies, ns), data-counts (a column each: "first row:count,count,,count;"), data-step and data-start. A picture has a plot each group;
 * the distribution of a column is drawn below all of them, so that it hides nothing. */
var BARS = 130, PANEL = BARS + 84;
var drawn = { width: +svg.getAttribute("width"), height: +svg.getAttribute("height") };
var ground = svg.querySelector(".ground"), panel = make(svg, "g", { "class": "panel", transform: "translate(0 " + drawn.height + ")" }), shut = function () {};

function size_to(height) {
	ground.setAttribute("height", height);
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", "0 0 " + drawn.width + " " + height);
}

function number(v) { return String(+v.toPrecision(12)); }

function map(plot) {
function get(name) { return plot.getAttribute("data-" + name); }
var size = get("plot").split(" "), width = +size[0], height = +size[1], columns = +get("columns"), step = +get("step");
var edges = get("edges").split(" ").map(Number), above = +get("above"), rows = edges.length - 1 + above, left = +/\((\S+) /.exec(plot.getAttribute("transform"))[1];
var cw = width / columns, rh = height / rows, chosen = -1, held = -1;

var cells = get("counts").split(";").slice(0, columns).map(function (text) {
	var part = text.split(":"), column = {};
	if (part[1])
		part[1].split(",").forEach(function (n, i) { if (n) column[+part[0] + i] = +n; });
	return column;
});
function total(c) { var n = 0, r; for (r in cells[c]) n += cells[c][r]; return n; }

/* Texts */
function unit(ns) {
	return units.filter(function (u) { return u[0] === get("unit"); })[0] || unitOf(ns);
}
function range(low, high, u) {
	u = u || unit(high);
	return number(low / u[1]) + "\u2013" + number(high / u[1]) + " " + u[0];
}
function latencies(r) {
	var u = unit(edges[r]);
	if (r === rows - 1 && above)
		return "\u2265 " + number(edges[r] / u[1]) + " " + u[0];
	return range(edges[r], edges[r + 1]);
}
function times(c) {
	var high = (c + 1) * step;
	return range(c * step, high, high >= 1e9 ? units[0] : unit(high));
}
function recorded(c) { return "recorded at " + ((+get("start") + c * step / 1e3) / 1e6).toFixed(6); }

var band = make(plot, "g", { "class": "over" }), tip = make(plot, "g", { "class": "over tip" });

function where(event) {
	var p = pointer(event, plot), c, r;
	c = Math.floor(p.x / cw);
	r = rows - 1 - Math.floor(p.y / rh);
	return c >= 0 && c < columns && r >= 0 && r < rows ? { x: p.x, y: p.y, c: c, r: r } : null;
}

function tell(at) {
	var n = cells[at.c][at.r] || 0, of = total(at.c), lines;
	clear(tip);
	make(tip, "rect", { "class": "here", x: at.c * cw, y: height - (at.r + 1) * rh, width: cw, height: rh });
	lines = [latencies(at.r), times(at.c), n ? grouped(n) + " of " + grouped(of) + " (" + +(100 * n / of).toPrecision(2) + " %)" : "none"];
	box(tip, at.x, at.y, lines.map(function (text) { return [null, text]; }), { left: -70, right: width + 20, top: -60, bottom: height + 8 });
}

/* The latency of a share of the column's points: what its row ends at. */
function within(c, share) {
	var want = Math.ceil(total(c) * share), seen = 0, r;
	for (r = 0; r < rows; r++)
		if ((seen += cells[c][r] || 0) >= want)
			break;
	return r === rows - 1 && above ? latencies(r) : "< " + range(0, edges[r + 1]).split("\u2013")[1];
}

/* The distribution of a column: a bar for each row of the map, the shortest latency on the left. */
function open(c) {
	var n = total(c), most = 0, bw = width / rows, base = 52 + BARS, r, last = -100, bar, text, u;
	shut();
	shut = close;
	chosen = c;
	clear(tip);
	make(band, "rect", { "class": "band", x: c * cw, y: 0, width: cw, height: height });
	size_to(drawn.height + PANEL);
	text = make(panel, "g", { "class": "head" });
	make(text, "text", { "class": "strong", x: left, y: 18 }, (get("name") ? get("name") + ", " : "") + times(c));
	make(text, "text", { "class": "end close", x: left + width, y: 18 }, "\u2715");
	make(text, "text", { x: left, y: 36 }, grouped(n) + (n === 1 ? " latency" : " latencies") + (n ? ", median " + within(c, .5) + ", 99 % " + within(c, .99) : ""));
	make(text, "text", { "class": "small end", x: left + width, y: 36 }, recorded(c));
	for (r in cells[c])
		most = Math.max(most, cells[c][r]);
	for (r = 0; r < rows; r++) {
		if (cells[c][r]) {
			bar = make(panel, "rect", { "class": "bar", x: left + r * bw + .5, y: base - Math.max(cells[c][r] / most * BARS, 1), width: Math.max(bw - 1, .5),
				height: Math.max(cells[c][r] / most * BARS, 1), "data-row": r, "data-count": cells[c][r] });
			make(bar, "title", {}, latencies(r) + ": " + grouped(cells[c][r]));
		}
		if (r * bw - last < 80)
			continue;
		last = r * bw;
		u = unit(edges[r]);
		make(panel, "text", { "class": "small", x: left + last, y: base + 16 }, number(edges[r] / u[1]) + (edges[r] ? " " + u[0] : ""));
	}
	make(panel, "path", { "class": "lines axis", d: "M" + left + " " + base + "h" + width });
	if (most) make(panel, "text", { "class": "small end", x: left - 8, y: 60 }, grouped(most));
}
function close() {
	chosen = -1;
	clear(band);
	clear(panel);
	size_to(drawn.height);
	shut = function () {};
}

on(plot, "mousemove", function (event) {
	var at = where(event);
	clear(tip);
	if (at)
		tell(at);
});
on(plot, "mouseleave", function () { clear(tip); });
on(plot, "click", function (event) {
	var at = where(event);
	if (at && at.c !== chosen)
		open(held = at.c);
	else
		close();
});
on(plot, "keydown", function (event) {
	var to = { ArrowLeft: held - 1, ArrowRight: held + 1, Home: 0, End: columns - 1, PageUp: held - 10, PageDown: held + 10, Enter: Math.max(held, 0) }[event.key];
	if (event.key === "Escape")
		close();
	else if (to === undefined || event.ctrlKey || event.altKey || event.metaKey)
		return;
	else
		open(held = clamp(to, 0, columns - 1));
	event.preventDefault();
});
}

on(svg, "click", function (event) {
	if (event.target === ground || event.target.getAttribute("class") === "end close")
		shut();
});
svg.querySelectorAll(".plot").forEach(map);
