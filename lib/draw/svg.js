/* What the scripts of all pictures share. pt_svg_script() puts this and a picture's own script into one function. */
"use strict";
var svg = document.currentScript && document.currentScript.ownerSVGElement || document.documentElement;
var plot = svg.querySelector(".plot");
var units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

/* An attribute data-NAME of the plot: where the figures are. */
function get(name) { return plot.getAttribute("data-" + name); }
/* A number with commas between its thousands. */
function grouped(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }
function make(parent, name, attributes, text) {
	var e = document.createElementNS("http://www.w3.org/2000/svg", name), k;
	for (k in attributes) e.setAttribute(k, attributes[k]);
	if (text !== undefined) e.textContent = text;
	parent.appendChild(e);
	return e;
}
function clear(e) { while (e.firstChild) e.removeChild(e.firstChild); }
/* Where a pointer is, in the plot's coordinates. */
function pointer(event) {
	var p = svg.createSVGPoint();
	p.x = event.clientX;
	p.y = event.clientY;
	return p.matrixTransform(plot.getScreenCTM().inverse());
}
