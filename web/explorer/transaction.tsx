/** A transaction: what it does, what came of it, and the proof that both are in the chain. */
import type { Proof, Receipt, Transaction } from "../../core/client/rpc-objects.ts";
import { precompiledMessage } from "../../core/fault/precompiled-code.ts";
import { transactionStatusName } from "../../core/fault/transaction-status.ts";
import { loadSuite } from "../data/chain.ts";
import { HashText } from "../parts/hash-text.tsx";
import { ProofMark } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { type Fact, Facts } from "../parts/table.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { checkShown, checkTransaction, completeReceipt } from "./read/check.ts";
import { CheckList } from "./check-list.tsx";
import type { Argument, Decoded, Decoder } from "./read/decode.ts";
import { AddressLink, Heading, type Place, Time, usePlace, Waiting } from "./read/place.tsx";
import type { Executed } from "./read/reads.ts";
import { isCreation, plainBytes, StatusOf } from "./transaction-list.tsx";
import { useRead } from "./read/use-read.ts";
import { standingOf, trustHere, useTrustRevision } from "./read/use-trust.ts";
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
            <code>{decoded.signature}</code> <Guess decoded={decoded} />
          </p>
          <Arguments args={decoded.args} />
        </>
      )}
      {!decoded && !isNew && decoder && input.length > 2 && (
        <p class="soft">
          {plain === undefined
            ? text("explorer.input.unknown")
            : text("explorer.input.data", { count: numberText(plain) })}
        </p>
      )}
      {input.length <= 2 && <p class="soft">{text("explorer.input.none")}</p>}
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
          <strong>{transactionStatusName(Number(receipt.status))}</strong>
          <div>{reason ?? text("explorer.failed.silent")}</div>
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
      {meaning !== undefined && <p class="soft">{meaning}</p>}
      <RawData title={text("explorer.raw")} data={receipt.output} />
    </section>
  );
}

