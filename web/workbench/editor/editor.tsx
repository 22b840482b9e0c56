/** The editor: CodeMirror with Solidity, one text at a time, each with a history of its own. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { text as say } from "../../texts.ts";
import type { Diagnostic } from "../../../runtimes/shared/solidity/standard-json.ts";
import { diagnosticMarks, showDiagnostics } from "./diagnostics.ts";
import { solidity } from "./solidity-mode.ts";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-soft)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: tags.typeName, color: "var(--warn)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.atom], color: "var(--bad)" },
  { tag: tags.definition(tags.variableName), fontWeight: "600" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--panel)",
    color: "var(--ink-soft)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--line)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 18%, transparent)",
  },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--line)", outline: "1px solid var(--ink-soft)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 30%, transparent)" },
});

interface EditorProps {
  /** Of the file: another name shows another text. */
  readonly name: string;
  readonly text: string;
  /** Another number: the text was replaced, and is not what the editor itself has told. */
  readonly replaced: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly onEdit: (name: string, text: string) => void;
  readonly onSave: () => void;
  readonly onCompile: () => void;
  /** Given once: how to lead the user to a place. */
  readonly onReady?: (show: (from: number, to: number) => void) => void;
}

type Latest = { current: EditorProps };

function extensionsFor(latest: Latest): Extension {
  const run = (action: (props: EditorProps) => void) => () => {
    action(latest.current);
    return true;
  };
  return [
    diagnosticMarks,
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    drawSelection(),
    history(),
    bracketMatching(),
    indentOnInput(),
    indentUnit.of("    "),
    EditorState.tabSize.of(4),
    search({ top: true }),
    highlightSelectionMatches(),
    solidity,
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.contentAttributes.of({
      "aria-label": say("workbench.editor"),
      spellcheck: "false",
      tabindex: "0",
    }),
    keymap.of([
      { key: "Mod-s", run: run((props) => props.onSave()), preventDefault: true },
      { key: "Mod-Enter", run: run((props) => props.onCompile()), preventDefault: true },
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of(({ docChanged, state }) => {
      const { name, onEdit } = latest.current;
      if (docChanged) onEdit(name, state.doc.toString());
    }),
  ];
}

/** Texts with their cursors and histories, as they were left. */
const left = new Map<string, EditorState>();

function stateFor({ name, text }: EditorProps, extensions: Extension): EditorState {
  const kept = left.get(name);
  if (kept?.doc.toString() === text) return kept;
  return EditorState.create({ doc: text, extensions });
}

/** The editor. */
export function Editor(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { name, diagnostics } = props;

  useEffect(() => {
    if (!place.current) return undefined;
    // Listeners of a state that was left speak for a component that is gone: it starts afresh.
    left.clear();
    const editor = new EditorView({ parent: place.current });
    view.current = editor;
    latest.current.onReady?.((from, to) => {
      const last = editor.state.doc.length;
      const selection = { anchor: Math.min(from, last), head: Math.min(to, last) };
      editor.dispatch({ selection, scrollIntoView: true });
      editor.focus();
    });
    return () => {
      editor.destroy();
      view.current = undefined;
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return undefined;
    editor.setState(stateFor(latest.current, extensionsFor(latest)));
    return () => {
      left.set(name, editor.state);
    };
  }, [name]);

  // A text that was replaced from outside, as in another tab. The editor's own texts come back
  // here later than they were typed: taking them for new ones would undo letters, without an end.
  useEffect(() => {
    const editor = view.current;
    const { text } = latest.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [name, props.replaced]);

  useEffect(() => {
    if (view.current) showDiagnostics(view.current, diagnostics);
  }, [diagnostics, name]);

  return <div class="editor" ref={place} />;
}
