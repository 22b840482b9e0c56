/** How the node of this browser stands, and what can be done to it. */
import { useState } from "preact/hooks";
import type { TabChain, TabLoss, TabStatus } from "../../runtimes/browser/link/api.ts";
import { addressOf } from "../address.ts";
import { fullTime } from "../format.ts";
import { sentence } from "../sentence.ts";
import { Button } from "../parts/button.tsx";
import { Ask } from "../parts/ask.tsx";
import { PassphraseField } from "../parts/fields.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusBadge, type Tone } from "../parts/status-badge.tsx";
import { Facts } from "../parts/table.tsx";
import { text } from "../texts.ts";
import { useShellOfPart } from "../use-shell.ts";
import type { NodeWork } from "./work.ts";

const TONES: Readonly<Record<TabStatus["phase"], Tone>> = {
  connecting: "busy",
  off: "plain",
  starting: "busy",
  running: "good",
  stopping: "busy",
  locked: "warn",
  evicted: "bad",
  failed: "bad",
};

function chainText({ kind, consensus, nodeIds, chainId }: TabChain): string {
  if (kind === "join")
    return text(chainId > 0 ? `node.chain.join.${consensus}` : "join.keyOnly", { chainId });
  return text(`node.chain.${consensus}`, { nodes: nodeIds.length });
}

function StatusFacts({ status }: { readonly status: TabStatus }) {
  const { phase, owner, chain } = status;
  const isRunning = phase !== "off" && phase !== "evicted" && phase !== "failed";
  return (
    <Facts
      facts={[
        [
          "node.state",
          <StatusBadge key="phase" tone={TONES[phase]}>
            {text(`node.phase.${phase}`)}
          </StatusBadge>,
        ],
        ["node.owner", isRunning && text(`node.owner.${owner}`)],
        ["node.chain", chain && chainText(chain)],
        ["node.suite", chain && text(chain.sm ? "node.national" : "node.standard")],
        ["node.created", chain && fullTime(chain.created)],
      ]}
    />
  );
}

function lossText({ nodeId, height }: TabLoss): string {
  return text("node.loss", { node: nodeId.slice(0, 8), height });
}

function reasonOf({ phase, chain, loss, reason }: TabStatus): string | undefined {
  if (loss) return chain ? text("node.lossPart") : lossText(loss);
  if (phase === "connecting") return text("node.asleep");
  return reason === undefined ? undefined : sentence(reason);
}

function Continue({ node, status, isBusy, onWork }: NodeWork) {
  const [passphrase, setPassphrase] = useState("");
  const isLocked = status.phase === "locked";
  const go = (event: Event) => {
    event.preventDefault();
    onWork(() => node.worker.resume(passphrase === "" ? undefined : passphrase));
  };
  return (
    <form class="node-form" onSubmit={go}>
      {isLocked && (
        <PassphraseField
          title="node.passphrase"
          value={passphrase}
          isOptional
          onValue={setPassphrase}
        />
      )}
      <Button says={isLocked ? "node.unlock" : "node.continue"} tone="primary" isOff={isBusy} />
    </form>
  );
}

function Controls(props: NodeWork) {
  const { node, status, isBusy, onWork } = props;
  const [isAsking, setAsking] = useState(false);
  const shell = useShellOfPart();
  // What is kept may be too damaged to be shown: it can be wiped all the same.
  if (!status.chain && status.phase !== "failed") return null;
  const explore = () => {
    shell?.send({ type: "source.choose", kind: "tab" });
    location.hash = addressOf("explorer");
  };
  const isRunning = status.phase === "running";
  const { kind, chainId = 0 } = status.chain ?? {};
  // A key without a network waits for the form below.
  const isWhole = kind === "chain" || chainId > 0;
  const canContinue = isWhole && ["off", "failed", "locked"].includes(status.phase);
  return (
    <div class="actions">
      {canContinue && <Continue {...props} />}
      {isRunning && <Button says="node.explore" onClick={explore} />}
      {isRunning && (
        <Button says="node.stop" isOff={isBusy} onClick={() => onWork(() => node.stop())} />
      )}
      <Button says="node.wipe" tone="danger" isOff={isBusy} onClick={() => setAsking(true)} />
      {isAsking && (
        <Ask
          title={text("node.wipe.title")}
          says="node.wipe.yes"
          onDo={() => onWork(() => node.wipe())}
          onClose={() => setAsking(false)}
        >
          <p>{text("node.wipe.words")}</p>
        </Ask>
      )}
    </div>
  );
}

/** The state, why it is so, and the buttons. */
export function StatePanel(work: NodeWork) {
  const { status } = work;
  return (
    <section class="panel" aria-live="polite">
      <StatusFacts status={status} />
      <Problem>{status.reason && reasonOf(status)}</Problem>
      <Controls {...work} />
    </section>
  );
}
