/** Reads the code tables out of the interface's text. */
import { specification } from "../../support/ledger/specification.ts";

/** The text of a section, from its heading to the next one. */
export function interfaceSection(number: string): string {
  const text = specification("interface");
  const start = text.indexOf(`### ${number} `);
  const rest = text.slice(start + 4);
  return rest.slice(0, rest.search(/^##/m));
}

/** The cells of each table row of a section, without its heading rows. */
export function tableRows(section: string): string[][] {
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
