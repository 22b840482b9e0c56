/** A block: its header, the certificate of its sealers, its transactions; and all blocks. */
import { useCallback, useState } from "preact/hooks";
import { GatewayMark } from "../parts/gateway-mark.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Marked, type Proof, ProofScope, Told, Verdict } from "../parts/proof-mark.tsx";
import { type Fact, Facts } from "../parts/table.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { BlockList } from "./block-list.tsx";
import { CheckList } from "./check-list.tsx";
import { Heading, NodeText, Time, usePlace, Waiting, WaitingPage } from "./read/place.tsx";
import { type Proofs, proofsOf } from "./read/proof.ts";
import { type ProvedBlock, proveBlock } from "./read/prove.ts";
import type { ReceiptLine, WholeBlock } from "./read/reads.ts";
import { TransactionHead, TransactionRow } from "./transaction-list.tsx";
import { type Read, useRead } from "./read/use-read.ts";
import { useTrustRevision } from "./read/use-trust.ts";
import { RawData } from "./value-text.tsx";

const ROW_HEIGHT = 42;
/** Receipts are asked for in pieces of this many. */
const PIECE = 100;

interface SignersProps {
  readonly proved: ProvedBlock;
  readonly proofs: Proofs;
}

/** The sealers that the header names, with who signed where the signatures verify. */
function Signers({ proved: { header, signed }, proofs }: SignersProps) {
  const isTick = proofs.page !== "contradicted" && proofs.of("header") === "proven";
  const said = (index: number) => (signed?.has(index) ? "explorer.signed" : "explorer.notSigned");
  return (
    <ul class="plain">
      {header.sealerList.map((id, index) => (
        <li key={id}>
          <span class={isTick && signed?.has(index) ? "mark good" : "mark soft"} aria-hidden="true">
            {isTick && signed?.has(index) ? "✓" : "–"}
          </span>
          <Marked proof={proofs.of("header")}>
            {index} <NodeText id={id} />{" "}
            {signed !== undefined && <span class="soft">{text(said(index))}</span>}
          </Marked>
        </li>
      ))}
    </ul>
  );
}

interface CertificateProps {
  readonly read: Read<ProvedBlock>;
  readonly proofs: Proofs;
}

function Certificate({ read, proofs }: CertificateProps) {
  return (
    <section>
      <h2>{text("explorer.certificate")}</h2>
      {read.value === undefined ? (
        <Waiting read={read} />
      ) : (
        <>
          <CheckList {...read.value} />
          <Signers proved={read.value} proofs={proofs} />
        </>
      )}
    </section>
  );
}

/** Statuses of the transactions that were on the screen, by position. */
function useStatuses(number: number) {
  const { reads } = usePlace();
  const [lines, setLines] = useState<ReadonlyMap<number, ReceiptLine>>(new Map());
  const onVisible = useCallback(
    (first: number, last: number) => {
      for (let piece = Math.floor(first / PIECE); piece <= Math.floor(last / PIECE); piece++) {
        const from = piece * PIECE;
        reads.receiptLines(number, from, PIECE).then(
          (got) =>
            setLines((known) => {
              if (got.length === 0 || known.has(from)) return known;
              return new Map([...known, ...got.map((it, i) => [from + i, it] as const)]);
            }),
          // A block without receipts, as the first: the list says nothing of their status.
          () => undefined,
        );
      }
    },
    [reads, number],
  );
  return { lines, onVisible };
}

interface TransactionsProps {
  readonly block: WholeBlock;
  readonly proof: Proof;
}

function Transactions({ block, proof }: TransactionsProps) {
  const { transactions } = block;
  const { lines, onVisible } = useStatuses(Number(block.number));
  const count = transactions.length;
  return (
    <section>
      <h2>
        <Marked proof={proof}>
          {text("explorer.transactions.of", { count: numberText(count) })}
        </Marked>
      </h2>
      {count === 0 ? (
        <p class="empty">
          <Marked proof={proof}>{text("explorer.block.empty")}</Marked>
        </p>
      ) : (
        <VirtualList
          count={count}
          rowHeight={ROW_HEIGHT}
          label={text("explorer.page.transactions")}
          height={`${Math.min(12, count + 1) * ROW_HEIGHT + 8}px`}
          head={<TransactionHead withBlock={false} />}
          onVisible={onVisible}
          row={(index) => {
            const transaction = transactions[index];
            const status = lines.get(index)?.status;
            return transaction === undefined ? null : (
              <TransactionRow line={{ transaction, status, blockNumber: undefined, proof }} />
            );
          }}
        />
      )}
    </section>
  );
}

