(function () {
  "use strict";
  if (!window.vegaEmbed) { return; }
  var dark = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches;
  var plots = Array.prototype.slice.call(document.querySelectorAll("[data-spec]"));
  // A closed part has no width yet: its plots are drawn when it is opened.
  function closed(plot) { return plot.closest("details:not([open])") !== null; }
  var later = plots.filter(closed);
  plots = plots.filter(function (plot) { return !closed(plot); });
  document.addEventListener("toggle", function () {
    var now = later.filter(function (plot) { return !closed(plot); });
    later = later.filter(closed);
    plots = plots.concat(now);
    if (now.length === plots.length) { next(); }
  }, true);
  // One after the other, so that the page can be read and scrolled meanwhile: the still pictures are there already.
  function next() {
    var plot = plots.shift();
    if (!plot) { return; }
    var still = plot.innerHTML; // stays when anything goes wrong
    vegaEmbed(plot, JSON.parse(document.getElementById(plot.dataset.spec).textContent), {
      actions: false, renderer: "svg", mode: "vega-lite", tooltip: { theme: dark ? "dark" : "light" }
    }).catch(function () { plot.innerHTML = still; }).then(function () { setTimeout(next, 0); });
  }
  setTimeout(next, 0);
})();
