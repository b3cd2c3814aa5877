"use strict";
// Steps through runs. The data hold differences; a state is made from the nearest one that is kept. Only rows in view are drawn.
// All text is set as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const ROW = 24;
  const KEEP = 500; // every so many steps a whole state is kept
  const SPAN = 64; // arrows are found by groups of so many rows
  const MOST = 400; // values that are listed at once

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const draw = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  // The source: one element per line, found again by file and line.
  const lines = data.sources.map((file) => {
    const list = make("div", "file");
    list.append(make("h3", "", file.name));
    const made = file.text.split("\n").map((text, index) => {
      const line = make("div", "line");
      line.append(make("span", "number", index + 1), make("code", "", text), make("span", "here"));
      list.append(line);
      return line;
    });
    if (file.cut) list.append(make("p", "", "The rest of this file is not shown: it is very long."));
    $("source").append(list);
    return made;
  });
  for (const [file, line, what] of data.unreached) {
    const element = lines[file]?.[line - 1];
    if (!element) continue;
    element.classList.add("unreached");
    element.title = what;
  }

  const ready = () => { document.documentElement.dataset.ready = "true"; };
  if (data.runs.length === 0) return ready();

  let run, step, state, kept, groups, lane, playing, marked = [];

  const start = () => ({ at: 0, values: new Map(run.initial), places: new Map(run.places.map(([l, f, n]) => [l, [f, n]])) });
  const copy = (s) => ({ at: s.at, values: new Map(s.values), places: new Map(s.places) });

  // Goes one step on, in place.
  const advance = (s) => {
    const made = run.steps[s.at];
    for (const name of made.gone ?? []) s.values.delete(name);
    for (const [name, value] of made.set) s.values.set(name, value);
    for (const [l, file, line] of made.places) s.places.set(l, [file, line]);
    s.at += 1;
    for (const l of s.places.keys()) if (run.lanes[l].to === s.at) s.places.delete(l);
    if (s.at % KEEP === 0 && !kept.has(s.at)) kept.set(s.at, copy(s));
  };

  const stateAt = (n) => {
    let s = state && state.at <= n ? state : undefined;
    const near = Math.floor(n / KEEP) * KEEP;
    for (let at = near; at > (s ? s.at : -1); at -= KEEP) {
      if (kept.has(at)) { s = copy(kept.get(at)); break; }
    }
    while (s.at < n) advance(s);
    return s;
  };

  const x = (l) => 60 + l * lane + lane / 2;
  const y = (n) => n * ROW + ROW / 2;
  const written = (made) => made.executed ?? run.sites[made.site].text;

  // Arrows by the groups of rows that they cross; long ones apart.
  const group = () => {
    groups = { long: [] };
    for (const arrow of run.arrows) {
      const [first, last] = [Math.floor(arrow[0] / SPAN), Math.floor(arrow[2] / SPAN)];
      if (last - first > 8) groups.long.push(arrow);
      else for (let g = first; g <= last; g += 1) (groups[g] ??= []).push(arrow);
    }
  };

  const rows = () => {
    const view = $("chart");
    const total = run.steps.length;
    const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 4);
    const last = Math.min(total, first + Math.ceil((view.clientHeight || 480) / ROW) + 8);
    const width = x(run.lanes.length) + 160;
    const box = $("rows");
    const [top, height] = [first * ROW, (last - first + 1) * ROW];
    const svg = draw("svg", { width, height, viewBox: `0 ${top} ${width} ${height}`, "aria-hidden": "true" });
    svg.style.top = `${top}px`;
    if (run.cycle !== null && run.cycle < total) {
      const from = (run.cycle + 1) * ROW;
      svg.append(draw("rect", { class: "loop", x: 44, y: from, width: width - 60, height: (total - run.cycle) * ROW, rx: 8 }));
      const label = draw("text", { class: "looplabel", x: width - 24, y: from + 15, "text-anchor": "end" });
      label.textContent = "forever";
      svg.append(label);
    }
    run.lanes.forEach((l, number) => {
      const end = l.to ?? total + 1;
      if (l.from > last || end < first) return;
      svg.append(draw("line", { class: "life", x1: x(number), x2: x(number), y1: l.from ? y(l.from) : 0, y2: l.to === null ? (total + 1) * ROW : y(l.to) }));
      if (l.from > 0 && l.parent !== null) {
        svg.append(draw("path", { class: "born", d: `M${x(l.parent)} ${y(l.from)}H${x(number)}` }));
        svg.append(draw("circle", { class: "born", cx: x(number), cy: y(l.from), r: 5 }));
      }
      if (l.to !== null) svg.append(draw("path", { class: "died", d: `M${x(number) - 5} ${y(l.to) + 4}l10 10m0 -10l-10 10` }));
    });
    const arrows = new Set(groups.long);
    for (let g = Math.floor(first / SPAN); g <= Math.floor(last / SPAN); g += 1) for (const a of groups[g] ?? []) arrows.add(a);
    for (const [from, sender, to, receiver, label] of arrows) {
      if (to < first || from > last) continue;
      const [x1, y1, x2, y2] = [x(sender), y(from), x(receiver), y(to)];
      const back = x2 >= x1 ? -8 : 8;
      const bend = sender === receiver ? `C${x1 + 40} ${y1} ${x2 + 40} ${y2} ${x2} ${y2}` : `L${x2} ${y2}`;
      const arrow = draw("g", { class: from <= step && step <= to ? "message now" : "message" });
      const title = draw("title", {});
      title.textContent = label;
      arrow.append(title, draw("path", { d: `M${x1} ${y1}${bend}` }), draw("path", { class: "tip", d: `M${x2} ${y2}l${back} -4v8Z` }));
      svg.append(arrow);
    }
    const drawn = [svg];
    for (let n = first; n <= last; n += 1) {
      const row = make("div", n === step ? "row current" : "row");
      row.id = `row-${n}`;
      row.dataset.step = n;
      row.style.top = `${n * ROW}px`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(n === step));
      if (run.decided !== null && n > run.decided) row.classList.add("beyond");
      if (n === 0) row.append(make("span", "label first", "start"));
      else {
        const made = run.steps[n - 1];
        row.append(make("span", "number", n));
        const label = make("span", made.atomic ? "label atomic" : "label", written(made));
        label.style.left = `${x(made.lane) + 9}px`;
        const dot = make("span", "dot");
        dot.style.left = `${x(made.lane) - 4}px`;
        row.append(dot, label);
      }
      drawn.push(row);
    }
    box.replaceChildren(...drawn);
  };

  const values = () => {
    const wanted = $("filter").value.trim().toLowerCase();
    const set = new Set(step === 0 ? [] : run.steps[step - 1].set.map(([name]) => name));
    const all = [...state.values].filter(([name]) => run.names[name].toLowerCase().includes(wanted));
    const listed = all.slice(0, MOST).map(([name, value]) => {
      const row = make("tr", set.has(name) ? "changed" : "");
      row.append(make("th", "", run.names[name]), make("td", "", value));
      return row;
    });
    if (all.length > MOST) {
      const row = make("tr");
      const cell = make("td", "", `… ${all.length - MOST} more: filter by name`);
      cell.colSpan = 2;
      row.append(cell);
      listed.push(row);
    }
    $("values").replaceChildren(...listed);
  };

  const source = () => {
    for (const line of marked) {
      line.classList.remove("at", "moved");
      line.lastChild.replaceChildren();
    }
    marked = [];
    const mover = step === 0 ? undefined : run.steps[step - 1];
    let shown;
    for (const [number, [file, at]] of state.places) {
      const line = lines[file]?.[at - 1];
      if (!line) continue;
      line.classList.add("at");
      line.lastChild.append(make("span", number === mover?.lane ? "chip mover" : "chip", run.lanes[number].name));
      if (number === mover?.lane) { line.classList.add("moved"); shown = line; }
      marked.push(line);
    }
    shown ??= marked[0];
    const box = $("source");
    if (!shown) return;
    const [top, bottom] = [shown.offsetTop, shown.offsetTop + shown.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
  };

  const automaton = () => {
    const section = document.querySelector(`section.why[data-run="${data.runs.indexOf(run)}"]`);
    const at = new Set((run.automaton[step] ?? []).map(String));
    for (const node of section?.querySelectorAll(".automaton .node") ?? []) node.classList.toggle("now", at.has(node.dataset.node));
  };

  const told = () => {
    if (step === 0) return "Before the first step.";
    const made = run.steps[step - 1];
    const site = run.sites[made.site];
    const parts = [`${run.lanes[made.lane].name} executes ${site.text}`];
    if (made.executed) parts.push(` as ${made.executed}`);
    if (made.calls) parts.push(` in ${made.calls}`);
    if (made.partner) parts.push(`, with ${run.lanes[made.partner[0]].name}`);
    parts.push(` at ${site.at}`);
    if (site.via) parts.push(`, from ${site.via}`);
    if (step === run.steps.length && run.cycle === null) parts.push(`. ${run.message}`);
    else if (step === run.decided) parts.push(". From here on, whatever happens, the property is violated.");
    else if (step === run.steps.length && run.cycle < step) parts.push(`. Back to where the cycle begins, after step ${run.cycle}.`);
    else if (step === run.steps.length) parts.push(". Here the run ends: it counts as if the last state were repeated for ever.");
    return parts.join("");
  };

  const show = (n) => {
    step = Math.max(0, Math.min(run.steps.length, n));
    state = stateAt(step);
    $("slider").value = step;
    $("count").textContent = `${step} / ${run.steps.length}`;
    $("now").textContent = told();
    const view = $("chart");
    const head = $("heads").offsetHeight;
    const height = view.clientHeight || 480;
    if (y(step) - ROW < view.scrollTop) view.scrollTop = y(step) - 2 * ROW;
    if (y(step) + ROW + head > view.scrollTop + height) view.scrollTop = y(step) + 2 * ROW + head - height;
    const across = step === 0 ? 0 : x(run.steps[step - 1].lane);
    const right = view.scrollLeft + (view.clientWidth || 600);
    if (across < view.scrollLeft + 60 || across + 120 > right) view.scrollLeft = Math.max(0, across - (view.clientWidth || 600) / 2);
    rows();
    view.setAttribute("aria-activedescendant", `row-${step}`);
    values();
    source();
    automaton();
    document.documentElement.dataset.step = step;
    try { history.replaceState(null, "", `#run=${data.runs.indexOf(run)}&step=${step}`); } catch { /* not everywhere allowed */ }
  };

  const play = (on) => {
    clearInterval(playing);
    playing = on ? setInterval(() => {
      if (step >= run.steps.length) play(false);
      else show(step + 1);
    }, 350) : undefined;
    $("play").textContent = on ? "Pause" : "Play";
    $("play").setAttribute("aria-pressed", String(on));
  };

  const choose = (number, at) => {
    run = data.runs[number];
    state = undefined;
    kept = new Map();
    kept.set(0, start());
    lane = run.lanes.length > 12 ? 110 : 160;
    group();
    $("run").value = number;
    $("slider").max = run.steps.length;
    const heads = run.lanes.map((l, index) => {
      const head = make("span", "lane", l.name);
      head.style.left = `${x(index)}px`;
      return head;
    });
    $("heads").replaceChildren(...heads);
    for (const wide of [$("heads"), $("rows")]) wide.style.width = `${x(run.lanes.length) + 160}px`;
    $("rows").style.height = `${(run.steps.length + 1) * ROW}px`;
    for (const section of document.querySelectorAll("section.why")) section.hidden = section.dataset.run !== String(number);
    show(at);
  };

  data.runs.forEach((r, index) => {
    const option = make("option", "", `${r.property}: ${r.message}`.slice(0, 100));
    option.value = index;
    $("run").append(option);
  });
  $("run").hidden = data.runs.length < 2;
  $("run").addEventListener("change", () => choose(Number($("run").value), 0));
  $("first").addEventListener("click", () => show(0));
  $("back").addEventListener("click", () => show(step - 1));
  $("next").addEventListener("click", () => show(step + 1));
  $("last").addEventListener("click", () => show(run.steps.length));
  $("play").addEventListener("click", () => play(playing === undefined));
  $("slider").addEventListener("input", () => show(Number($("slider").value)));
  $("filter").addEventListener("input", values);
  $("chart").addEventListener("scroll", () => requestAnimationFrame(rows));
  $("chart").addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) show(Number(row.dataset.step));
  });
  const keys = {
    ArrowRight: () => show(step + 1), ArrowDown: () => show(step + 1), j: () => show(step + 1),
    ArrowLeft: () => show(step - 1), ArrowUp: () => show(step - 1), k: () => show(step - 1),
    PageDown: () => show(step + 20), PageUp: () => show(step - 20),
    Home: () => show(0), End: () => show(run.steps.length), " ": () => play(playing === undefined),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, button")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  // On paper there is no window to scroll: the steps as a list.
  window.addEventListener("beforeprint", () => {
    const list = make("ol", "paper");
    run.steps.slice(0, 2000).forEach((made) => list.append(make("li", "", `${run.lanes[made.lane].name}  ${written(made)}`)));
    document.querySelector(".paper")?.remove();
    document.querySelector(".stage").append(list);
  });

  const asked = new URLSearchParams(location.hash.slice(1));
  const number = Math.min(data.runs.length - 1, Math.max(0, Number(asked.get("run")) || 0));
  choose(number, asked.has("step") ? Number(asked.get("step")) || 0 : 0);
  ready();
})();
