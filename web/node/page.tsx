/** The node part of the page: the chain or node that this browser runs. */
import { useState } from "preact/hooks";
import type { StartRequest } from "../../runtimes/browser/link/api.ts";
import { TabBenchmark } from "../benchmark/tab-panel.tsx";
import { useTabNode } from "../data/tab-node.ts";
import { failureText } from "../failure.ts";
import { Problem } from "../parts/problem.tsx";
import { attempt, toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { useShellOfPart } from "../use-shell.ts";
import { JoinPanel } from "./join-panel.tsx";
import { JoinPeers } from "./join-peers.tsx";
import { NodeTable } from "./node-table.tsx";
import "./node-texts.ts";
import { KeysPanel } from "./keys-panel.tsx";
import { RestoreForm } from "./restore-form.tsx";
import { StartForm } from "./start-form.tsx";
import { StatePanel } from "./state-panel.tsx";
import { StoragePanel } from "./storage-panel.tsx";
import type { NodeWork } from "./work.ts";

/** The form to join a network, and the peers once that is done. */
function Join(work: NodeWork) {
  const { status } = work;
  const { chain, phase } = status;
  if (phase === "running") return <JoinPeers status={status} />;
  const isFree = chain === undefined || chain.kind === "join";
  if (!isFree || !["off", "evicted", "failed"].includes(phase)) return null;
  const panel = (
    <JoinPanel
      {...work}
      isNew={phase === "evicted"}
      hasKey={chain !== undefined}
      sm={chain?.sm ?? false}
    />
  );
  if (chain === undefined || chain.chainId === 0) return panel;
  return (
    <details>
      <summary>{text("join.again")}</summary>
      {panel}
    </details>
  );
}

/** All that there is to see and to do of the node. */
function Panels(work: NodeWork) {
  const { node, status, isBusy, onWork } = work;
  const { phase, chain } = status;
  const shell = useShellOfPart();
  const start = (request: StartRequest) =>
    onWork(async () => {
      await node.start(request);
      shell?.send({ type: "source.choose", kind: "tab" });
    });
  return (
    <>
      <StatePanel {...work} />
      {!chain && (phase === "off" || phase === "evicted") && (
        <>
          <StartForm isBusy={isBusy} isNew={phase === "evicted"} onStart={start} />
          <RestoreForm {...work} onDone={toast} />
        </>
      )}
      <Join {...work} />
      {status.nodes.length > 0 && <NodeTable nodes={status.nodes} />}
      {phase === "running" && chain?.kind === "chain" && <TabBenchmark />}
      <StoragePanel {...work} />
      <KeysPanel {...work} chain={chain?.name} />
    </>
  );
}

/** The part. */
export function Page() {
  const { node, status, failure } = useTabNode();
  const [isBusy, setBusy] = useState(false);
  const onWork = (work: () => Promise<void>) => {
    setBusy(true);
    void attempt(work).finally(() => setBusy(false));
  };
  return (
    <>
      <h1>{text("nav.node")}</h1>
      <p class="soft">{text("node.intro")}</p>
      <Problem>
        {failure &&
          (failure.name === "InsecurePage" ? text("node.insecure") : failureText(failure))}
      </Problem>
      {node && status && <Panels node={node} status={status} isBusy={isBusy} onWork={onWork} />}
    </>
  );
}
