/** Colours of Solidity, word by word. */
import { StreamLanguage, type StreamParser } from "@codemirror/language";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const KEYWORDS = words(
  "abstract anonymous as assembly break case catch constant constructor continue contract " +
    "default delete do else emit enum error event external fallback final for from function " +
    "global if immutable import indexed interface internal is let library mapping memory " +
    "modifier new override payable pragma private public pure receive return returns revert " +
    "storage calldata struct switch throw try type unchecked using var view virtual while " +
    "solidity require assert",
);
const ATOMS = words(
  "true false this super now abi block msg tx wei gwei ether seconds minutes hours days weeks",
);
const TYPE = /^(address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?|byte|u?int\d*|u?fixed\w*)$/;
const DEFINES = words("contract interface library function event error struct enum modifier");

interface Place {
  /** Inside a comment that goes on over lines. */
  isComment: boolean;
  /** The next name is being defined. */
  definesNext: boolean;
  /** Brackets that are open. */
  depth: number;
}

const parser: StreamParser<Place> = {
  name: "solidity",
  startState: () => ({ isComment: false, definesNext: false, depth: 0 }),
  token(stream, place) {
    if (place.isComment) {
      place.isComment = !stream.match(/^.*?\*\//);
      if (place.isComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      place.isComment = true;
      return "comment";
    }
    if (stream.match(/^(?:hex|unicode)?"(?:\\.|[^"\\])*"?/)) return "string";
    if (stream.match(/^(?:hex|unicode)?'(?:\\.|[^'\\])*'?/)) return "string";
    if (stream.match(/^0x[0-9a-fA-F_]+|^\d[\d_]*(?:\.\d+)?(?:[eE]-?\d+)?/)) return "number";
    const name = stream.match(/^[A-Za-z_$][\w$]*/) as RegExpMatchArray | null;
    if (name) return kindOf(name[0], place);
    if (stream.match(/^[+\-*/%=<>!&|^~?:]+/)) return "operator";
    const sign = stream.next() ?? "";
    if ("{([".includes(sign)) place.depth++;
    if ("})]".includes(sign)) place.depth = Math.max(0, place.depth - 1);
    return null;
  },
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*\}$/,
  },
  indent: (place, textAfter, { unit }) => {
    if (place.isComment) return null;
    const closes = /^\s*[})\]]/.test(textAfter) ? 1 : 0;
    return Math.max(0, place.depth - closes) * unit;
  },
};

function kindOf(name: string, place: Place): string {
  const defines = place.definesNext;
  place.definesNext = DEFINES.has(name);
  if (KEYWORDS.has(name)) return "keyword";
  if (ATOMS.has(name)) return "atom";
  if (TYPE.test(name)) return "typeName";
  return defines ? "variableName.definition" : "variableName";
}

/** Solidity for the editor. */
export const solidity = StreamLanguage.define(parser);
