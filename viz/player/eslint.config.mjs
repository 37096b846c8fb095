import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["viz/player/bundles", "viz/player/node_modules", "viz/classroom/editor", "**/.venv"] },
  js.configs.recommended,
  { files: ["viz/**/*.js"], languageOptions: { globals: globals.browser } },
  // Scripts of the site that stand alone; one is called by another, and the editor is in the page of `live.js`.
  {
    files: ["viz/classroom/pages/*.js", "viz/course/*.js"],
    ignores: ["**/stage.js", "**/trial.js"],
    languageOptions: { sourceType: "script", globals: { ...globals.worker, CM: "readonly", minitapeCheck: "readonly", Presenter: "writable" } },
    rules: { "no-redeclare": ["error", { builtinGlobals: false }] },
  },
  { files: ["**/*.mjs"], languageOptions: { globals: globals.node } },
];
