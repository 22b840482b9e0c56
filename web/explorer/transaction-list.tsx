/** Transactions as lines of a list. */
import type { Transaction } from "../../core/client/rpc-objects.ts";
import { transactionStatusName } from "../../core/fault/transaction-status.ts";
import { numberText } from "../format.ts";
import { HashText } from "../parts/hash-text.tsx";
import { type Proof, ProofMark } from "../parts/proof-mark.tsx";
import { StatusBadge, type Tone } from "../parts/status-badge.tsx";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { AddressLink, usePlace } from "./read/place.tsx";

/** What is shown of a transaction; without a status it is not known how it ended. */
interface TransactionLine {
  readonly transaction: Pick<Transaction, "hash" | "from" | "to" | "input">;
  readonly blockNumber: number | undefined;
  readonly status: string | undefined;
  /** Of the transaction; absent where the list has one mark for all. */
  readonly proof?: Proof;
}

interface StatusProps {
  readonly status: string;
  /** In lists nothing shows it. */
  readonly proof?: Proof;
}

/** How a transaction ended; only what is proven has a tick. */
export function StatusOf({ status, proof = "unproven" }: StatusProps) {
  const number = Number(status);
  const known: Tone = number === 0 ? "good" : "bad";
  const tone = proof === "proven" ? known : proof === "pending" ? "busy" : "told";
  return (
    <span data-proof={proof} data-proof-mark={tone === "told" || undefined}>
      <StatusBadge tone={tone}>
        {number === 0 ? text("explorer.status.ok") : transactionStatusName(number)}
      </StatusBadge>
    </span>
  );
}

const ZERO = /^0x0{40}$/;

/** Whether a transaction makes a contract: the interface shows that as address zero, or as null. */
export function isCreation(to: string | null): to is null {
  return to === null || ZERO.test(to);
}

/** A selector and arguments of whole words. */
const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;

/** How many bytes that can be no call of a function; undefined for what may be one. */
export function plainBytes(input: string): number | undefined {
  const count = (input.length - 2) / 2;
  const isCall = count >= SELECTOR_BYTES && (count - SELECTOR_BYTES) % WORD_BYTES === 0;
  return count === 0 || isCall ? undefined : count;
}

/** What a transaction does, in a word: the function, when its contract is known. */
export function MethodName({ to, input }: Pick<Transaction, "to" | "input">) {
  const { decoder } = usePlace();
  if (isCreation(to)) return <span>{text("explorer.tx.creation")}</span>;
  const name = decoder?.nameOf(to, input);
  if (name !== undefined) {
    const { guess } = name;
    const title = guess === undefined ? undefined : text("explorer.guess", { name: guess });
    return (
      <code title={title}>
        {name.name}
        {guess !== undefined && " ?"}
      </code>
    );
  }
  const count = plainBytes(input);
  if (count !== undefined) {
    return <span class="soft">{text("explorer.bytes", { count: numberText(count) })}</span>;
  }
  return <code class="soft">{input.length < 10 ? "–" : input.slice(0, 10)}</code>;
}

/** One line. */
export function TransactionRow({ line }: { readonly line: TransactionLine }) {
  const { groupId } = usePlace();
  const { transaction, blockNumber, status, proof } = line;
  const { hash, from, to } = transaction;
  return (
    <div class="tx-row" data-proof={proof}>
      <span>
        <ProofMark proof={proof} />{" "}
        <HashText value={hash} href={placeOf(groupId, "tx", hash)} plain />
      </span>
      <MethodName {...transaction} />
      <span>
        {status === undefined ? <span class="soft">…</span> : <StatusOf status={status} />}
      </span>
      <span class="wide">
        <AddressLink value={from} plain />
      </span>
      <span class="wide">
        {isCreation(to) ? (
          <span class="soft">{text("explorer.tx.newContract")}</span>
        ) : (
          <AddressLink value={to} plain />
        )}
      </span>
      {blockNumber !== undefined && (
        <a class="numeric" href={placeOf(groupId, "block", String(blockNumber))}>
          {blockNumber}
        </a>
      )}
    </div>
  );
}

/** The names of the columns. */
export function TransactionHead({ withBlock }: { readonly withBlock: boolean }) {
  return (
    <div class="tx-row head" aria-hidden="true">
      <span>{text("explorer.hash")}</span>
      <span>{text("explorer.tx.does")}</span>
      <span>{text("explorer.status")}</span>
      <span class="wide">{text("explorer.from")}</span>
      <span class="wide">{text("explorer.to")}</span>
      {withBlock && <span class="numeric">{text("explorer.block")}</span>}
    </div>
  );
}
