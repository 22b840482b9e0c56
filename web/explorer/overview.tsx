/** A group at a glance. */
import { Facts } from "../parts/table.tsx";
import { numberText } from "../format.ts";
import { HashText } from "../parts/hash-text.tsx";
import { Told } from "../parts/proof-mark.tsx";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { LatestBlocks } from "./block-list.tsx";
import { AddressLink, Heading, type Place, usePlace, Waiting } from "./read/place.tsx";
import type { ReceiptLine } from "./read/reads.ts";
import { isCreation, StatusOf } from "./transaction-list.tsx";
import { useRead } from "./read/use-read.ts";

const LATEST = 12;
const LATEST_TRANSACTIONS = 6;
const SETTINGS = ["tx_count_limit", "tx_gas_limit", "consensus_timeout"] as const;

async function readTotals({ reads, groupId }: Place) {
  const [totals, waiting, sealers, observers] = await Promise.all([
    reads.request("getTotalTransactionCount", [groupId]),
    reads.request("getPendingTxSize", [groupId]),
    reads.request("getSealerList", [groupId]),
    reads.request("getObserverList", [groupId]),
  ]);
  return { totals, waiting, sealers, observers };
}

async function readSettings({ reads, groupId }: Place) {
  const asked = SETTINGS.map((key) => reads.request("getSystemConfigByKey", [groupId, key]));
  return await Promise.all(asked);
}

function Figures() {
  const place = usePlace();
  const { groupId, height } = place;
  const read = useRead({
    id: `totals:${groupId}:${place.reads.id}`,
    version: height,
    load: () => readTotals(place),
  });
  const { totals, waiting, sealers, observers } = read.value ?? {};
  const figures = [
    ["explorer.height", height, "blocks"],
    ["explorer.page.transactions", totals?.txSum, "transactions"],
    ["explorer.failedTransactions", totals?.failedTxSum, "transactions"],
    ["explorer.pool.short", waiting, "pool"],
    ["explorer.sealers", sealers?.length, "nodes"],
    ["explorer.observers", observers?.length, "nodes"],
  ] as const;
  return (
    <>
      <div class="figures">
        {figures.map(([name, count, page]) => (
          <a key={name} class="panel figure" href={placeOf(groupId, page)}>
            <span class="soft">{text(name)}</span>
            <strong>{count === undefined ? "…" : numberText(count)}</strong>
          </a>
        ))}
      </div>
      {read.failure !== undefined && <Waiting read={read} />}
    </>
  );
}

function Settings() {
  const place = usePlace();
  const { chain, chainKey, groupId } = place;
  const { facts } = chain;
  const read = useRead({
    id: `settings:${groupId}:${place.reads.id}`,
    load: () => readSettings(place),
  });
  const [count, gas, timeout] = read.value ?? [];
  return (
    <Facts
      facts={[
        ["explorer.chain", facts.chainId.toString()],
        ["explorer.suite", text(`explorer.suite.${facts.suiteName}`)],
        ["explorer.compatible", facts.client["Supported Version"]],
        ["explorer.software", facts.client["Chain-Node Version"]],
        [
          "explorer.genesis",
          chainKey && (
            <HashText key="genesis" value={chainKey} href={placeOf(groupId, "block", "0")} />
          ),
        ],
        ["explorer.setting.count", count && numberText(count)],
        ["explorer.setting.gas", gas && numberText(gas)],
        ["explorer.setting.timeout", timeout && text("explorer.seconds", { count: timeout })],
      ]}
    />
  );
}

/** The latest transactions, of the latest blocks only: by their receipts, which are short. */
async function readLatest({ reads, height = 0 }: Place) {
  const found: { readonly number: number; readonly line: ReceiptLine }[] = [];
  for (let number = height; number > Math.max(0, height - LATEST); number--) {
    const missing = LATEST_TRANSACTIONS - found.length;
    if (missing <= 0) break;
    const { transactions } = await reads.summary(number);
    if (transactions === 0) continue;
    const lines = await reads.receiptLines(number, Math.max(0, transactions - missing), missing);
    found.push(...[...lines].reverse().map((line) => ({ number, line })));
  }
  return found;
}

function LatestTransactions() {
  const place = usePlace();
  const { groupId, reads, height } = place;
  const read = useRead({
    id: `latest:${groupId}:${reads.id}`,
    version: height,
    load: () => readLatest(place),
  });
  if (read.value === undefined) return <Waiting read={read} />;
  if (read.value.length === 0) return <p class="empty">{text("explorer.latest.tx.none")}</p>;
  return (
    <ul class="latest-txs" data-latest-transactions>
      {read.value.map(({ number, line: { transactionHash, to, contractAddress, status } }) => (
        <li key={transactionHash} class="latest-tx">
          <HashText value={transactionHash} href={placeOf(groupId, "tx", transactionHash)} plain />
          <span class="wide">
            {isCreation(to) ? (
              <AddressLink value={contractAddress} plain />
            ) : (
              <AddressLink value={to} plain />
            )}
          </span>
          <span>
            <StatusOf status={status} />
          </span>
          <a class="numeric" href={placeOf(groupId, "block", String(number))}>
            {numberText(number)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The page. */
export function OverviewPage() {
  const { groupId, height } = usePlace();
  return (
    <>
      <Heading>{text("explorer.group.title", { group: groupId })}</Heading>
      <Told>
        <Figures />
        <div class="columns">
          <section>
            <h2>{text("explorer.latest")}</h2>
            <div class={height === undefined ? "latest-box waiting" : "latest-box"}>
              {height !== undefined && <LatestBlocks height={height} count={LATEST} />}
            </div>
          </section>
          <section>
            <h2>{text("explorer.about")}</h2>
            <Settings />
            <h2>{text("explorer.latest.tx")}</h2>
            <div class="latest-box">
              <LatestTransactions />
            </div>
          </section>
        </div>
      </Told>
    </>
  );
}
