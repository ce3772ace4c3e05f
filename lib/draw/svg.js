/* What the scripts of all pictures share: this and a picture's own script are one function. */
"use strict";
var svg = document.currentScript && document.currentScript.ownerSVGElement || document.documentElement;
var plot = svg.querySelector(".plot");
var units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

/* An attribute data-NAME of the plot: where the figures are. */
function get(name) { return plot.getAttribute("data-" + name); }
function on(element, name, run) { element.addEventListener(name, run); }
function clamp(v, low, high) { return Math.max(low, Math.min(high, v)); }
/* A number with commas between its thousands. */
function grouped(v) { var p = String(+v.toFixed(3)).split("."); return p[0].replace(/\B(?=(\d{3})+$)/g, ",") + (p[1] ? "." + p[1] : ""); }
/* The largest unit that is not above a time: [name, nanoseconds]. */
function unitOf(ns) { return units.filter(function (u) { return ns >= u[1]; })[0] || units[3]; }
function make(parent, name, attributes, text) {
	var e = document.createElementNS("http://www.w3.org/2000/svg", name), k;
	for (k in attributes) e.setAttribute(k, attributes[k]);
	if (text !== undefined) e.textContent = text;
	parent.appendChild(e);
	return e;
}
function clear(e) { while (e.firstChild) e.removeChild(e.firstChild); }
/* Where a pointer is, in a plot's coordinates. */
function pointer(event, plot) {
	var p = svg.createSVGPoint();
	p.x = event.clientX;
	p.y = event.clientY;
	return p.matrixTransform(plot.getScreenCTM().inverse());
}
/* A box beside a point, kept within bounds: { left, right, top, bottom }. Its lines are [class of a swatch or null, text]. */
function box(parent, x, y, lines, within) {
	var g = make(parent, "g", {}), back = make(g, "rect", { "class": "box", rx: 4 }), w = 0, h = 17 * lines.length + 12;
	lines.forEach(function (line, i) {
		var indent = line[0] === null ? 10 : 26, t;
		if (line[0] !== null)
			make(g, "rect", { "class": "c" + line[0], x: 10, y: 10 + 17 * i, width: 10, height: 10 });
		t = make(g, "text", { x: indent, y: 19 + 17 * i, "class": i ? "" : "strong" }, line[1]);
		w = Math.max(w, indent + (t.getComputedTextLength ? t.getComputedTextLength() : 7 * line[1].length));
	});
	w += 10;
	back.setAttribute("width", w);
	back.setAttribute("height", h);
	x = Math.max(within.left, x + 14 + w > within.right ? x - 14 - w : x + 14);
	g.setAttribute("transform", "translate(" + x + " " + Math.max(within.top, Math.min(y + 14, within.bottom - h)) + ")");
}
