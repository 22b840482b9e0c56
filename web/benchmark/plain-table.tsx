/** Tables of texts, with a caption that everybody can hear. */
import type { TextTable } from "../../runtimes/shared/benchmark/monitor-table.ts";
import { text } from "../texts.ts";

const NUMBER = /^(?:-?[\d.]+(?:e[+-]?\d+)?|-)$/;

/** A column stands at the right when it holds numbers alone. */
function isNumeric(rows: TextTable["rows"], index: number): boolean {
  return rows.length > 0 && rows.every((cells) => NUMBER.test(cells[index] ?? ""));
}

/** A table that scrolls sideways where the page is narrow. */
export function PlainTable({
  caption,
  table,
}: {
  readonly caption: string;
  readonly table: TextTable;
}) {
  const { titles, rows } = table;
  if (rows.length === 0) return <p class="empty">{text("bench.noRows")}</p>;
  const sides = titles.map((_, index) => (isNumeric(rows, index) ? "numeric" : undefined));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {titles.map((title, index) => (
              <th key={title} scope="col" class={sides[index]}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={titles[index]} class={sides[index]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
