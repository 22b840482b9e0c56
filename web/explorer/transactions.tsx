/** Transactions of a group: the latest, and those that wait for their block. */
import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { numberText } from "../format.ts";
import { Told } from "../parts/proof-mark.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { text } from "../texts.ts";
import { Heading, type Place, usePlace, Waiting, WaitingPage } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";
import { TransactionHead, TransactionRow } from "./transaction-list.tsx";
import { WalkedList } from "./walked-list.tsx";

const ALL = () => true;

function Latest({ first, height }: { readonly first: number; readonly height: number }) {
  const { reads, groupId } = usePlace();
  const [from, setFrom] = useState(first);
  const isBehind = height > from;
  return (
    <>
      <div class="title">
        <Heading>{text("explorer.page.transactions")}</Heading>
        <Button
          says={isBehind ? "explorer.tx.newer" : "explorer.tx.none.newer"}
          values={{ count: height - from }}
          isOff={!isBehind}
          onClick={() => setFrom(height)}
        />
      </div>
      <WalkedList
        id={`${reads.id}:${groupId}:${from}`}
        from={from}
        wants={ALL}
        label={text("explorer.page.transactions")}
        empty={text("explorer.transactions.none")}
      />
    </>
  );
}

/** The page. New transactions wait behind a button, so that the list does not move by itself. */
export function TransactionsPage() {
  const { height } = usePlace();
  if (height !== undefined) return <Latest first={height} height={height} />;
  return <WaitingPage title={text("explorer.page.transactions")} />;
}

const EVERY_MS = 1_000;
const ROW_HEIGHT = 42;
/** Larger pools are shown when somebody asks: they are megabytes of answers each second. */
const MOST_SHOWN = 500;

async function readPool({ reads, groupId }: Place, isAsked: boolean) {
  const size = Number(await reads.request("getPendingTxSize", [groupId]));
  if (size === 0 || (size > MOST_SHOWN && !isAsked)) return { size, waiting: [] };
  return { size, waiting: await reads.request("getPendingTransactions", [groupId]) };
}

/** The page of those that wait. */
export function PoolPage() {
  const place = usePlace();
  const [isAsked, setAsked] = useState(false);
  const read = useRead({
    id: `pool:${place.groupId}:${place.reads.id}`,
    version: String(isAsked),
    ...(isAsked ? {} : { everyMs: EVERY_MS }),
    load: () => readPool(place, isAsked),
  });
  const pool = read.value;
  if (pool === undefined) return <WaitingPage title={text("explorer.pool")} read={read} />;
  const { size, waiting } = pool;
  return (
    <>
      <Heading>{text("explorer.pool")}</Heading>
      <Told>
        <p>{text("explorer.pool.size", { count: numberText(size) })}</p>
        {read.failure !== undefined && <Waiting read={read} />}
        {size === 0 && <p class="empty">{text("explorer.pool.empty")}</p>}
        {size > MOST_SHOWN && !isAsked && (
          <p>
            <span class="soft">{text("explorer.pool.large")}</span>{" "}
            <Button says="explorer.pool.show" onClick={() => setAsked(true)} />
          </p>
        )}
        {isAsked && (
          <p>
            <Button says="explorer.again" onClick={() => read.again()} />
          </p>
        )}
        {waiting.length > 0 && (
          <VirtualList
            count={waiting.length}
            rowHeight={ROW_HEIGHT}
            label={text("explorer.pool")}
            head={<TransactionHead withBlock={false} />}
            row={(index) => {
              const transaction = waiting[index];
              return transaction === undefined ? null : (
                <TransactionRow line={{ transaction, blockNumber: undefined, status: undefined }} />
              );
            }}
          />
        )}
      </Told>
    </>
  );
}
