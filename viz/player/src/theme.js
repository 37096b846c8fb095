/*
 * Light or dark, as the page around a player has it.
 *
 * The page's own theme comes before the system's.
 */

/** Follow the notebook's theme where it names one; otherwise the system's (in the style sheet). */
export function followTheme(main) {
  const { body } = document;
  const player = new WeakRef(main); // or every player ever shown would live as long as the page
  const read = () => {
    const main = player.deref();
    if (!main) return observer.disconnect();
    const lab = { true: "light", false: "dark" }[body.dataset.jpThemeLight];
    main.dataset.theme = lab ?? body.dataset.theme ?? /vscode-(dark|light)|$/.exec(body.className)[1] ?? "";
  };
  const observer = new MutationObserver(read);
  observer.observe(body, { attributes: true });
  read();
}

/** From light to dark, or back, until the page around names one. */
export function flipTheme({ dataset }) {
  const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
}
