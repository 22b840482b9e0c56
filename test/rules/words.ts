/** Words of a source text: its identifiers, and the lines of its comments and texts. */
import ts from "typescript";

/** What a text consists of. Lines count from 1. */
export interface Words {
  readonly identifiers: readonly { readonly name: string; readonly line: number }[];
  /** Comments, strings and parts of templates with more than one word. */
  readonly texts: readonly { readonly text: string; readonly line: number }[];
  /** Lines that have some of those texts. */
  readonly lineCount: number;
}

const { SyntaxKind } = ts;
const TEXTS: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.SingleLineCommentTrivia,
  SyntaxKind.MultiLineCommentTrivia,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);
const NAMES: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
]);
const TRIVIA: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.WhitespaceTrivia,
  SyntaxKind.NewLineTrivia,
  SyntaxKind.SingleLineCommentTrivia,
  SyntaxKind.MultiLineCommentTrivia,
]);
/** Behind these a slash divides. */
const VALUES: ReadonlySet<ts.SyntaxKind> = new Set([
  ...NAMES,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  // Of a closing tag.
  SyntaxKind.LessThanToken,
]);

/** The tokens of a text, with those of regular expressions and templates put together. */
function* tokensOf(scanner: ts.Scanner): Generator<ts.SyntaxKind> {
  /** Open braces within each open template. */
  const templates: number[] = [];
  let before: ts.SyntaxKind = SyntaxKind.Unknown;
  for (;;) {
    let kind = scanner.scan();
    if (kind === SyntaxKind.EndOfFileToken) return;
    const depth = templates.at(-1);
    if (kind === SyntaxKind.CloseBraceToken && depth === 0) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateTail) templates.pop();
    } else if (kind === SyntaxKind.TemplateHead) templates.push(0);
    else if (depth !== undefined && kind === SyntaxKind.OpenBraceToken)
      templates[templates.length - 1] = depth + 1;
    else if (depth !== undefined && kind === SyntaxKind.CloseBraceToken)
      templates[templates.length - 1] = depth - 1;
    else if (kind === SyntaxKind.SlashToken && !VALUES.has(before))
      kind = scanner.reScanSlashToken();
    if (!TRIVIA.has(kind)) before = kind;
    yield kind;
  }
}

/** Reads the words of a TypeScript or JavaScript text. */
export function wordsOf(text: string): Words {
  const scanner = ts.createScanner(
    ts.ScriptTarget.ES2023,
    false,
    ts.LanguageVariant.Standard,
    text,
  );
  const identifiers: { name: string; line: number }[] = [];
  const texts: { text: string; line: number }[] = [];
  const lines = new Set<number>();
  let line = 1;
  let counted = 0;
  for (const kind of tokensOf(scanner)) {
    const start = scanner.getTokenStart();
    for (
      let at = text.indexOf("\n", counted);
      at >= 0 && at < start;
      at = text.indexOf("\n", counted)
    ) {
      line += 1;
      counted = at + 1;
    }
    if (NAMES.has(kind)) identifiers.push({ name: scanner.getTokenText(), line });
    else if (TEXTS.has(kind)) {
      const token = scanner.getTokenText();
      if (!/\S\s+\S/.test(token)) continue;
      texts.push({ text: token, line });
      const height = token.split("\n").length;
      for (let row = 0; row < height; row += 1) lines.add(line + row);
    }
  }
  return { identifiers, texts, lineCount: lines.size };
}

/** The words of a name, in lower case: `#sealingDesk2` has sealing and desk. */
export function partsOf(name: string): string[] {
  const parts = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return parts.map((part) => part.toLowerCase());
}
