/** Tables: rows under a head, and lists of names with their values. */
import type { ComponentChildren } from "preact";

/** A column. */
export interface Column<Row> {
  readonly title: ComponentChildren;
  readonly cell: (row: Row, index: number) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly numeric?: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string;
  /** Said when there are no rows. */
  readonly empty: string;
}

/** A table that scrolls sideways where the screen is narrow. */
export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class="table-scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, numeric }, i) => (
              <th key={i} scope="col" class={numeric ? "numeric" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ cell, numeric }, i) => (
                <td key={i} class={numeric ? "numeric" : undefined}>
                  {cell(row, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A name and its value; without a value nothing is shown. */
export type Fact = readonly [name: ComponentChildren, value: ComponentChildren];

/** Names with their values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value], i) =>
        value === undefined || value === null ? null : (
          <div key={i}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
