"use strict";

// Draws each chart when it comes into view. A chart's figure is the JSON beside it; its colours and fonts are the style
// sheet's, so that a chart follows light and dark.
(() => {
  const root = document.documentElement;
  const boxes = Array.from(document.querySelectorAll(".chart"));
  if (boxes.length === 0) return;
  root.classList.add("charts");

  const config = { displayModeBar: false, responsive: true, showTips: false, doubleClick: false };
  const drawn = new Set();
  let library = null;

  function load() {
    if (library === null) {
      library = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${root.dataset.root}static/vendor/plotly-basic.min.js`;
        script.addEventListener("load", () => resolve(window.Plotly));
        script.addEventListener("error", () => reject(new Error("the charts' library could not be loaded")));
        document.head.append(script);
      });
    }
    return library;
  }

  function look(box) {
    const style = getComputedStyle(box);
    const value = (name) => style.getPropertyValue(name).trim();
    return {
      ink: value("--ink"),
      soft: value("--ink-soft"),
      grid: value("--line"),
      card: value("--card"),
      font: style.fontFamily,
      series: (index) => value(`--series-${index + 1}`),
    };
  }

  function paint(trace, colours) {
    const colour = colours.series(trace.meta.series);
    const line = { ...trace.line };
    const marker = { ...trace.marker };
    const painted = { ...trace, line, marker };
    switch (trace.meta.role) {
      case "spread":
        painted.line = { width: 0 };
        painted.fillcolor = translucent(colour, 0.16);
        break;
      case "baseline":
        painted.line = { color: colours.soft, width: 1.5, dash: "dash" };
        break;
      case "episode":
        painted.marker = { color: translucent(colour, 0.55), size: 5 };
        break;
      case "explore":
        painted.marker = { color: colour, size: 6, symbol: "circle-open", line: { width: 1.5 } };
        break;
      default:
        painted.line = { ...line, color: colour, width: 2 };
        painted.marker = { ...marker, color: colour, size: 7 };
    }
    return painted;
  }

  // The style sheet writes colours as #rrggbb.
  function translucent(colour, share) {
    const parts = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
    return `rgba(${parts.join(",")},${share})`;
  }

  function axis(given, colours) {
    return {
      ...given,
      gridcolor: colours.grid,
      gridwidth: 1,
      linecolor: colours.grid,
      tickcolor: colours.grid,
      zerolinecolor: colours.grid,
      ticks: "outside",
      ticklen: 4,
      automargin: true,
      title: { ...given.title, standoff: 8, font: { size: 12, color: colours.soft } },
      tickfont: { size: 12, color: colours.soft },
    };
  }

  function figureOf(box) {
    const island = box.parentElement.querySelector('script[type="application/json"]');
    const figure = JSON.parse(island.textContent);
    const colours = look(box);
    const small = box.parentElement.classList.contains("small");
    const layout = {
      ...figure.layout,
      xaxis: axis(figure.layout.xaxis, colours),
      yaxis: axis(figure.layout.yaxis, colours),
      font: { family: colours.font, size: 13, color: colours.ink },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: small ? { l: 44, r: 12, t: 8, b: 40 } : { l: 56, r: 16, t: 12, b: 44 },
      hoverlabel: { namelength: -1, bgcolor: colours.card, bordercolor: colours.soft, font: { family: colours.font, color: colours.ink } },
    };
    return { data: figure.data.map((trace) => paint(trace, colours)), layout };
  }

  async function draw(box) {
    const plotly = await load();
    const figure = figureOf(box);
    await plotly.react(box, figure.data, figure.layout, config);
    box.dataset.drawn = "";
    drawn.add(box);
  }

  const watcher = new IntersectionObserver(
    (seen) => {
      seen.filter((item) => item.isIntersecting).forEach((item) => {
        watcher.unobserve(item.target);
        draw(item.target);
      });
    },
    { rootMargin: "200px" },
  );
  boxes.forEach((box) => watcher.observe(box));

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach(draw));
  window.addEventListener("beforeprint", () => boxes.forEach(draw));
})();
