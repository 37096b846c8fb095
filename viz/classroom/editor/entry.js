export { EditorState, Compartment } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, highlightActiveLine, drawSelection } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting, HighlightStyle } from "@codemirror/language";
export { pythonLanguage } from "@codemirror/lang-python";
export { setDiagnostics, lintGutter } from "@codemirror/lint";
export { tags } from "@lezer/highlight";
