/** The form that makes a chain in this browser. */
import { useState } from "preact/hooks";
import type { ChainWish } from "../../runtimes/browser/link/api.ts";
import { text } from "../texts.ts";

const COUNTS = [1, 2, 3, 4, 5, 6, 7];
/** The least that tolerates one liar. */
const USUAL = 4;

/** What the form is told. */
export interface StartFormProps {
  readonly isBusy: boolean;
  /** Whether the data of an earlier chain are lost: the new one is another. */
  readonly isNew: boolean;
  readonly onStart: (wish: ChainWish) => void;
}

/** Nodes, consensus, algorithms. */
export function StartForm({ isBusy, isNew, onStart }: StartFormProps) {
  const [nodes, setNodes] = useState(USUAL);
  const [consensus, setConsensus] = useState<ChainWish["consensus"]>("pbft");
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
      <label>
        {text("node.count")}
        <select value={nodes} onChange={(event) => setNodes(Number(event.currentTarget.value))}>
          {COUNTS.map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
        </select>
      </label>
      <label>
        {text("node.consensus")}
        <select
          value={consensus}
          onChange={(event) => setConsensus(event.currentTarget.value === "raft" ? "raft" : "pbft")}
        >
          <option value="pbft">PBFT</option>
          <option value="raft">Raft</option>
        </select>
      </label>
      <label>
        {text("node.suite")}
        <select
          value={sm ? "sm" : "standard"}
          onChange={(event) => setSm(event.currentTarget.value === "sm")}
        >
          <option value="standard">{text("node.standard")}</option>
          <option value="sm">{text("node.national")}</option>
        </select>
      </label>
      <label>
        {text("node.passphrase")}
        <input
          type="password"
          autocomplete="new-password"
          placeholder={text("node.passphrase.none")}
          value={passphrase}
          onInput={(event) => setPassphrase(event.currentTarget.value)}
        />
      </label>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {text("node.start")}
        </button>
      </div>
    </form>
  );
}