function Events({ receipt }: { readonly receipt: Receipt }) {
  const { decoder } = usePlace();
  const { logs } = receipt;
  return (
    <section>
      <h2>{text("explorer.events.of", { count: logs.length })}</h2>
      {logs.length === 0 && <p class="empty">{text("explorer.events.none")}</p>}
      {logs.map((log, index) => {
        const decoded = decoder?.event(log);
        return (
          <article key={index} class="panel event">
            <p>
              <span class="soft">{index}</span>{" "}
              {decoded ? <code>{decoded.signature}</code> : text("explorer.event.unknown")}{" "}
              {decoded && <Guess decoded={decoded} />} <AddressLink value={log.address} />
            </p>
            {decoded ? (
              <Arguments args={decoded.args} />
            ) : (
              log.topics.map((topic, i) => (
                <div key={i}>
                  <span class="soft">{text("explorer.topic", { index: i })}</span>{" "}
                  <code class="hash whole">{topic}</code>
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

async function readProofs(place: Place, executed: Executed) {
  const { reads, chain, groupId } = place;
  const { hash } = executed.transaction;
  const [transaction, told, trust, suite] = await Promise.all([
    reads.request("getTransactionByHashWithProof", [groupId, hash]),
    reads.request("getTransactionReceiptByHashWithProof", [groupId, hash]),
    trustHere(place),
    loadSuite(chain.facts.suiteName),
  ]);
  if (transaction === null || told === null) return undefined;
  const receipt = completeReceipt(told, executed.receipt);
  const number = Number(transaction.transaction.blockNumber);
  const header = await reads.request("getBlockHeaderByNumber", [groupId, number, true]);
  const rules = { suite, version: chain.facts.version };
  const checks = [
    ...(await checkTransaction({ header, transaction, receipt }, (it) => trust.certify(it), rules)),
    checkShown(
      [executed.transaction, executed.receipt],
      [transaction.transaction, receipt.transactionReceipt],
    ),
  ];
  return { transaction, receipt, checks, standing: await standingOf(trust) };
}

function ProofLevels({ title, proof }: { readonly title: string; readonly proof: Proof }) {
  return (
    <details class="raw">
      <summary>
        {title} <span class="soft">{text("explorer.proof.levels", { count: proof.length })}</span>
      </summary>
      <ol class="values" start={0}>
        {proof.map(({ left, right }, level) => (
          <li key={level}>
            {[...left, "●", ...right].map((digits, i) => (
              <code key={i} class="hash whole">
                {digits}{" "}
              </code>
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Proofs({ executed }: { readonly executed: Executed }) {
  const { hash } = executed.transaction;
  const place = usePlace();
  const read = useRead({
    id: `proof:${place.groupId}:${hash}:${place.reads.id}`,
    version: useTrustRevision(place),
    load: () => readProofs(place, executed),
  });
  return (
    <section data-proofs>
      <h2>{text("explorer.proof")}</h2>
      {read.value === undefined && read.isBusy && <Waiting read={read} />}
      {read.failure !== undefined && <Waiting read={read} />}
      {read.value && (
        <>
          <CheckList checks={read.value.checks} standing={read.value.standing} />
          <ProofLevels
            title={text("explorer.proof.transaction")}
            proof={read.value.transaction.txProof}
          />
          <ProofLevels
            title={text("explorer.proof.receipt")}
            proof={read.value.receipt.receiptProof}
          />
        </>
      )}
    </section>
  );
}

function factsOf(
  { transaction, receipt }: Executed,
  place: Place,
  time: number | undefined,
): readonly Fact[] {
  const { to } = transaction;
  const block = receipt && String(Number(receipt.blockNumber));
  const value = BigInt(transaction.value);
  const created = receipt && isCreation(to) && Number(receipt.status) === 0;
  return [
    [
      "explorer.hash",
      <span key="hash" data-of="transaction">
        <HashText value={transaction.hash} whole />{" "}
        <ProofMark proof={place.reads.proofOf(transaction)} />
      </span>,
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
    ],
    ["explorer.time", time !== undefined && <Time key="time" at={time} />],
    ["explorer.from", <AddressLink key="from" value={transaction.from} />],
    ["explorer.to", isCreation(to) ? text("explorer.tx.newContract") : <AddressLink value={to} />],
    ["explorer.created", created && <AddressLink key="new" value={receipt.contractAddress} />],
    ["explorer.value", value > 0n && numberText(value)],
    [
      "explorer.gas",
      [receipt?.gasUsed, transaction.gas]
        .filter((it) => it !== undefined)
        .map((it) => numberText(BigInt(it)))
        .join(" / "),
    ],
    ["explorer.nonce", <code key="nonce">{BigInt(transaction.nonce).toString()}</code>],
    ["explorer.blockLimit", numberText(BigInt(transaction.blockLimit))],
    ["explorer.chainGroup", `${BigInt(transaction.chainId)} / ${BigInt(transaction.groupId)}`],
    [
      "explorer.extraData",
      transaction.extraData.length > 2 && <code key="extra">{transaction.extraData}</code>,
    ],
  ];
}

function Whole({ executed }: { readonly executed: Executed }) {
  const place = usePlace();
  const { transaction, receipt } = executed;
  const refusal = refusalOf(place.decoder, executed);
  const block = useRead({
    id: `time:${receipt?.blockNumber ?? ""}:${place.reads.id}`,
    load: async () =>
      receipt === null ? undefined : await place.reads.summary(Number(receipt.blockNumber)),
  });
  return (
    <>
      <p data-of="receipt">
        {receipt === null ? (
          <StatusBadge tone="busy">{text("explorer.tx.pending")}</StatusBadge>
        ) : refusal === undefined ? (
          <StatusOf status={receipt.status} />
        ) : (
          <StatusBadge tone="warn">{text("explorer.tx.refused", { why: refusal })}</StatusBadge>
        )}{" "}
        <ProofMark proof={place.reads.proofOf(receipt)} />
      </p>
      <Facts facts={factsOf(executed, place, block.value?.time)} />
      <Input transaction={transaction} />
      {receipt !== null && (
        <>
          <Output transaction={transaction} receipt={receipt} />
          <Events receipt={receipt} />
          <Proofs executed={executed} />
        </>
      )}
    </>
  );
}

/** The page of a transaction. */
export function TransactionPage({ hash }: { readonly hash: string }) {
  const { reads, groupId, height } = usePlace();
  const read = useRead({
    id: `tx:${groupId}:${hash}:${reads.id}`,
    version: height,
    load: async () => (await reads.executed(hash)) ?? null,
  });
  return (
    <>
      <Heading>{text("explorer.tx.title")}</Heading>
      {read.value === null && (
        <p class="problem">{text("explorer.tx.unknown", { hash, group: groupId })}</p>
      )}
      {read.value === undefined && <Waiting read={read} />}
      {read.value && <Whole executed={read.value} />}
    </>
  );
}
