/** A transaction: what it does, what came of it, and the proof that both are in the chain. */
import type { Proof as Path, Receipt, Transaction } from "../../core/client/rpc-objects.ts";
import { precompiledMessage } from "../../core/fault/precompiled-code.ts";
import { transactionStatusName } from "../../core/fault/transaction-status.ts";
import { GatewayMark } from "../parts/gateway-mark.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Marked, type Proof, ProofMark, ProofScope, Verdict } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { type Fact, Facts } from "../parts/table.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { CheckList } from "./check-list.tsx";
import type { Argument, Decoded, Decoder } from "./read/decode.ts";
import { AddressLink, Heading, type Place, Time, usePlace, Waiting } from "./read/place.tsx";
import { type Proofs, proofsOf } from "./read/proof.ts";
import { type ProvedTransaction, proveTransaction } from "./read/prove.ts";
import type { Executed } from "./read/reads.ts";
import { isCreation, plainBytes, StatusOf } from "./transaction-list.tsx";
import { type Read, useRead } from "./read/use-read.ts";
import { useTrustRevision } from "./read/use-trust.ts";
import { Arguments, RawData } from "./value-text.tsx";

/** Who the ABI is of, when it is not the contract's own. */
function Guess({ decoded }: { readonly decoded: Decoded }) {
  if (!decoded.isGuess) return null;
  const words = text("explorer.guess", { name: decoded.contract.name });
  return <StatusBadge tone="warn">{words}</StatusBadge>;
}

function Input({ transaction }: { readonly transaction: Transaction }) {
  const { decoder } = usePlace();
  const { to, input } = transaction;
  const isNew = isCreation(to);
  const decoded = isNew ? undefined : decoder?.call(to, input);
  const plain = plainBytes(input);
  return (
    <section>
      <h2>{text(isNew ? "explorer.code" : "explorer.input")}</h2>
      {decoded && (
        <>
          <p>
            <Marked>
              <code>{decoded.signature}</code> <Guess decoded={decoded} />
            </Marked>
          </p>
          <Arguments args={decoded.args} />
        </>
      )}
      {!decoded && !isNew && decoder && input.length > 2 && (
        <p class="soft">
          <Marked>
            {plain === undefined
              ? text("explorer.input.unknown")
              : text("explorer.input.data", { count: numberText(plain) })}
          </Marked>
        </p>
      )}
      {input.length <= 2 && (
        <p class="soft">
          <Marked>{text("explorer.input.none")}</Marked>
        </p>
      )}
      <RawData title={text("explorer.raw")} data={input} />
    </section>
  );
}

/** What a code of a precompiled contract means. */
function codeMeaning(args: readonly Argument[]): string | undefined {
  const [first] = args;
  if (typeof first?.value !== "bigint") return undefined;
  return precompiledMessage(Number(first.value));
}

function Output({ transaction, receipt }: Executed & { readonly receipt: Receipt }) {
  const { decoder } = usePlace();
  const { to } = transaction;
  if (Number(receipt.status) !== 0) {
    const reason = decoder?.reason(to, receipt.output);
    return (
      <section>
        <h2>{text("explorer.failed")}</h2>
        <div class="problem" data-reason>
          <Marked>
            <strong>{transactionStatusName(Number(receipt.status))}</strong>
          </Marked>
          <div>
            <Marked>{reason ?? text("explorer.failed.silent")}</Marked>
          </div>
        </div>
        <RawData title={text("explorer.raw")} data={receipt.output} />
      </section>
    );
  }
  const decoded = isCreation(to) ? undefined : decoder?.call(to, transaction.input);
  const args = decoded && decoder?.result(decoded.item, receipt.output);
  if (receipt.output.length <= 2 && !args?.length) return null;
  const meaning = args && decoded?.contract.isPrecompiled ? codeMeaning(args) : undefined;
  return (
    <section>
      <h2>{text("explorer.output")}</h2>
      {args && <Arguments args={args} />}
      {meaning !== undefined && (
        <p class="soft">
          <Marked>{meaning}</Marked>
        </p>
      )}
      <RawData title={text("explorer.raw")} data={receipt.output} />
    </section>
  );
}

function Events({ receipt }: { readonly receipt: Receipt }) {
  const { decoder } = usePlace();
  const { logs } = receipt;
  return (
    <section>
      <h2>
        <Marked>{text("explorer.events.of", { count: logs.length })}</Marked>
      </h2>
      {logs.length === 0 && <p class="empty">{text("explorer.events.none")}</p>}
      {logs.map((log, index) => {
        const decoded = decoder?.event(log);
        return (
          <article key={index} class="panel event">
            <p>
              <span class="soft">{index}</span>{" "}
              <Marked>
                {decoded ? <code>{decoded.signature}</code> : text("explorer.event.unknown")}{" "}
                {decoded && <Guess decoded={decoded} />} <AddressLink value={log.address} />
              </Marked>
            </p>
            {decoded ? (
              <Arguments args={decoded.args} />
            ) : (
              log.topics.map((topic, i) => (
                <div key={i}>
                  <span class="soft">{text("explorer.topic", { index: i })}</span>{" "}
                  <Marked>
                    <code class="hash whole">{topic}</code>
                  </Marked>
                </div>
              ))
            )}
            <RawData title={text("explorer.data")} data={log.data} />
          </article>
        );
      })}
    </section>
  );
}

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

/** How it ended, and beside it what the proofs say of that. */
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
