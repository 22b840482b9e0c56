/** The groups of the node. */
import { Told } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Table } from "../parts/table.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { Heading, type Place, usePlace, Waiting } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";

const EVERY_MS = 5_000;

async function readGroup({ reads }: Place, groupId: number) {
  const [height, totals, sealers, observers, state] = await Promise.all([
    reads.request("getBlockNumber", [groupId]),
    reads.request("getTotalTransactionCount", [groupId]),
    reads.request("getSealerList", [groupId]),
    reads.request("getObserverList", [groupId]),
    reads.request("queryGroupStatus", [groupId]),
  ]);
  return { groupId, height, totals, sealers, observers, state: state.status };
}

async function readGroups(place: Place) {
  const ids = await place.reads.request("getGroupList", []);
  return await Promise.all(ids.map((id) => readGroup(place, id)));
}

/** The page. */
export function GroupsPage() {
  const place = usePlace();
  const read = useRead({
    id: `groups:${place.reads.id}`,
    everyMs: EVERY_MS,
    load: () => readGroups(place),
  });
  return (
    <>
      <Heading>{text("explorer.page.groups")}</Heading>
      <p class="soft">{text("explorer.groups.words")}</p>
      {(read.value === undefined || read.failure !== undefined) && <Waiting read={read} />}
      {read.value && (
        <Told>
          <Table
            label={text("explorer.page.groups")}
            rows={read.value}
            keyOf={({ groupId }) => String(groupId)}
            empty={text("explorer.groups.none")}
            columns={[
              ["explorer.group", ({ groupId }) => <a href={placeOf(groupId)}>{groupId}</a>],
              [
                "explorer.state",
                ({ state }) => (
                  <StatusBadge tone={state === "RUNNING" ? "told" : "warn"} title={state}>
                    {text(`explorer.groups.state.${state || "UNKNOWN"}`)}
                  </StatusBadge>
                ),
              ],
              ["explorer.height", ({ height }) => numberText(BigInt(height)), "numeric"],
              [
                "explorer.page.transactions",
                (it) => numberText(BigInt(it.totals.txSum)),
                "numeric",
              ],
              ["explorer.sealers", ({ sealers }) => sealers.length, "numeric"],
              ["explorer.observers", ({ observers }) => observers.length, "numeric"],
            ]}
          />
        </Told>
      )}
    </>
  );
}
