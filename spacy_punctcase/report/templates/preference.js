const study = JSON.parse(byId("study").textContent);
const STORE = `punctcase-preference-${study.study}`;
const last = study.items.length - 1;

// Votes by item: the side as seen ("left", "right", "tie") and the time.
let votes = {};
let at = 0;

function load() {
  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem(STORE) ?? "{}");
  } catch {
    // A browser that keeps nothing for local files: the votes last as long as the page.
  }
  votes = stored.votes ?? {};
  byId("rater").value = stored.rater ?? "";
  at = firstOpen() ?? last;
}

function store() {
  try {
    localStorage.setItem(STORE, JSON.stringify({ votes, rater: byId("rater").value }));
  } catch {
    byId("unkept").hidden = false;
  }
}

function firstOpen() {
  const index = study.items.findIndex((_, item) => !(item in votes));
  return index < 0 ? undefined : index;
}

function showText(side, runs) {
  const nodes = runs.map(([text, differs]) => {
    if (!differs) return document.createTextNode(text);
    const element = document.createElement("u");
    element.textContent = text;
    return element;
  });
  byId(side).querySelector("p").replaceChildren(...nodes);
}

function show() {
  const item = study.items[at];
  const choice = votes[at]?.side;
  const count = Object.keys(votes).length;
  for (const side of ["left", "right"]) {
    showText(side, item[side]);
    byId(side).classList.toggle("chosen", choice === side);
  }
  for (const button of document.querySelectorAll("[data-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.choice === choice));
  }
  if (item.gold !== null) byId("gold").textContent = item.gold;
  byId("place").textContent = `${at + 1} of ${last + 1}`;
  byId("voted").textContent = `${count} voted`;
  byId("progress").max = last + 1;
  byId("progress").value = count;
  byId("back").disabled = at === 0;
  byId("forward").disabled = at === last;
  const complete = count > last;
  byId("finished").textContent = complete
    ? "All done, thank you. Save the votes to a file and send it to whoever asked you."
    : "You can stop at any time and save what you have voted so far.";
  byId("download").disabled = !count;
  byId("download").classList.toggle("done", complete);
}

function vote(side) {
  votes[at] = { side, time: new Date().toISOString() };
  store();
  if (at < last) at += 1;
  else at = firstOpen() ?? last;
  show();
}

function move(step) {
  at = Math.min(last, Math.max(0, at + step));
  show();
}

// Only here is it found out which system was on which side.
function votesFile() {
  const onLeft = atob(study.key);
  const decode = (item, side) => {
    if (side === "tie") return "tie";
    const other = onLeft[item] === "a" ? "b" : "a";
    return side === "left" ? onLeft[item] : other;
  };
  return {
    study: study.study,
    names: { a: study.names[0], b: study.names[1] },
    rater: byId("rater").value.trim(),
    items: study.items.length,
    saved: new Date().toISOString(),
    votes: Object.keys(votes).map(Number).sort((one, other) => one - other).map((item) => ({
      item,
      choice: decode(item, votes[item].side),
      time: votes[item].time,
    })),
  };
}

function download(event) {
  event.preventDefault();
  const data = votesFile();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(data, null, 2), "\n"], { type: "application/json" }));
  const rater = data.rater.replace(/[^\p{L}\p{N}]+/gu, "-");
  link.download = `votes-${study.study}${rater ? `-${rater}` : ""}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

onKeys({
  1: () => vote("left"),
  2: () => vote("right"),
  0: () => vote("tie"),
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  "?": toggleHelp,
});
for (const button of document.querySelectorAll("[data-choice]")) {
  button.addEventListener("click", () => vote(button.dataset.choice));
}
byId("back").addEventListener("click", () => move(-1));
byId("forward").addEventListener("click", () => move(1));
byId("underline").addEventListener("change", (event) => {
  document.body.classList.toggle("underlined", event.target.checked);
});
byId("rater").addEventListener("input", store);
byId("save").addEventListener("submit", download);
byId("theme").addEventListener("click", () => setTheme(otherTheme()));
byId("open-help").addEventListener("click", toggleHelp);
byId("close-help").addEventListener("click", toggleHelp);
setTheme(readFragment().get("theme"));
load();
show();
root.dataset.ready = "true";
