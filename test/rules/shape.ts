/**
 * The rules about the shape of one file, each a function from a file to its offences. To parse all
 * files takes long: a rule first examines the text, laid out as the formatter does it, whether an
 * offence can be in it at all.
 */
import ts from "typescript";
import { lineOf, type SourceFile, visit } from "./source-tree.ts";

/** Limits. */
export const MAX_COLUMNS = 100;
export const MAX_FUNCTION_LINES = 70;
export const MAX_FILE_LINES = 500;
export const MAX_PARAMETERS = 4;
/**
 * What the formatter keeps on one line: a run without a blank (a URL, a key of 128 digits), an
 * import of one name, the sentence that names a test, a declaration of rules.
 */
const UNBREAKABLE = [
  /\S{70,}/,
  /^import (type )?\{ [^,]+ \} from "[^"]+";$/,
  /^\s*test(\.\w+(\(.*\))?)?\((["`]).*\3, (async )?\(.*\) => \{$/,
  /^\/\/ rules: /,
];

/** A rule: the offences of a file, each with its line. */
export type Rule = (file: SourceFile) => string[];

function at(file: SourceFile, line: number, what: string): string {
  return `${file.path}:${line} ${what}`;
}

/** First lines of statements whose formatting is by hand, as tables are. */
function tableLines(file: SourceFile): Set<number> {
  const exempt = new Set<number>();
  visit(file.tree, (node) => {
    const comments = ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? [];
    const marked = comments.some(({ pos, end }) =>
      file.text.slice(pos, end).includes("biome-ignore format"),
    );
    if (!marked) return;
    const last = file.tree.getLineAndCharacterOfPosition(node.end).line + 1;
    for (let line = lineOf(file, node); line <= last; line++) exempt.add(line);
  });
  return exempt;
}

/** Characters; a text has at least as many units. */
function columns(line: string): number {
  return line.length <= MAX_COLUMNS ? line.length : [...line].length;
}

/** Lines of more than 100 columns, but for tables and what cannot be broken. */
export const longLines: Rule = (file) => {
  // Few files have a long line, and the search for tables asks for the comments of every node.
  const long = [...file.lines.entries()].filter(
    ([, line]) => columns(line) > MAX_COLUMNS && !UNBREAKABLE.some((form) => form.test(line)),
  );
  if (long.length === 0) return [];
  const tables = tableLines(file);
  return long
    .filter(([index]) => !tables.has(index + 1))
    .map(([index, line]) => at(file, index + 1, `${columns(line)} columns`));
};

/** A file of more than 500 lines. */
export const longFile: Rule = (file) => {
  const count = file.lines.length - (file.text.endsWith("\n") ? 1 : 0);
  return count > MAX_FILE_LINES ? [at(file, count, `${count} lines`)] : [];
};

function isSuite(node: ts.Node): boolean {
  let found = false;
  visit(node, (child) => {
    if (!ts.isCallExpression(child)) return;
    const name = child.expression.getText().split(".")[0] ?? "";
    if (/^(test|describe|it|inFull|inFullAll)$/.test(name)) found = true;
  });
  return found;
}

/** What a line within a function at the top level begins with: space, or its signature's end. */
const WITHIN = /^(\s|\)|\}[):]|>\(|$)/;

/** Whether this many lines follow each other that no short function has more; texts break them. */
function mayHaveLongFunction({ lines }: SourceFile): boolean {
  if (lines.length <= MAX_FUNCTION_LINES) return false;
  let run = 0;
  for (const line of lines) {
    // A text of several lines begins or ends here, which may stand at the margin.
    if (line.includes("`") && line.split("`").length % 2 === 0) return true;
    run = WITHIN.test(line) ? run + 1 : 0;
    if (run >= MAX_FUNCTION_LINES - 1) return true;
  }
  return false;
}

/** Functions of more than 70 lines; in tests, functions that only list tests are exempt. */
export const longFunctions: Rule = (file) => {
  if (!mayHaveLongFunction(file)) return [];
  const offences: string[] = [];
  visit(file.tree, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const first = lineOf(file, node);
    const last = file.tree.getLineAndCharacterOfPosition(node.end).line + 1;
    const length = last - first + 1;
    if (length <= MAX_FUNCTION_LINES) return;
    if (file.path.startsWith("test/") && isSuite(node)) return;
    const name = node.name?.getText(file.tree) ?? "function";
    offences.push(at(file, first, `${name} has ${length} lines`));
  });
  return offences;
};

