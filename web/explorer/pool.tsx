/** Transactions that wait for their block. */
import { useState } from "preact/hooks";
import { VirtualList } from "../parts/virtual-list.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { Heading, type Place, usePlace, Waiting } from "./read/place.tsx";
import { TransactionHead, TransactionRow } from "./transaction-list.tsx";
import { useRead } from "./read/use-read.ts";

const EVERY_MS = 1_000;
const ROW_HEIGHT = 42;
/** Larger pools are shown when somebody asks: they are megabytes of answers each second. */
const MOST_SHOWN = 500;

async function readPool({ reads, groupId }: Place, isAsked: boolean) {
  const size = Number(await reads.request("getPendingTxSize", [groupId]));
  if (size === 0 || (size > MOST_SHOWN && !isAsked)) return { size, waiting: [] };
  return { size, waiting: await reads.request("getPendingTransactions", [groupId]) };
}

/** The page. */
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
  if (pool === undefined) {
    return (
      <>
        <Heading>{text("explorer.pool")}</Heading>
        <Waiting read={read} />
      </>
    );
  }
  const { size, waiting } = pool;
  return (
    <>
      <Heading>{text("explorer.pool")}</Heading>
      <p>{text("explorer.pool.size", { count: numberText(size) })}</p>
      {read.failure !== undefined && <Waiting read={read} />}
      {size === 0 && <p class="empty">{text("explorer.pool.empty")}</p>}
      {size > MOST_SHOWN && !isAsked && (
        <p>
          <span class="soft">{text("explorer.pool.large")}</span>{" "}
          <button type="button" onClick={() => setAsked(true)}>
            {text("explorer.pool.show")}
          </button>
        </p>
      )}
      {isAsked && (
        <p>
          <button type="button" onClick={() => read.again()}>
            {text("explorer.again")}
          </button>
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
    </>
  );
}