/** Headers hold 0 here: the receipts say it, of blocks that are no longer than the screen. */
function GasUsed({ block }: { readonly block: WholeBlock }) {
  const { reads, groupId } = usePlace();
  const count = block.transactions.length;
  const number = Number(block.number);
  const read = useRead({
    id: `gas:${groupId}:${block.hash}:${reads.id}`,
    load: async () => {
      if (count === 0 || count > PIECE) return undefined;
      const lines = await reads.receiptLines(number, 0, PIECE);
      if (lines.length !== count) return undefined;
      return lines.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n);
    },
  });
  const sum = read.value;
  return (
    <span data-gas>
      {sum === undefined ? null : <Marked proof="unproven">{numberText(sum)}</Marked>}{" "}
      <span class={sum === undefined ? undefined : "soft"}>
        {text(sum === undefined ? "explorer.gas.header" : "explorer.gas.both", {
          gas: numberText(BigInt(block.gasUsed)),
        })}
      </span>
    </span>
  );
}

/** The hash of the block, and what the answer with the block rests on. */
function BlockHash({ block }: { readonly block: WholeBlock }) {
  const { reads } = usePlace();
  return (
    <>
      <HashText value={block.hash} whole /> <GatewayMark proof={reads.proofOf(block)} />
    </>
  );
}

function factsOf(block: WholeBlock, groupId: number): readonly Fact[] {
  const number = Number(block.number);
  const hash = (value: string) => <HashText value={value} whole />;
  const sealer = block.sealerList[Number(block.sealer)];
  const parent = placeOf(groupId, "block", String(number - 1));
  return [
    ["explorer.hash", <BlockHash key="hash" block={block} />],
    ["explorer.time", <Time key="time" at={Number(block.timestamp)} />],
    ["explorer.sealer", number > 0 && sealer && <NodeText key="id" id={sealer} />],
    ["explorer.gasUsed", <GasUsed key="gas" block={block} />],
    ["explorer.parent", number > 0 && <HashText value={block.parentHash} href={parent} />],
    ["explorer.stateRoot", hash(block.stateRoot)],
    ["explorer.transactionsRoot", hash(block.transactionsRoot)],
    ["explorer.receiptsRoot", hash(block.receiptsRoot)],
    ["explorer.dbHash", hash(block.dbHash)],
    ["explorer.extraData", block.extraData.length > 0 && hash(block.extraData.join(", "))],
  ];
}

function Neighbours({ number }: { readonly number: number }) {
  const { groupId, height } = usePlace();
  const at = (other: number) => placeOf(groupId, "block", String(other));
  return (
    <nav class="neighbours" aria-label={text("explorer.neighbours")}>
      {number > 0 ? (
        <a href={at(number - 1)}>← {numberText(number - 1)}</a>
      ) : (
        <span class="soft">{text("explorer.first")}</span>
      )}
      {height !== undefined && number < height ? (
        <a href={at(number + 1)}>{numberText(number + 1)} →</a>
      ) : (
        <span class="soft">{text("explorer.last")}</span>
      )}
    </nav>
  );
}

/** The page of a block, by its number or its hash. */
export function BlockPage({ id }: { readonly id: string }) {
  const { reads, groupId, height } = usePlace();
  const isTooHigh = /^\d+$/.test(id) && height !== undefined && Number(id) > height;
  const read = useRead({
    id: `block:${groupId}:${id}:${reads.id}`,
    // A block that is not there yet is asked for again when the group has grown.
    version: isTooHigh ? height : 0,
    load: () => reads.block(id),
  });
  const block = read.value;
  if (block === undefined) {
    return <WaitingPage title={text("explorer.block.title", { number: id })} read={read} />;
  }
  return <ShownBlock key={block.hash} block={block} />;
}

function ShownBlock({ block }: { readonly block: WholeBlock }) {
  const place = usePlace();
  const { groupId, reads } = place;
  const number = Number(block.number);
  const read = useRead({
    id: `certificate:${groupId}:${block.hash}:${reads.id}`,
    version: useTrustRevision(place),
    load: () => proveBlock(place, block),
  });
  const proofs = proofsOf(read);
  return (
    <ProofScope proof={proofs.of("header")}>
      <div class="title">
        <Heading proof={proofs.page}>
          {text("explorer.block.title", { number: numberText(number) })}
        </Heading>
        <Neighbours number={number} />
      </div>
      <p>
        <Verdict proof={proofs.page} withTold={block.transactions.length > 0} />
      </p>
      <Facts facts={factsOf(block, groupId)} />
      <Transactions block={block} proof={proofs.of("transactions")} />
      <Certificate read={read} proofs={proofs} />
      <RawData title={text("explorer.bloom")} data={block.logsBloom} />
    </ProofScope>
  );
}

/** The page of all blocks. */
export function BlocksPage() {
  const { height } = usePlace();
  const title = text("explorer.page.blocks");
  if (height === undefined) return <WaitingPage title={title} />;
  return (
    <>
      <Heading>{title}</Heading>
      <Told>
        <BlockList height={height} />
      </Told>
    </>
  );
}