/** The end of a signature on one line with as many commas as five parameters have. */
const MANY_ON_LINE = /(,.*){4}\)(:| =>| \{)/;
/** The end of one that has a line for each parameter. */
const LAST_OF_LINES = /^( *)\)(:| =>| \{)/;

function mayHaveManyParameters({ lines }: SourceFile): boolean {
  return lines.some((line, index) => {
    if (MANY_ON_LINE.test(line)) return true;
    const margin = LAST_OF_LINES.exec(line)?.[1];
    if (margin === undefined) return false;
    const above = lines.slice(Math.max(0, index - MAX_PARAMETERS - 1), index);
    return above.every((parameter) => parameter.startsWith(`${margin} `));
  });
}

/** Functions with more than 4 parameters. */
export const manyParameters: Rule = (file) => {
  if (!mayHaveManyParameters(file)) return [];
  const offences: string[] = [];
  visit(file.tree, (node) => {
    if (!ts.isFunctionLike(node) || node.parameters.length <= MAX_PARAMETERS) return;
    offences.push(at(file, lineOf(file, node), `${node.parameters.length} parameters`));
  });
  return offences;
};

function hasReason(file: SourceFile, line: number): boolean {
  const own = file.lines[line - 1] ?? "";
  const above = file.lines[line - 2] ?? "";
  return /\/\/\s*\S|\/\*/.test(own) || /^\s*(\/\/|\*|\/\*)/.test(above);
}

/** An exclamation mark after a name or an expression, as the formatter leaves it. */
const NON_NULL = /[\w$)\]}]!(?!=)/;

function isNonNull(node: ts.Node): boolean {
  if (ts.isNonNullExpression(node)) return true;
  const declares = ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node);
  return declares && node.exclamationToken !== undefined;
}

/** `any` in types; outside core it may stand next to its reason. */
export function anyTypes(options: { readonly withReason: boolean }): Rule {
  return (file) => {
    if (!/\bany\b/.test(file.text)) return [];
    const offences: string[] = [];
    visit(file.tree, (node) => {
      if (node.kind !== ts.SyntaxKind.AnyKeyword) return;
      const line = lineOf(file, node);
      if (options.withReason && hasReason(file, line)) return;
      offences.push(at(file, line, "any"));
    });
    return offences;
  };
}

/** `!` after an expression or a declared name; outside core it may stand next to its reason. */
export function nonNull(options: { readonly withReason: boolean }): Rule {
  return (file) => {
    if (!NON_NULL.test(file.text)) return [];
    const offences: string[] = [];
    visit(file.tree, (node) => {
      if (!isNonNull(node)) return;
      const line = file.tree.getLineAndCharacterOfPosition(node.end).line + 1;
      if (options.withReason && hasReason(file, line)) return;
      offences.push(at(file, line, "non-null assertion"));
    });
    return offences;
  };
}

/** `@ts-ignore` and `@ts-nocheck`. */
export const ignoredErrors: Rule = (file) =>
  commentsWith(file, /@ts-(ignore|nocheck)/)
    .filter(({ text }) => /^\/[/*]+\s*@ts-(ignore|nocheck)/.test(text))
    .map(({ line }) => at(file, line, "suppresses the compiler"));

/** A comment and its line. */
export interface Comment {
  readonly text: string;
  readonly line: number;
}

const commentCache = new WeakMap<SourceFile, Comment[]>();

/**
 * The comments of a file in which some line has the form, none of others: every token of a file
 * that is asked for comments is made a node, which costs more than the rest of its rules.
 */
function commentsWith(file: SourceFile, form: RegExp): Comment[] {
  return file.lines.some((line) => form.test(line)) ? commentsOf(file) : [];
}

/** All comments, found by the scanner so that strings do not count. */
function commentsOf(file: SourceFile): Comment[] {
  const known = commentCache.get(file);
  if (known !== undefined) return known;
  const found = new Map<number, Comment>();
  const add = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      const line = file.tree.getLineAndCharacterOfPosition(pos).line + 1;
      found.set(pos, { text: file.text.slice(pos, end), line });
    }
  };
  const walk = (node: ts.Node): void => {
    if (node.getChildCount(file.tree) === 0) {
      add(ts.getLeadingCommentRanges(file.text, node.getFullStart()));
      add(ts.getTrailingCommentRanges(file.text, node.end));
    }
    for (const child of node.getChildren(file.tree)) walk(child);
  };
  walk(file.tree);
  const comments = [...found.values()];
  commentCache.set(file, comments);
  return comments;
}

