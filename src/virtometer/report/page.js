(function () {
  "use strict";
  var dark = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches;
  function draw(plot) {
    var source = document.getElementById(plot.dataset.spec);
    var still = plot.innerHTML; // the picture that was there before stays when anything goes wrong
    vegaEmbed(plot, JSON.parse(source.textContent), {
      actions: false, renderer: "svg", mode: "vega-lite", tooltip: { theme: dark ? "dark" : "light" }
    }).catch(function () { plot.innerHTML = still; });
  }
  var plots = Array.prototype.slice.call(document.querySelectorAll(".plot[data-spec]"));
  if (!window.vegaEmbed) { return; }
  if (!window.IntersectionObserver) { plots.forEach(draw); return; }
  var seen = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) {
      if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); }
    });
  }, { rootMargin: "300px" });
  plots.forEach(function (plot) { seen.observe(plot); });
})();
