/** The schema of `report.json` and `report.csv` as Markdown, from the types and their comments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { CSV_COLUMNS } from "../../../runtimes/shared/benchmark/report-csv.ts";
import { ROUND_METRICS } from "../../../runtimes/shared/benchmark/round-metrics.ts";
import { REPORT_SCHEMA } from "../../../runtimes/shared/benchmark/round-result.ts";
import { ROOT } from "../runner/root.ts";

const SOURCE = "runtimes/shared/benchmark/round-result.ts";
/** The test that writes the page. */
const TEST = "test/runtimes/shared/benchmark/report-reference.test.ts";

/** The sentences of a comment, without where the rule stands. */
function sayingOf(node: ts.Node): string {
  const all = ts.getJSDocCommentsAndTags(node);
  const text = all.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join(" ");
  return text
    .replace(/\s+/g, " ")
    .replace(/\s*Source: .*$/, "")
    .trim();
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** A type as its reader needs it: without `readonly`, on one line. */
function typeText(type: ts.TypeNode | undefined, file: ts.SourceFile): string {
  const text = type?.getText(file) ?? "";
  return text
    .replaceAll(/readonly /g, "")
    .replaceAll(/Readonly<(Record<[^>]+>)>/g, "$1")
    .replaceAll(/\s+/g, " ")
    .replace("typeof REPORT_SCHEMA", `"${REPORT_SCHEMA}"`);
}

function interfaceText(node: ts.InterfaceDeclaration, file: ts.SourceFile): string {
  const rows = node.members.filter(ts.isPropertySignature).map((member) => {
    const type = typeText(member.type, file);
    return `| \`${member.name.getText(file)}\` | \`${cell(type)}\` | ${cell(sayingOf(member))} |`;
  });
  const head = "| Field | Type | Meaning |\n|---|---|---|";
  return `### ${node.name.text}\n\n${sayingOf(node)}\n\n${[head, ...rows].join("\n")}`;
}

function aliasText(node: ts.TypeAliasDeclaration, file: ts.SourceFile): string {
  return `### ${node.name.text}\n\n${sayingOf(node)}\n\n\`${typeText(node.type, file)}\``;
}

function typeTexts(): string[] {
  const text = readFileSync(join(ROOT, SOURCE), "utf8");
  const file = ts.createSourceFile(SOURCE, text, ts.ScriptTarget.Latest, true);
  return file.statements.flatMap((node) => {
    if (ts.isInterfaceDeclaration(node)) return [interfaceText(node, file)];
    return ts.isTypeAliasDeclaration(node) ? [aliasText(node, file)] : [];
  });
}

/** The page. */
export function benchmarkReference(): string {
  const columns = CSV_COLUMNS.map(({ name, says }) => `| \`${name}\` | ${says} |`);
  const metrics = ROUND_METRICS.map(({ name, says, unit }) => {
    return `| \`${name}\` | ${says} | ${unit === "" ? "" : unit} |`;
  });
  return `# Files of a benchmark report

Generated from the code; do not edit. To write it anew:
\`REWRITE_REFERENCE=1 npx vitest run ${TEST}\`

## report.json

One object, a BenchmarkReport (the first of the types below). Times are milliseconds, memory is
bytes, a figure that does not exist is \`null\`. Its \`schema\` is \`${REPORT_SCHEMA}\`; the number
behind the stroke changes when a reader of the old form would go wrong. New fields may come.

${typeTexts().reverse().join("\n\n")}

## report.csv

A line for each round, the first line has the names (RFC 4180, UTF-8). Empty is what does not exist.

| Column | Meaning |
|---|---|
${columns.join("\n")}

## Metrics of assertions

\`--assert "round.metric op value"\` and \`benchmark compare\` speak of these. Times are seconds.

| Metric | Meaning | Unit |
|---|---|---|
${metrics.join("\n")}
`;
}
