/** The groups of the node. */
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
      <Heading>{text("explorer.groups")}</Heading>
      <p class="soft">{text("explorer.groups.words")}</p>
      {(read.value === undefined || read.failure !== undefined) && <Waiting read={read} />}
      {read.value && (
        <Table
          label={text("explorer.groups")}
          rows={read.value}
          keyOf={({ groupId }) => String(groupId)}
          empty={text("explorer.groups.none")}
          columns={[
            {
              title: text("explorer.group"),
              cell: ({ groupId }) => <a href={placeOf(groupId)}>{groupId}</a>,
            },
            {
              title: text("explorer.state"),
              cell: ({ state }) => (
                <StatusBadge tone={state === "RUNNING" ? "good" : "warn"} title={state}>
                  {text(`explorer.groups.state.${state || "UNKNOWN"}`)}
                </StatusBadge>
              ),
            },
            {
              title: text("explorer.height"),
              numeric: true,
              cell: ({ height }) => numberText(BigInt(height)),
            },
            {
              title: text("explorer.transactions"),
              numeric: true,
              cell: ({ totals }) => numberText(BigInt(totals.txSum)),
            },
            {
              title: text("explorer.sealers"),
              numeric: true,
              cell: ({ sealers }) => sealers.length,
            },
            {
              title: text("explorer.observers"),
              numeric: true,
              cell: ({ observers }) => observers.length,
            },
          ]}
        />
      )}
    </>
  );
}