const OPEN = /\b(TODO|FIXME|XXX|HACK)\b/;

/** Notes to the author that belong into docs/architecture/limits.md. */
export const openNotes: Rule = (file) =>
  commentsWith(file, OPEN)
    .filter(({ text }) => OPEN.test(text))
    .map(({ line }) => at(file, line, "open point in a comment"));

const CODE =
  /^\/\/\s*((const|let|var|import|export|return|throw|if|for|while|await)\b.*[;{)]|[\w.]+\(.*\);|[\w.]+ = .*;|[})\]]+;?)$/;

/** The same at the end of a line of source, where alone it can stand. */
const CODE_AT_END = new RegExp(`${CODE.source.slice(1, -1)}\\s*$`);

/** Comments that are code. */
export const commentedCode: Rule = (file) =>
  commentsWith(file, CODE_AT_END)
    .filter(({ text }) => text.split("\n").some((line) => CODE.test(line.trim())))
    .map(({ line }) => at(file, line, "commented-out code"));

/** A file that does not open with a sentence about what it holds. */
export const openingSentence: Rule = (file) => {
  const start = file.text.startsWith("#!") ? file.text.indexOf("\n") + 1 : 0;
  return /^\/(\*\*|\/)[\s*]*[^\s*/]/.test(file.text.slice(start))
    ? []
    : [at(file, 1, "does not open with a sentence")];
};

function exportedName(node: ts.Statement): string | undefined {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) {
    return undefined;
  }
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => name.getText()).join(", ");
  }
  return "name" in node && node.name !== undefined ? (node.name as ts.Node).getText() : "export";
}

/** Whether a doc comment ends above each line with an export, and no other comment is there. */
function isPlainlyDocumented({ lines }: SourceFile): boolean {
  return lines.every((line, index) => {
    if (!line.startsWith("export ")) return true;
    const end = lines[index - 1] ?? "";
    if (!end.endsWith("*/")) return false;
    let start = index - 1;
    while (start > 0 && /^ \*/.test(lines[start] ?? "")) start--;
    return /^\/\*\*( \S|$)/.test(lines[start] ?? "");
  });
}

/** Exports without a doc comment; overloads after the first share one. */
export const undocumentedExports: Rule = (file) => {
  if (isPlainlyDocumented(file)) return [];
  const documented = new Set<string>();
  const offences: string[] = [];
  for (const statement of file.tree.statements) {
    const name = exportedName(statement);
    if (name === undefined || documented.has(name)) continue;
    const comments = ts.getLeadingCommentRanges(file.text, statement.getFullStart()) ?? [];
    const last = comments.at(-1);
    const text = last === undefined ? "" : file.text.slice(last.pos, last.end);
    if (/^\/\*\*\s*\S/.test(text)) documented.add(name);
    else offences.push(at(file, lineOf(file, statement), `${name} has no doc comment`));
  }
  return offences;
};

const BANNED_CALLS: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /^Date\.\w+$/, instead: "time arrives in the input" },
  { pattern: /^Math\.random$/, instead: "use the Entropy port" },
  { pattern: /^(performance|globalThis)\.\w+$/, instead: "no platform in core" },
];

/** Every name that is banned in some form. */
const BANNED_NAME = /\b(Date|Math\.random|performance|globalThis|(Type|Range|Syntax)?Error)\b/;

/** Clock, randomness and plain errors, with what to use instead. */
export const bannedCalls: Rule = (file) => {
  if (!BANNED_NAME.test(file.text)) return [];
  const offences: string[] = [];
  visit(file.tree, (node) => {
    if (ts.isPropertyAccessExpression(node)) {
      const text = node.getText(file.tree);
      const banned = BANNED_CALLS.find(({ pattern }) => pattern.test(text));
      if (banned) offences.push(at(file, lineOf(file, node), `${text}: ${banned.instead}`));
    }
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (!isCall || !ts.isIdentifier(node.expression)) return;
    const name = node.expression.text;
    if (name === "Date") offences.push(at(file, lineOf(file, node), "Date: time is an input"));
    if (/^(Error|TypeError|RangeError|SyntaxError)$/.test(name)) {
      offences.push(at(file, lineOf(file, node), `${name}: use a fault of core/fault`));
    }
  });
  return offences;
};
