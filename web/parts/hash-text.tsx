/** Hashes, addresses and node IDs: shortened for the eye, whole when copied. */
import type { ComponentChildren } from "preact";
import { shortText } from "../format.ts";
import { CopyButton } from "./copy-button.tsx";

interface HashTextProps {
  readonly value: string;
  /** Where a click leads. */
  readonly href?: string | undefined;
  /** Shows all digits, broken into lines where they need to be. */
  readonly whole?: boolean;
  /** Names it for those who do not see it. */
  readonly what?: string | undefined;
  /** Without a button to copy it, as in long lists. */
  readonly plain?: boolean | undefined;
  /** The digits that are shown instead of both ends. */
  readonly short?: string;
  /** A name that stands in front of the digits. */
  readonly label?: ComponentChildren;
}

/** A hash, an address or a node ID. */
export function HashText(props: HashTextProps) {
  const { value, href, whole, what, plain, label, short } = props;
  const shown = whole ? value : (short ?? shortText(value));
  const code = (
    <code class={whole ? "hash whole" : "hash"} title={value}>
      {shown}
    </code>
  );
  const name = label && <span class="hash-label">{label} </span>;
  return (
    <span class="hash-text">
      {href === undefined ? (
        <>
          {name}
          {code}
        </>
      ) : (
        // Where a long name leaves no room for the digits, both still lead there and tell them.
        <a href={href} title={value}>
          {name}
          {code}
        </a>
      )}
      {!plain && <CopyButton value={value} what={what} />}
    </span>
  );
}
