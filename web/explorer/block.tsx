/** A block: its header, the certificate of its sealers, its transactions; and all blocks. */
import { useCallback, useState } from "preact/hooks";
import type { BlockHeader } from "../../core/client/rpc-objects.ts";
import { loadSuite } from "../data/chain.ts";
import { takeTurn } from "../data/turn.ts";
import { HashText } from "../parts/hash-text.tsx";
import { ProofMark } from "../parts/proof-mark.tsx";
import { type Fact, Facts } from "../parts/table.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { checkHeader, checkShownBlock, checkTransactions } from "./read/check.ts";
import { BlockList } from "./block-list.tsx";
import { CheckList } from "./check-list.tsx";
import {
  Heading,
  NodeText,
  type Place,
  Time,
  usePlace,
  Waiting,
  WaitingPage,
} from "./read/place.tsx";
import type { ReceiptLine, WholeBlock } from "./read/reads.ts";
import { TransactionHead, TransactionRow } from "./transaction-list.tsx";
import { useRead } from "./read/use-read.ts";
import { standingOf, trustHere, useTrustRevision } from "./read/use-trust.ts";
import { RawData } from "./value-text.tsx";

const ROW_HEIGHT = 42;
/** Receipts are asked for in pieces of this many. */
const PIECE = 100;

async function readCertificate(place: Place, block: WholeBlock) {
  const { reads, chain, groupId } = place;
  const number = Number(block.number);
  const [header, trust, suite] = await Promise.all([
    reads.request("getBlockHeaderByNumber", [groupId, number, true]),
    trustHere(place),
    loadSuite(chain.facts.suiteName),
  ]);
  const rules = { suite, version: chain.facts.version };
  const checks = [
    ...(await checkHeader(header, (it) => trust.certify(it), rules)),
    checkShownBlock(block, header),
    await checkTransactions(block, rules, takeTurn),
  ];
  return { header, checks, standing: await standingOf(trust) };
}

function Signers({ header }: { readonly header: BlockHeader }) {
  const signed = new Set((header.signatureList ?? []).map(({ index }) => Number(index)));
  return (
    <ul class="plain">
      {header.sealerList.map((id, index) => (
        <li key={id}>
          <span class={signed.has(index) ? "mark good" : "mark soft"} aria-hidden="true">
            {signed.has(index) ? "✓" : "–"}
          </span>
          {index} <NodeText id={id} />{" "}
          <span class="soft">
            {text(signed.has(index) ? "explorer.signed" : "explorer.notSigned")}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Certificate({ block }: { readonly block: WholeBlock }) {
  const place = usePlace();
  const { reads } = place;
  const read = useRead({
    id: `certificate:${place.groupId}:${block.hash}:${reads.id}`,
    version: useTrustRevision(place),
    load: () => readCertificate(place, block),
  });
  return (
    <section>
      <h2>{text("explorer.certificate")}</h2>
      {read.value === undefined ? (
        <Waiting read={read} />
      ) : (
        <>
          <CheckList {...read.value} />
          <Signers header={read.value.header} />
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

function Transactions({ block }: { readonly block: WholeBlock }) {
  const { transactions } = block;
  const { lines, onVisible } = useStatuses(Number(block.number));
  const count = transactions.length;
  return (
    <section>
      <h2>{text("explorer.transactions.of", { count: numberText(count) })}</h2>
      {count === 0 ? (
        <p class="empty">{text("explorer.block.empty")}</p>
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
              <TransactionRow line={{ transaction, status, blockNumber: undefined }} />
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
      {sum === undefined ? null : `${numberText(sum)} `}
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
      <HashText value={block.hash} whole /> <ProofMark proof={reads.proofOf(block)} />
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
  const number = Number(block.number);
  return (
    <>
      <div class="title">
        <Heading>{text("explorer.block.title", { number: numberText(number) })}</Heading>
        <Neighbours number={number} />
      </div>
      <Facts facts={factsOf(block, groupId)} />
      <Transactions block={block} />
      <Certificate key={block.hash} block={block} />
      <RawData title={text("explorer.bloom")} data={block.logsBloom} />
    </>
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
      <BlockList height={height} />
    </>
  );
}
