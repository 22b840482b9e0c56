/** Values of contracts as people read them. */
import type { ComponentChildren } from "preact";
import type { AbiValue } from "../../core/abi/encode.ts";
import { type AbiComponent, type AbiType, abiTypeText } from "../../core/abi/type.ts";
import { textOfByteString } from "../../core/bytes/byte-string.ts";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { ProofMark, useProof } from "../parts/proof-mark.tsx";
import { Facts } from "../parts/table.tsx";
import { text } from "../texts.ts";
import type { Argument } from "./read/decode.ts";
import { AddressLink } from "./read/place.tsx";

/** Longer lists are cut: a page of a million rows helps nobody. */
const MOST_ITEMS = 100;
/** Longer texts are cut. */
const MOST_CHARS = 4_000;

function cut(value: string): string {
  if (value.length <= MOST_CHARS) return value;
  const more = text("explorer.value.more", { count: value.length - MOST_CHARS });
  return `${value.slice(0, MOST_CHARS)} ${more}`;
}

interface Shown {
  readonly type: AbiType;
  readonly value: AbiValue;
}

function List({ items }: { readonly items: readonly (Shown & { readonly name: string })[] }) {
  const rest = items.length - MOST_ITEMS;
  if (items.length === 0) return <span class="soft">{text("explorer.value.none")}</span>;
  return (
    <ol class="values" start={0}>
      {items.slice(0, MOST_ITEMS).map(({ name, type, value }, i) => (
        <li key={i}>
          {name !== "" && <span class="soft">{name}: </span>}
          <ValueText type={type} value={value} />
        </li>
      ))}
      {rest > 0 && <li class="soft">{text("explorer.value.items", { count: rest })}</li>}
    </ol>
  );
}

function partsOf(type: AbiType, values: readonly AbiValue[]) {
  const component = (i: number): AbiComponent | undefined => {
    if (type.kind === "tuple") return type.components[i];
    return type.kind === "array" ? { name: "", type: type.element } : undefined;
  };
  return values.flatMap((value, i) => {
    const part = component(i);
    return part ? [{ ...part, value }] : [];
  });
}

function ValueText({ type, value }: Shown): ComponentChildren {
  if (typeof value === "bigint") return <code>{value.toString()}</code>;
  if (typeof value === "boolean") return <code>{String(value)}</code>;
  if (value instanceof Uint8Array) {
    return <code class="hash whole">{cut(toPrefixedHex(value))}</code>;
  }
  if (typeof value === "string") {
    if (type.kind === "address") return <AddressLink value={value} />;
    return <q class="text">{cut(textOfByteString(value))}</q>;
  }
  return <List items={partsOf(type, value)} />;
}

/** Arguments with their names and types. */
export function Arguments({ args }: { readonly args: readonly Argument[] }) {
  if (args.length === 0) return <p class="soft">{text("explorer.args.none")}</p>;
  return (
    <Facts
      facts={args.map(({ name, type, value, hash }, i) => [
        `${name === "" ? `${i}` : name} (${abiTypeText(type)})`,
        value === undefined ? (
          <span key="hash">
            <code class="hash whole">{hash}</code>{" "}
            <span class="soft">{text("explorer.args.hashed")}</span>
          </span>
        ) : (
          <ValueText key="value" type={type} value={value} />
        ),
      ])}
    />
  );
}

/** Bytes that nobody decodes, folded away when they are many. */
export function RawData({ title, data }: { readonly title: string; readonly data: string }) {
  const proof = useProof();
  const size = Math.max(0, (data.length - 2) / 2);
  if (size === 0) return null;
  return (
    <details class="raw" data-proof={proof}>
      <summary>
        {title} <span class="soft">{text("explorer.bytes", { count: size })}</span>
        <ProofMark proof={proof} />
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>{cut(data)}</pre>
    </details>
  );
}
