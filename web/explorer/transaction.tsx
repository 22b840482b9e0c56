/** A transaction: what it does, what came of it, and the proof that both are in the chain. */
import type { Proof as Path } from "../../core/client/rpc-objects.ts";
import { precompiledMessage } from "../../core/fault/precompiled-code.ts";
import { GatewayMark } from "../parts/gateway-mark.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Marked, type Proof, ProofMark, ProofScope, Verdict } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { type Fact, Facts } from "../parts/table.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { CheckList } from "./check-list.tsx";
import type { Decoder } from "./read/decode.ts";
import { AddressLink, Heading, type Place, Time, usePlace, Waiting } from "./read/place.tsx";
import { type Proofs, proofsOf } from "./read/proof.ts";
import { type ProvedTransaction, proveTransaction } from "./read/prove.ts";
import type { Executed } from "./read/reads.ts";
import { Events, Input, Output } from "./transaction-content.tsx";
import { isCreation, StatusOf } from "./transaction-list.tsx";
import { type Read, useRead } from "./read/use-read.ts";
import { useTrustRevision } from "./read/use-trust.ts";

/** Why a precompiled contract refused what it was asked, in a receipt that says all went well. */
function refusalOf(decoder: Decoder | undefined, { transaction, receipt }: Executed) {
  const { to, input } = transaction;
  if (receipt === null || Number(receipt.status) !== 0 || isCreation(to)) return undefined;
  const decoded = decoder?.call(to, input);
  if (!decoded?.contract.isPrecompiled) return undefined;
  const [first] = decoder?.result(decoded.item, receipt.output) ?? [];
  if (typeof first?.value !== "bigint" || first.value >= 0n) return undefined;
  const code = Number(first.value);
  return [code, precompiledMessage(code)].filter((it) => it !== undefined).join(", ");
}

interface LevelsProps {
  readonly title: string;
  readonly path: Path;
  readonly proof: Proof;
}

