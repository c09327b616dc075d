const GROUPS = ["mark", "case", "verdict"];
const names = JSON.parse(byId("names").textContent);
const form = byId("filters");
const rows = Array.from(document.querySelectorAll(".row"), (element) => ({ element, numbers: [] }));

// Each difference by its number: both elements, its labels, and whether it passes the filters.
const differences = new Map();
for (const row of rows) {
  for (const element of row.element.querySelectorAll("mark")) {
    const number = Number(element.dataset.number);
    if (!differences.has(number)) {
      row.numbers.push(number);
      differences.set(number, {
        elements: [],
        shown: true,
        mark: element.dataset.marks.split(" "),
        case: element.dataset.cases.split(" "),
        verdict: [element.dataset.verdict],
      });
    }
    differences.get(number).elements.push(element);
  }
}
let shown = [];
let shownRows = 0;
let current = 0; // its number; 0 for none

function format(number) {
  return number.toLocaleString("en");
}

function inputs(group) {
  return Array.from(form.querySelectorAll(`input[name="${group}"]`));
}

function applyFilters() {
  const wanted = {};
  for (const group of GROUPS) {
    const values = inputs(group).filter((input) => input.checked).map((input) => input.value);
    if (values.length) wanted[group] = values;
  }
  const groups = Object.keys(wanted);
  shown = [];
  for (const [number, difference] of differences) {
    const matches = groups.every((group) =>
      difference[group].some((value) => wanted[group].includes(value)));
    if (matches) shown.push(number);
    if (matches === difference.shown) continue;
    difference.shown = matches;
    for (const element of difference.elements) element.classList.toggle("off", !matches);
  }
  shownRows = 0;
  for (const row of rows) {
    const visible = !groups.length || row.numbers.some((number) => differences.get(number).shown);
    row.element.hidden = !visible;
    shownRows += visible;
  }
  byId("none").hidden = shownRows > 0;
  byId("clear").disabled = !groups.length;
  setCurrent(differences.get(current)?.shown ? current : 0);
}

function setCurrent(number) {
  for (const element of differences.get(current)?.elements ?? []) element.classList.remove("current");
  current = number;
  const difference = differences.get(current);
  for (const element of difference?.elements ?? []) element.classList.add("current");
  const place = difference ? `${format(shown.indexOf(current) + 1)} / ` : "";
  const of = shown.length === differences.size ? "" : ` of ${format(differences.size)}`;
  byId("count").textContent =
    `${place}${format(shown.length)}${of} differences shown, rows: ${format(shownRows)}`;
  showDetail(difference);
  byId("previous").disabled = byId("next").disabled = !shown.length;
  writeFragment();
}

function showDetail(difference) {
  const detail = byId("detail");
  detail.replaceChildren();
  if (!difference) {
    detail.textContent = shown.length ? "Press j for the first one." : "";
    return;
  }
  const add = (name, text) => {
    const word = document.createElement("b");
    word.textContent = text;
    detail.append(`${name}: `, word);
  };
  difference.elements.forEach((element, side) => add(names[side], element.textContent || "∅"));
  if (difference.verdict[0]) {
    add("gold", difference.elements[0].title.replace(/^\w+, gold: /, ""));
  }
}

// To the next difference shown, or with a step of -1 to the previous one; round at the ends.
function move(step) {
  if (!shown.length) return;
  let place = shown.indexOf(current) + step;
  if (place < 0) place = shown.length - 1;
  goTo(shown[place % shown.length]);
}

function goTo(number) {
  setCurrent(number);
  const elements = differences.get(number).elements;
  const target = elements[elements.length - 1];
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "center" });
}

function writeFragment() {
  const fragment = new URLSearchParams();
  for (const group of GROUPS) {
    for (const input of inputs(group)) if (input.checked) fragment.append(group, input.value);
  }
  if (current) fragment.set("at", current);
  if (root.dataset.theme) fragment.set("theme", root.dataset.theme);
  history.replaceState(null, "", `#${fragment}`);
}

function applyFragment() {
  const fragment = readFragment();
  setTheme(fragment.get("theme"));
  for (const group of GROUPS) {
    const values = fragment.getAll(group);
    for (const input of inputs(group)) input.checked = values.includes(input.value);
  }
  const at = Number(fragment.get("at"));
  applyFilters();
  // A difference that is filtered out stands for the next one.
  const number = at ? shown.find((other) => other >= at) : undefined;
  if (number !== undefined) goTo(number);
}

function switchTheme() {
  setTheme(otherTheme());
  writeFragment();
}

onKeys({
  j: () => move(1),
  n: () => move(1),
  k: () => move(-1),
  p: () => move(-1),
  f: () => form.querySelector("input").focus(),
  "?": toggleHelp,
});
byId("next").addEventListener("click", () => move(1));
byId("previous").addEventListener("click", () => move(-1));
byId("clear").addEventListener("click", () => { form.reset(); applyFilters(); });
byId("theme").addEventListener("click", switchTheme);
byId("open-help").addEventListener("click", toggleHelp);
byId("close-help").addEventListener("click", toggleHelp);
form.addEventListener("change", applyFilters);
form.addEventListener("submit", (event) => event.preventDefault());
document.querySelector("main").addEventListener("click", (event) => {
  const element = event.target.closest("mark:not(.off)");
  if (element) goTo(Number(element.dataset.number));
});
addEventListener("hashchange", applyFragment);
applyFragment();
root.dataset.ready = "true";
