/** The form that makes a chain in this browser. */
import { useState } from "preact/hooks";
import type { ChainRequest } from "../../runtimes/browser/link/api.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField, PassphraseField } from "../parts/fields.tsx";
import { text } from "../texts.ts";

const COUNTS = [1, 2, 3, 4, 5, 6, 7];
/** The least that tolerates one faulty node. */
const USUAL = 4;

/** The algorithms of a chain. */
export function SuiteField(props: { readonly sm: boolean; readonly onSm: (sm: boolean) => void }) {
  return (
    <ChoiceField
      title="node.suite"
      value={props.sm ? "sm" : "standard"}
      onValue={(value) => props.onSm(value === "sm")}
      options={[
        ["standard", text("node.standard")],
        ["sm", text("node.national")],
      ]}
    />
  );
}

interface StartFormProps {
  readonly isBusy: boolean;
  /** Whether the data of an earlier chain are lost: the new one is another. */
  readonly isNew: boolean;
  readonly onStart: (request: ChainRequest) => void;
}

/** Nodes, consensus, algorithms. */
export function StartForm({ isBusy, isNew, onStart }: StartFormProps) {
  const [nodes, setNodes] = useState(USUAL);
  const [consensus, setConsensus] = useState<ChainRequest["consensus"]>("pbft");
  const [sm, setSm] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const start = (event: Event) => {
    event.preventDefault();
    const secret = passphrase === "" ? {} : { passphrase };
    onStart({ kind: "chain", nodes, consensus, sm, isNew, ...secret });
  };
  return (
    <form class="panel node-form" onSubmit={start}>
      <h2>{text("node.new")}</h2>
      <ChoiceField
        title="node.count"
        value={String(nodes)}
        onValue={(value) => setNodes(Number(value))}
        options={COUNTS.map((count) => [String(count), count])}
      />
      <ChoiceField
        title="node.consensus"
        value={consensus}
        onValue={(value) => setConsensus(value === "raft" ? "raft" : "pbft")}
        options={[
          ["pbft", "PBFT"],
          ["raft", "Raft"],
        ]}
      />
      <SuiteField sm={sm} onSm={setSm} />
      <PassphraseField
        title="node.passphrase"
        value={passphrase}
        isNew
        isOptional
        placeholder={text("node.passphrase.none")}
        onValue={setPassphrase}
      />
      <div class="actions">
        <Button says="node.start" tone="primary" isOff={isBusy} />
      </div>
    </form>
  );
}