/** Both sides of each level of a Merkle proof, as far as they are lists. */
function ProofLevels({ title, path, proof }: LevelsProps) {
  const levels = Array.isArray(path) ? path : [];
  const side = (hashes: unknown) => (Array.isArray(hashes) ? hashes : []);
  return (
    <details class="raw" data-proof={proof}>
      <summary>
        {title} <span class="soft">{text("explorer.proof.levels", { count: levels.length })}</span>
        <ProofMark proof={proof} />
      </summary>
      <ol class="values" start={0}>
        {levels.map((level, at) => (
          <li key={at}>
            {[...side(level?.left), "●", ...side(level?.right)].map((digits, i) => (
              <code key={i} class="hash whole">
                {String(digits)}{" "}
              </code>
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}

interface ProofsProps {
  readonly read: Read<ProvedTransaction | undefined>;
  readonly proofs: Proofs;
}

function ProofSection({ read, proofs }: ProofsProps) {
  const { checks, told, standing } = read.value ?? {};
  return (
    <section data-proofs>
      <h2>{text("explorer.proof")}</h2>
      {((read.value === undefined && read.isBusy) || read.failure !== undefined) && (
        <Waiting read={read} />
      )}
      {checks && <CheckList checks={checks} standing={standing} />}
      {told && (
        <>
          <ProofLevels
            title={text("explorer.proof.transaction")}
            path={told.txProof}
            proof={proofs.of("transaction")}
          />
          <ProofLevels
            title={text("explorer.proof.receipt")}
            path={told.receiptProof}
            proof={proofs.of("receipt")}
          />
        </>
      )}
    </section>
  );
}

interface Known {
  readonly executed: Executed;
  readonly proofs: Proofs;
  /** When its block was made, by the header that was checked. */
  readonly time: number | undefined;
}

function factsOf({ executed, proofs, time }: Known, place: Place): readonly Fact[] {
  const { transaction, receipt } = executed;
  const { to } = transaction;
  const block = receipt && String(Number(receipt.blockNumber));
  const value = BigInt(transaction.value);
  const created = receipt && isCreation(to) && Number(receipt.status) === 0;
  const own = proofs.of("transaction");
  const ofReceipt = proofs.of("receipt");
  return [
    [
      "explorer.hash",
      <span key="hash" data-of="transaction">
        <HashText value={transaction.hash} whole />{" "}
        <GatewayMark proof={place.reads.proofOf(transaction)} />
      </span>,
      own,
    ],
    [
      "explorer.block",
      block && (
        <span key="block">
          <a href={placeOf(place.groupId, "block", block)}>{numberText(Number(block))}</a>{" "}
          <span class="soft">
            {text("explorer.tx.index", { index: Number(receipt?.transactionIndex) })}
          </span>
        </span>
      ),
      ofReceipt,
    ],
    ["explorer.time", time !== undefined && <Time key="time" at={time} />, proofs.of("header")],
    ["explorer.from", <AddressLink key="from" value={transaction.from} />, own],
    [
      "explorer.to",
      isCreation(to) ? text("explorer.tx.newContract") : <AddressLink value={to} />,
      own,
    ],
    [
      "explorer.created",
      created && <AddressLink key="new" value={receipt.contractAddress} />,
      ofReceipt,
    ],
    ["explorer.value", value > 0n && numberText(value), own],
    [
      "explorer.gas",
      [receipt?.gasUsed, transaction.gas]
        .filter((it) => it !== undefined)
        .map((it) => numberText(BigInt(it)))
        .join(" / "),
      receipt === null ? own : ofReceipt,
    ],
    ["explorer.nonce", <code key="nonce">{BigInt(transaction.nonce).toString()}</code>, own],
    ["explorer.blockLimit", numberText(BigInt(transaction.blockLimit)), own],
    ["explorer.chainGroup", `${BigInt(transaction.chainId)} / ${BigInt(transaction.groupId)}`, own],
    [
      "explorer.extraData",
      transaction.extraData.length > 2 && <code key="extra">{transaction.extraData}</code>,
      own,
    ],
  ];
}

/** How it ended, and next to it what the proofs say of that. */
function Status({ executed, proofs }: Pick<Known, "executed" | "proofs">) {
  const { receipt } = executed;
  const { decoder, reads } = usePlace();
  const refusal = refusalOf(decoder, executed);
  if (receipt === null) {
    return (
      <p>
        <Marked proof="unproven">
          <StatusBadge tone="busy">{text("explorer.tx.pending")}</StatusBadge>
        </Marked>
      </p>
    );
  }
  return (
    <p data-of="receipt">
      {refusal === undefined ? (
        <StatusOf status={receipt.status} proof={proofs.of("receipt")} />
      ) : (
        <Marked proof={proofs.of("receipt")}>
          <StatusBadge tone="warn">{text("explorer.tx.refused", { why: refusal })}</StatusBadge>
        </Marked>
      )}{" "}
      <Verdict proof={proofs.page} /> <GatewayMark proof={reads.proofOf(receipt)} />
    </p>
  );
}

interface WholeProps extends ProofsProps {
  readonly executed: Executed;
}

function Whole({ executed, read, proofs }: WholeProps) {
  const place = usePlace();
  const { transaction, receipt } = executed;
  const timestamp = read.value?.told?.header.timestamp;
  const time = timestamp === undefined ? undefined : Number(timestamp);
  return (
    <>
      <Status executed={executed} proofs={proofs} />
      <Facts facts={factsOf({ executed, proofs, time }, place)} />
      <ProofScope proof={proofs.of("transaction")}>
        <Input transaction={transaction} />
      </ProofScope>
      {receipt !== null && (
        <>
          <ProofScope proof={proofs.of("receipt")}>
            <Output transaction={transaction} receipt={receipt} />
            <Events receipt={receipt} />
          </ProofScope>
          <ProofSection read={read} proofs={proofs} />
        </>
      )}
    </>
  );
}

/** A transaction that waits is nowhere yet: nothing shows it. */
const WAITS: Proofs = { page: "unproven", of: () => "unproven" };

/** Proves a transaction as soon as it has a receipt. */
function useProved(executed: Executed | undefined) {
  const place = usePlace();
  const { groupId, reads } = place;
  const { transaction, receipt } = executed ?? {};
  return useRead({
    id: `proof:${groupId}:${transaction?.hash}:${reads.id}:${receipt?.blockHash}`,
    version: useTrustRevision(place),
    load: async () =>
      transaction && receipt ? await proveTransaction(place, { transaction, receipt }) : undefined,
  });
}

/** The page of a transaction. */
export function TransactionPage({ hash }: { readonly hash: string }) {
  const { reads, groupId, height } = usePlace();
  const read = useRead({
    id: `tx:${groupId}:${hash}:${reads.id}`,
    version: height,
    load: async () => (await reads.executed(hash)) ?? null,
  });
  const proved = useProved(read.value ?? undefined);
  const proofs = read.value?.receipt ? proofsOf(proved) : WAITS;
  return (
    <>
      <Heading proof={read.isLie ? "contradicted" : proofs.page}>
        {text("explorer.tx.title")}
      </Heading>
      {read.value === null && (
        <p class="problem">{text("explorer.tx.unknown", { hash, group: groupId })}</p>
      )}
      {read.value === undefined && <Waiting read={read} />}
      {read.value && <Whole executed={read.value} read={proved} proofs={proofs} />}
    </>
  );
}
