// The editor: CodeMirror with syntax highlighting, diagnostics and hover texts.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const PAUSE = 120; // milliseconds without a key before the text is checked

function language(keywords) {
  const words = new Set(keywords);
  return StreamLanguage.define({
    token(stream) {
      if (stream.match(/#.*/)) return "comment";
      if (stream.match(/"[^"]*"?/)) return "string";
      if (stream.match(/\d+(\.\d+)?(e[+-]?\d+)?/i)) return "number";
      const word = stream.match(/[\p{L}_][\p{L}\p{N}_]*/u);
      if (word) return words.has(word[0]) ? "keyword" : null;
      stream.next();
      return null;
    },
    languageData: { commentTokens: { line: "#" } },
  });
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "word" },
  { tag: tags.comment, class: "remark" },
  { tag: tags.string, class: "quoted" },
  { tag: tags.number, class: "figure" },
]);

function pointed(said) {
  return hoverTooltip(async (view, at) => {
    const found = JSON.parse(await said(at));
    if (!found) return null;
    return {
      pos: found.from,
      end: found.to,
      create() {
        const dom = document.createElement("div");
        dom.className = "about";
        dom.textContent = found.text;
        return { dom };
      },
    };
  });
}

/** What may be written, as one types a word or `\nabla`, or after Control and Space. */
function proposed(completed) {
  return async (context) => {
    if (!context.explicit && !context.matchBefore(/[\\\p{L}_^][\p{L}\p{N}_^]*$/u)) return null;
    const items = JSON.parse(await completed(context.pos));
    if (!items.length) return null;
    const options = items.map((item) => ({ ...item, apply: item.insert, info: item.about || undefined }));
    return { from: items[0].from, to: items[0].to, options, validFor: /^[\\\p{L}\p{N}_^]*$/u };
  };
}

/** An editor in an element; `changed` is called after a pause in typing; `said` and `completed` return hover text and completions at a position. */
export function editorOf(parent, text, keywords, changed, said, completed) {
  let pause;
  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    clearTimeout(pause);
    pause = setTimeout(changed, PAUSE);
  });
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    highlightActiveLine(),
    lintGutter(),
    language(keywords),
    syntaxHighlighting(colours),
    pointed(said),
    autocompletion({ override: [proposed(completed)] }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
    listener,
    EditorView.contentAttributes.of({ "aria-label": "Spec", spellcheck: "false" }),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  const whole = () => view.state.doc.toString();
  return {
    view,
    text: whole,
    mend: (text, edits) => whole() === text && view.dispatch({ changes: edits }),
    replace: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }),
    select(start, end) {
      const units = (n) => Array.from(whole()).slice(0, n).join("").length;
      view.dispatch({ selection: { anchor: units(start), head: units(end) }, scrollIntoView: true });
      view.focus();
    },
  };
}

/** Diagnostics of a text, each with its code and its quick fixes. */
export function marked(editor, text, diagnostics) {
  const { view } = editor, most = view.state.doc.length;
  const action = ({ title, edits }) => ({ name: title, apply: () => editor.mend(text, edits) });
  const marks = diagnostics.map(({ from, to, severity, code, message, hint, fixes }) => ({
    from: Math.min(from, most),
    to: Math.min(Math.max(to, from), most),
    severity,
    source: code,
    message: hint ? `${message}\nhelp: ${hint}` : message,
    actions: fixes.map(action),
  }));
  view.dispatch(setDiagnostics(view.state, marks));
}
