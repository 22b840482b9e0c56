/** What the compiler said, at its place: marks in the text and in the gutter, words on hovering. */
import {
  type EditorState,
  type Extension,
  RangeSet,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  hoverTooltip,
} from "@codemirror/view";
import type { Diagnostic } from "../../../runtimes/shared/solidity/standard-json.ts";

const setMarks = StateEffect.define<readonly Diagnostic[]>();

class Sign extends GutterMarker {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super();
    this.diagnostic = diagnostic;
  }

  override eq(other: Sign): boolean {
    return other.diagnostic === this.diagnostic;
  }

  override toDOM(): Node {
    const { severity, message } = this.diagnostic;
    const sign = document.createElement("span");
    sign.className = `said-sign ${severity}`;
    sign.textContent = severity === "error" ? "✕" : "!";
    sign.title = message;
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", `${severity}: ${message}`);
    return sign;
  }
}

interface Marks {
  readonly list: readonly Diagnostic[];
  readonly text: DecorationSet;
  readonly signs: RangeSet<GutterMarker>;
}

const NONE: Marks = { list: [], text: Decoration.none, signs: RangeSet.empty };

function marksOf(list: readonly Diagnostic[], state: EditorState): Marks {
  const { doc } = state;
  const inside = list.filter(({ line, from }) => line > 0 && from <= doc.length);
  const sorted = [...inside].sort((a, b) => a.from - b.from);
  const ranges = sorted.map((diagnostic) => {
    const { from, severity } = diagnostic;
    const line = doc.lineAt(from);
    // A place without an extent is shown to the end of its line; a long one on its first line.
    const wanted = diagnostic.to > from ? diagnostic.to : line.to;
    const to = Math.max(from, Math.min(wanted, line.to));
    return { from, to, mark: Decoration.mark({ class: `cm-said ${severity}` }), diagnostic };
  });
  const text = Decoration.set(
    ranges.filter(({ from, to }) => to > from).map(({ from, to, mark }) => mark.range(from, to)),
    true,
  );
  const signs = RangeSet.of(
    ranges.map(({ from, diagnostic }) => new Sign(diagnostic).range(doc.lineAt(from).from)),
    true,
  );
  return { list: sorted, text, signs };
}

const marks = StateField.define<Marks>({
  create: () => NONE,
  update(value, { changes, effects, state, docChanged }) {
    for (const effect of effects) if (effect.is(setMarks)) return marksOf(effect.value, state);
    if (!docChanged || value === NONE) return value;
    return { list: [], text: value.text.map(changes), signs: value.signs.map(changes) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ text }) => text),
});

const words = hoverTooltip((view, position) => {
  const { list } = view.state.field(marks);
  const here = list.filter(
    ({ from, to }) => from <= position && position <= Math.max(to, from + 1),
  );
  if (here.length === 0) return null;
  return {
    pos: position,
    above: true,
    create() {
      const dom = document.createElement("div");
      dom.className = "cm-words";
      dom.textContent = here.map(({ message }) => message).join("\n");
      return { dom };
    },
  };
});

/** Shows diagnostics; {@link showDiagnostics} gives them. */
export const diagnosticMarks: Extension = [
  marks,
  gutter({ class: "cm-signs", markers: (view) => view.state.field(marks).signs }),
  words,
];

/** Shows these diagnostics, and no others. */
export function showDiagnostics(view: EditorView, list: readonly Diagnostic[]): void {
  view.dispatch({ effects: setMarks.of(list) });
}
