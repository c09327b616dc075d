"use strict";
// What both pages share: the theme, the help, and a sign of whether the scripts ran.
const root = document.documentElement;
addEventListener("error", (event) => { root.dataset.error = event.message; });

function byId(id) {
  return document.getElementById(id);
}

function readFragment() {
  return new URLSearchParams(location.hash.slice(1));
}

function setTheme(theme) {
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
}

function otherTheme() {
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return (root.dataset.theme ?? (systemIsDark ? "dark" : "light")) === "dark" ? "light" : "dark";
}

function toggleHelp() {
  const help = byId("help");
  if (help.open) help.close();
  else help.showModal();
}

// Calls the action of a key, unless the key is meant for a field of text or for the browser.
function onKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof HTMLInputElement && event.target.type === "text") return;
    if (byId("help").open && event.key !== "?") {
      if (event.key === "Escape") byId("help").close();
      return;
    }
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
