/** The latest transactions of a group. */
import { useState } from "preact/hooks";
import { text } from "../texts.ts";
import { Heading, usePlace } from "./read/place.tsx";
import { WalkedList } from "./walked-list.tsx";

const ALL = () => true;

function Latest({ first, height }: { readonly first: number; readonly height: number }) {
  const { reads, groupId } = usePlace();
  const [from, setFrom] = useState(first);
  const isBehind = height > from;
  return (
    <>
      <div class="title">
        <Heading>{text("explorer.transactions")}</Heading>
        <button type="button" disabled={!isBehind} onClick={() => setFrom(height)}>
          {isBehind
            ? text("explorer.tx.newer", { count: height - from })
            : text("explorer.tx.none.newer")}
        </button>
      </div>
      <WalkedList
        id={`${reads.id}:${groupId}:${from}`}
        from={from}
        wants={ALL}
        label={text("explorer.transactions")}
        empty={text("explorer.transactions.none")}
      />
    </>
  );
}

/** The page. New transactions wait behind a button, so that the list does not move by itself. */
export function TransactionsPage() {
  const { height } = usePlace();
  if (height !== undefined) return <Latest first={height} height={height} />;
  return (
    <>
      <Heading>{text("explorer.transactions")}</Heading>
      <p class="loading">{text("explorer.loading")}</p>
    </>
  );
}
