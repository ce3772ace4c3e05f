/* What a pointer and keys ask of a heat map. The picture is complete without this. All figures come from attributes of the plot:
 * data-edges (latencies, ns), data-counts (a column each: "first row:count,count,,count;"), data-step and data-start. */
var PANEL = 290;
var size = get("plot").split(" "), width = +size[0], height = +size[1], columns = +get("columns"), step = +get("step");
var edges = get("edges").split(" ").map(Number), above = +get("above"), rows = edges.length - 1 + above;
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
function number(v) { return String(+v.toPrecision(12)); }
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

var band = make(plot, "g", { "class": "over" }), panel = make(plot, "g", { "class": "panel" }), tip = make(plot, "g", { "class": "over tip" });

function where(event) {
	var p = pointer(event), c, r;
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

/* The distribution of a column: bars on the rows that they stand for, beside the column. */
function open(c) {
	var n = total(c), most = 0, r, x, left, bar, text;
	chosen = c;
	clear(band);
	clear(panel);
	clear(tip);
	make(band, "rect", { "class": "band", x: c * cw, y: 0, width: cw, height: height });
	left = (c + 1) * cw + 12 + PANEL > width;
	x = left ? Math.max(c * cw - 12 - PANEL, 0) : (c + 1) * cw + 12;
	panel.setAttribute("transform", "translate(" + x + " 0)");
	make(panel, "rect", { "class": "box", x: 0, y: -68, width: PANEL, height: height + 68, rx: 4 });
	text = make(panel, "g", { "class": "head" });
	make(text, "text", { "class": "strong", x: 12, y: -48 }, times(c));
	make(text, "text", { "class": "small end", x: PANEL - 10, y: -48 }, "\u2715");
	make(text, "text", { x: 12, y: -30 }, grouped(n) + (n === 1 ? " latency" : " latencies"));
	make(text, "text", { "class": "small end", x: PANEL - 10, y: -30 }, recorded(c));
	make(text, "text", { x: 12, y: -12 }, n ? "median " + within(c, .5) + ", 99 % " + within(c, .99) : "");
	for (r in cells[c])
		most = Math.max(most, cells[c][r]);
	for (r in cells[c]) {
		bar = make(panel, "rect", { "class": "bar", x: 10, y: height - (+r + 1) * rh + .5, width: Math.max(cells[c][r] / most * (PANEL - 60), 1),
			height: Math.max(rh - 1, .5), "data-row": r, "data-count": cells[c][r] });
		make(bar, "title", {}, latencies(+r) + ": " + grouped(cells[c][r]));
		if (cells[c][r] === most)
			make(panel, "text", { "class": "small", x: 14 + PANEL - 60, y: height - (+r + .5) * rh + 4 }, grouped(most));
	}
}
function close() {
	chosen = -1;
	clear(band);
	clear(panel);
}

on(plot, "mousemove", function (event) {
	var at = where(event);
	clear(tip);
	if (at && !panel.contains(event.target))
		tell(at);
});
on(plot, "mouseleave", function () { clear(tip); });
on(svg, "click", function (event) {
	var at = plot.contains(event.target) && !panel.contains(event.target) && where(event);
	if (at && at.c !== chosen)
		open(held = at.c);
	else
		close();
});
on(svg, "keydown", function (event) {
	var to = { ArrowLeft: held - 1, ArrowRight: held + 1, Home: 0, End: columns - 1, PageUp: held - 10, PageDown: held + 10, Enter: Math.max(held, 0) }[event.key];
	if (event.key === "Escape")
		close();
	else if (to === undefined || event.ctrlKey || event.altKey || event.metaKey)
		return;
	else
		open(held = clamp(to, 0, columns - 1));
	event.preventDefault();
});
