/** What the browser holds for this site, and how the chain is saved from it. */
import { useEffect, useState } from "preact/hooks";
import type { TabNode } from "../../runtimes/browser/link/api.ts";
import { fetchBackup, saveFile, saveText } from "../data/save-file.ts";
import { Button } from "../parts/button.tsx";
import { PassphraseField } from "../parts/fields.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Facts } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { sizeText } from "../format.ts";
import { text } from "../texts.ts";
import "./storage-texts.ts";
import { useNodeLock } from "./use-node-lock.ts";
import type { NodeWork, Work } from "./work.ts";

const LOOK_MS = 5_000;
/** From this share on there is soon no room. */
const NEARLY_FULL = 0.9;

interface Room {
  readonly used: number;
  readonly quota: number;
  readonly isKept: boolean;
}

async function lookAtRoom(): Promise<Room | undefined> {
  const { storage } = navigator as { readonly storage?: StorageManager };
  if (!storage) return undefined;
  const { usage = 0, quota = 0 } = await storage.estimate();
  return { used: usage, quota, isKept: await storage.persisted() };
}

function useRoom(): readonly [Room | undefined, () => void] {
  const [room, setRoom] = useState<Room>();
  const look = () => void lookAtRoom().then(setRoom, () => undefined);
  useEffect(() => {
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return [room, look];
}

function RoomFacts({ isBusy, onWork }: Work) {
  const [room, look] = useRoom();
  if (!room) return null;
  const { used, quota, isKept } = room;
  const ask = () =>
    onWork(async () => {
      const isGranted = await navigator.storage.persist();
      toast(text(isGranted ? "storage.granted" : "storage.refused"), isGranted ? "good" : "warn");
      look();
    });
  const sizes = { used: sizeText(used), quota: sizeText(quota) };
  const kept = (
    <StatusBadge tone={isKept ? "good" : "warn"}>
      {text(isKept ? "storage.kept.yes" : "storage.kept.no")}
    </StatusBadge>
  );
  return (
    <>
      <Facts
        facts={[
          ["storage.used", text("storage.used.of", sizes)],
          ["storage.kept", kept],
        ]}
      />
      <Problem>{quota > 0 && used > quota * NEARLY_FULL && text("storage.full")}</Problem>
      {!isKept && (
        <>
          <p class="soft">{text("storage.evict")}</p>
          <Button says="storage.ask" isOff={isBusy} onClick={ask} />
        </>
      )}
    </>
  );
}

/** Groups that have data here, once the chain is known. */
function useGroups({ worker }: TabNode, chain: string | undefined): readonly number[] {
  const [groups, setGroups] = useState<readonly number[]>([]);
  useEffect(() => {
    let isWanted = true;
    worker.keptGroups().then(
      (found) => isWanted && setGroups(found),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [chain]);
  return groups;
}

function GroupBackup({ groupId, ...props }: NodeWork & { readonly groupId: number }) {
  const { node, isBusy, onWork } = props;
  const [bytes, setBytes] = useState<number>();
  const [said, setSaid] = useState("");
  const save = () =>
    onWork(async () => {
      setBytes(0);
      try {
        const { content, height, contentHash } = await fetchBackup(node, groupId, setBytes);
        saveFile(`chain-node-group${groupId}-block${height}.snapshot`, content);
        setSaid(text("backup.done", { group: groupId, height, hash: contentHash }));
      } finally {
        setBytes(undefined);
      }
    });
  const genesis = () =>
    onWork(async () => {
      const found = await node.worker.genesisFile(groupId);
      if (found === undefined) toast(text("backup.noGenesis"), "warn");
      else saveText(`group.${groupId}.genesis`, found);
    });
  const group = { group: groupId };
  const running = { ...group, size: sizeText(bytes ?? 0) };
  return (
    <>
      <div class="node-form">
        <Button says="backup.group" values={group} isOff={isBusy} onClick={save} />
        <Button says="backup.genesis" values={group} isOff={isBusy} onClick={genesis} />
      </div>
      <p class="soft hash-line" role="status">
        {bytes === undefined ? said : text("backup.running", running)}
      </p>
    </>
  );
}

function ChainFileForm({ node, status, isBusy, onWork }: NodeWork) {
  const [ofKeys, setOfKeys] = useState("");
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const [lock] = useNodeLock(status.chain?.name);
  const save = (event: Event) => {
    event.preventDefault();
    if (first !== second) {
      toast(text("backup.differ"), "bad");
      return;
    }
    onWork(async () => {
      const secret = ofKeys === "" ? {} : { ofKeys };
      const file = await node.worker.chainFile({ ...secret, ofFile: first });
      const name = `chain-node-${status.chain?.name ?? "chain"}.chain.json`;
      saveText(name, file, "application/json");
      setFirst("");
      setSecond("");
      setOfKeys("");
    });
  };
  return (
    <form class="node-form" onSubmit={save}>
      {lock === "passphrase" && (
        <PassphraseField title="node.passphrase" value={ofKeys} isOptional onValue={setOfKeys} />
      )}
      <PassphraseField title="backup.passphrase" value={first} isNew onValue={setFirst} />
      <PassphraseField title="backup.again" value={second} isNew onValue={setSecond} />
      <Button says="backup.chainFile" isOff={isBusy} />
    </form>
  );
}

/** Nodes that came back from a backup do not vote unasked. */
function Confirm({ node, status, isBusy, onWork }: NodeWork) {
  const isSilent = status.nodes.some(({ groups }) =>
    groups.some(({ silence }) => silence !== undefined),
  );
  if (!isSilent) return null;
  return (
    <section class="panel">
      <h2>{text("confirm.title")}</h2>
      <p>{text("confirm.words")}</p>
      <Button
        says="confirm.yes"
        tone="danger"
        isOff={isBusy}
        onClick={() => onWork(() => node.worker.confirmOnlyCopy())}
      />
    </section>
  );
}

/** The panel; without a chain it shows the room only. */
export function StoragePanel(props: NodeWork) {
  const { node, status } = props;
  const groups = useGroups(node, status.chain && `${status.chain.name} ${status.phase}`);
  return (
    <>
      <Confirm {...props} />
      <section class="panel">
        <h2>{text("storage.title")}</h2>
        <RoomFacts {...props} />
      </section>
      {status.chain && (
        <section class="panel">
          <h2>{text("backup.title")}</h2>
          <p class="soft">{text("backup.words")}</p>
          {groups.map((groupId) => (
            <GroupBackup key={groupId} {...props} groupId={groupId} />
          ))}
          <ChainFileForm {...props} />
        </section>
      )}
    </>
  );
}
