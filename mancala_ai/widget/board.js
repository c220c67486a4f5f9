// Shows a board and sends back what is asked of it; what is legal, drawn and said comes from
// Python (view.py). An anywidget module: https://anywidget.dev/en/afm/

const ARROWS = {
  ArrowLeft: (from, to) => same(from.y, to.y) && from.x - to.x,
  ArrowRight: (from, to) => same(from.y, to.y) && to.x - from.x,
  ArrowUp: (from, to) => same(from.x, to.x) && from.y - to.y,
  ArrowDown: (from, to) => same(from.x, to.x) && to.y - from.y,
  Home: (from, to) => same(from.y, to.y) && 100 - to.x,
  End: (from, to) => same(from.y, to.y) && to.x,
};
const FARTHEST = new Set(["Home", "End"]);
const MOST_BUTTONS = 12; // choices beyond that are a list
const LONGEST_FILM = 6; // seconds; longer ones are shown faster
const MOVE = 0.7; // seconds that a position is shown before an agent goes on

const same = (one, other) => Math.abs(one - other) < 0.1;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Texts are light where the page is dark, in every notebook.
function themeOf(node) {
  const [red, green, blue] = getComputedStyle(node).color.match(/[\d.]+/g).map(Number);
  return red + green + blue > 3 * 128 ? "dark" : "light";
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function render({ model, el }) {
  let view = model.get("view"); // the one that is shown
  let waiting = false; // for an answer
  let opened = null; // the number of the pit whose moves are to be chosen from
  let current = 0; // the number of the pit that Tab leads to
  const films = new Map(); // by the position that they lead to
  const arrived = []; // views to be shown
  let showing = false;

  const picture = element("div", { class: "mancala-picture", "aria-hidden": "true" });
  const pits = view.pits.map((pit, number) =>
    element("button", {
      type: "button",
      class: "mancala-pit",
      style: `left:${pit.x}%;top:${pit.y}%;width:${view.size}%`,
      onclick: () => choose(number),
    }),
  );
  const size = { style: `max-width:${view.width}px` };
  const field = element("div", { class: "mancala-field", role: "group", "aria-label": "Board", ...size });
  field.append(picture, ...pits);
  const choices = element("div", { class: "mancala-choices", role: "group", "aria-label": "Moves" });
  const said = element("p", { class: "mancala-said", role: "status", "aria-live": "polite" });
  const error = element("p", { class: "mancala-error", role: "alert" });
  const hint = element("div", { class: "mancala-hint" });
  const tool = (label, deed) =>
    element("button", { type: "button", onclick: () => send({ do: deed }) }, label);
  const tools = { hint: tool("Hint", "hint"), undo: tool("Undo", "undo") };
  const bar = element("div", { class: "mancala-tools" });
  bar.append(tools.hint, tools.undo, tool("New game", "new game"));
  const root = element("div", { class: "mancala-board" });
  root.append(field, said, error, choices, bar, hint);
  el.append(root);

  function send(message) {
    waiting = true;
    root.setAttribute("aria-busy", "true");
    model.send({ position: view.position, ...message });
  }

  function play(action) {
    if (waiting || showing) return;
    error.textContent = "";
    send({ do: "play", action });
  }

  function choose(number) {
    const { moves } = view.pits[number];
    turnTo(number);
    if (waiting || showing) return;
    if (moves.length === 1) play(moves[0].action);
    else if (moves.length > 1) {
      opened = number;
      showChoices();
      choices.querySelector("button")?.focus();
    }
  }

  function turnTo(number) {
    current = number;
    pits.forEach((pit, other) => (pit.tabIndex = other === number ? 0 : -1));
  }

  field.addEventListener("keydown", (event) => {
    const from = view.pits[pits.indexOf(event.target)];
    if (!from || !(event.key in ARROWS)) return;
    event.preventDefault();
    const away = view.pits.map((to) => Number(ARROWS[event.key](from, to)));
    const ahead = away.filter((distance) => distance > 0.1);
    if (!ahead.length) return;
    const wanted = FARTHEST.has(event.key) ? Math.max(...ahead) : Math.min(...ahead);
    turnTo(away.indexOf(wanted));
    pits[current].focus();
  });

  // A key pressed here is not meant for the notebook, where letters add and delete cells.
  root.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  });

  function show() {
    picture.innerHTML = view.picture;
    pits.forEach((button, number) => {
      const { label, moves } = view.pits[number];
      button.setAttribute("aria-label", label);
      button.setAttribute("aria-disabled", String(!moves.length));
      const hinted = moves.some(({ action }) => action === view.hint?.action);
      button.classList.toggle("hinted", hinted);
      if (moves.length > 1) button.setAttribute("aria-expanded", "false");
      else button.removeAttribute("aria-expanded");
    });
    const playable = view.pits.flatMap(({ moves }, number) => (moves.length ? [number] : []));
    opened = playable.length === 1 && !view.choices.length ? playable[0] : null;
    if (playable.length && !view.pits[current].moves.length && !pits.includes(focused())) {
      turnTo(playable[0]);
    } else turnTo(current);
    const status = element("span", { class: "mancala-unseen" }, view.status); // the picture has it
    const news = element(view.over ? "strong" : "span", {}, view.news);
    said.replaceChildren(view.said, " ", status, " ", news);
    error.textContent = view.error;
    tools.hint.disabled = view.over || view.thinking;
    tools.undo.disabled = !view.undo;
    root.setAttribute("aria-busy", String(view.thinking));
    showChoices();
    showHint();
  }

  const focused = () => el.getRootNode().activeElement;

  function showChoices() {
    const had = choices.contains(focused());
    const several = opened === null ? [] : view.pits[opened].moves;
    const moves = [...(several.length > 1 ? several : []), ...view.choices];
    pits.forEach((pit, number) => {
      if (pit.ariaExpanded) pit.ariaExpanded = String(number === opened);
    });
    choices.replaceChildren(...(moves.length > MOST_BUTTONS ? list(moves) : moves.map(button)));
    if (had) (choices.querySelector("button, select") ?? pits[current]).focus();
  }

  const button = ({ action, label }) =>
    element(
      "button",
      {
        type: "button",
        class: action === view.hint?.action ? "hinted" : false,
        onclick: () => play(action),
      },
      label,
    );

  function list(moves) {
    const options = moves.map(({ action, label }) => element("option", { value: action }, label));
    const select = element("select", { "aria-label": "Other moves" }, ...options);
    if (moves.some(({ action }) => action === view.hint?.action)) select.value = view.hint.action;
    const go = element(
      "button",
      { type: "button", onclick: () => play(Number(select.value)) },
      "Play",
    );
    return [select, go];
  }

  function showHint() {
    hint.replaceChildren();
    if (!view.hint) return;
    const { said: words, titles, rows, action: best } = view.hint;
    hint.append(element("p", { role: "status" }, words));
    if (!rows.length) return;
    const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)));
    const body = rows.map(({ action, cells }) =>
      element(
        "tr",
        { class: action === best ? "hinted" : false },
        ...cells.map((cell) => element("td", {}, cell)),
      ),
    );
    hint.append(
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)),
    );
  }

  // An agent is asked at once, and thinks while the way to its position is still shown; it is
  // never more than one move ahead.
  async function showArrived() {
    if (showing) return;
    showing = true;
    while (arrived.length) {
      const next = arrived.shift();
      const film = films.get(next.position);
      films.delete(next.position);
      waiting = next.thinking;
      if (next.thinking && !next.error && !arrived.length) {
        model.send({ do: "answer", position: next.position });
      }
      await run((await film) ?? []);
      view = next;
      show();
      if (view.thinking) await pause(MOVE); // so that what was played is seen
    }
    showing = false;
  }

  async function run(film) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const seconds = film.reduce((sum, frame) => sum + frame.seconds, 0);
    const pace = Math.min(1, LONGEST_FILM / seconds);
    for (const frame of film) {
      if (!root.isConnected) return;
      picture.innerHTML = frame.picture;
      await pause(pace * frame.seconds);
    }
  }

  const arrive = () => {
    arrived.push(model.get("view"));
    showArrived();
  };
  const keep = ({ position }, [film]) => films.set(position, unpacked(film));
  const paint = () => (root.dataset.theme = themeOf(el));
  const watcher = new MutationObserver(paint);
  for (const node of [document.documentElement, document.body]) {
    watcher.observe(node, { attributes: true });
  }
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", paint);
  model.on("change:view", arrive);
  model.on("msg:custom", keep);
  paint();
  arrive();
  return () => {
    watcher.disconnect();
    preference.removeEventListener("change", paint);
    model.off("change:view", arrive);
    model.off("msg:custom", keep);
  };
}

export default { render };
