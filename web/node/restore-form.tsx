/** The form that brings a chain back where this browser keeps none. */
import { useEffect, useState } from "preact/hooks";
import type { RestoreReport, TabNode } from "../../runtimes/browser/link/api.ts";
import { Button } from "../parts/button.tsx";
import { PassphraseField } from "../parts/fields.tsx";
import { FileField } from "../parts/file-field.tsx";
import { text } from "../texts.ts";
import "./storage-texts.ts";
import type { NodeWork } from "./work.ts";

const LOOK_MS = 500;

function reportText({ groups }: RestoreReport): string {
  const said = groups.map(({ groupId, height, contentHash }) =>
    text("restore.group", { group: groupId, height, hash: contentHash }),
  );
  return text("restore.done", { groups: said.join("; ") });
}

/** Where the restoring is, while it goes on. */
function usePlace({ worker }: TabNode, isRunning: boolean): string {
  const [place, setPlace] = useState("");
  useEffect(() => {
    if (!isRunning) return;
    const look = () =>
      void worker.restorePlace().then(
        (found) => setPlace(found ?? ""),
        () => undefined,
      );
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return place;
}

interface RestoreFormProps extends Omit<NodeWork, "status"> {
  /** What was restored: the form is gone then. */
  readonly onDone: (report: string) => void;
}

/** Chain file, snapshots, passphrase. */
export function RestoreForm({ node, isBusy, onWork, onDone }: RestoreFormProps) {
  const [chainFile, setChainFile] = useState<File>();
  const [snapshots, setSnapshots] = useState<readonly File[]>([]);
  const [passphrase, setPassphrase] = useState("");
  const [isRunning, setRunning] = useState(false);
  const place = usePlace(node, isRunning);
  const restore = (event: Event) => {
    event.preventDefault();
    if (!chainFile) return;
    onWork(async () => {
      setRunning(true);
      try {
        const report = await node.worker.restore({ chainFile, snapshots, passphrase });
        onDone(reportText(report));
      } finally {
        setRunning(false);
      }
    });
  };
  return (
    <form class="panel node-form" onSubmit={restore}>
      <h2>{text("restore.title")}</h2>
      <FileField
        isRequired
        accept=".json,application/json"
        onFiles={([file]) => setChainFile(file)}
      >
        {text("restore.chainFile")}
      </FileField>
      <FileField isRequired isMany onFiles={setSnapshots}>
        {text("restore.snapshots")}
      </FileField>
      <PassphraseField title="restore.passphrase" value={passphrase} onValue={setPassphrase} />
      <div class="actions">
        <Button says="restore.go" isOff={isBusy} />
        <span role="status">{isRunning && `${text("restore.running")} ${place}`}</span>
      </div>
    </form>
  );
}
