// Sets the theme before anything is drawn, so that the page never flashes in the other one. A classic script of its own:
// the policy of the page refuses inline scripts, and a module would run too late.
(function () {
  var choice = null;
  try {
    choice = localStorage.getItem("riad.theme");
  } catch (blocked) {
    // Without storage the theme follows the system.
  }
  var dark = choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
