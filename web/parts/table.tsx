/** Tables: rows under a head, and lists of names with their values. */
import type { ComponentChildren } from "preact";
import { text } from "../texts.ts";
import { type Proof, ProofMark, useProof } from "./proof-mark.tsx";

/** A column: the key of its name or what else stands there, and what a row has in it. */
export type Column<Row> = readonly [
  title: ComponentChildren,
  cell: (row: Row, index: number) => ComponentChildren,
  /** Numbers stand at the right. */
  align?: "numeric" | undefined,
];

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
            {columns.map(([title, , align], i) => (
              <th key={i} scope="col" class={align}>
                {typeof title === "string" ? text(title) : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(([, cell, align], i) => (
                <td key={i} class={align}>
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

/**
 * The key of a name, or what else stands there, and a value; without that nothing is shown. A value
 * may have a proof of its own.
 */
export type Fact = readonly [
  name: ComponentChildren,
  value: ComponentChildren,
  proof?: Proof | undefined,
];

/** Names with their values, each with the mark of its proof. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const around = useProof();
  return (
    <dl class="facts">
      {facts.map(([name, value, proof = around], i) =>
        value === undefined || value === null || value === false ? null : (
          <div key={i}>
            <dt>{typeof name === "string" ? text(name) : name}</dt>
            <dd data-proof={proof}>
              {value}
              <ProofMark proof={proof} />
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}
