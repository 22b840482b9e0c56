/** The start: scenarios to choose from, one of one's own, and the node that runs. */
import { useState } from "preact/hooks";
import { MAX_NODES } from "../../runtimes/shared/theatre/scenario.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField, TextField } from "../parts/fields.tsx";
import { inLanguage, text } from "../texts.ts";
import { playAddress } from "./play/moment.ts";
import { PRESETS } from "./presets.ts";

/** The start screen. */
export function Start() {
  return (
    <div class="theatre-start">
      <h1>{text("nav.theatre")}</h1>
      <p>{text("start.intro")}</p>
      <ul class="presets">
        {PRESETS.map(({ id, title, about, text: scenario }) => (
          <li key={id} class="panel">
            <h2>
              <a href={`${playAddress(scenario)}&now=1`} data-preset={id}>
                {inLanguage(title)}
              </a>
            </h2>
            <p>{inLanguage(about)}</p>
          </li>
        ))}
      </ul>
      <Own />
      <section class="panel">
        <h2>{text("start.live")}</h2>
        <p>{text("start.live.about")}</p>
        <p>
          <a class="button" href="#/theatre/live">
            {text("start.live.do")}
          </a>
        </p>
      </section>
      <p>
        <a href="#/lessons">{text("start.lessons")}</a>
      </p>
    </div>
  );
}

const SEEDS = 1_000_000;
const PROTOCOLS = [
  ["pbft", "PBFT"],
  ["raft", "Raft"],
] as const;

/** A scenario of one's own. */
function Own() {
  const [protocol, setProtocol] = useState("pbft");
  const [nodes, setNodes] = useState(4);
  const [loadMs, setLoad] = useState(1_000);
  const [seed, setSeed] = useState(() => Math.floor(Math.random() * SEEDS));
  const [typed, setTyped] = useState("");
  const made = `1.${protocol}.nodes-${nodes}.seed-${seed}.load-${loadMs}`;
  return (
    <form
      class="panel own"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = `${playAddress(typed.trim() || made)}&now=1`;
      }}
    >
      <h2>{text("start.own")}</h2>
      <ChoiceField
        title="start.protocol"
        value={protocol}
        onValue={setProtocol}
        options={PROTOCOLS}
      />
      <NumberField label="start.nodes" value={nodes} least={1} most={MAX_NODES} onSet={setNodes} />
      <NumberField label="start.load" value={loadMs} least={0} most={60_000} onSet={setLoad} />
      <NumberField label="start.seed" value={seed} least={0} most={SEEDS} onSet={setSeed} />
      <TextField
        class="wide"
        title="start.text"
        value={typed}
        placeholder={made}
        onValue={setTyped}
      />
      <Button says="start.do" tone="primary" />
    </form>
  );
}

function NumberField(props: {
  label: string;
  value: number;
  least: number;
  most: number;
  onSet: (value: number) => void;
}) {
  const { label, value, least, most, onSet } = props;
  return (
    <label>
      {text(label)}
      <input
        type="number"
        min={least}
        max={most}
        required
        value={value}
        onInput={({ currentTarget }) => {
          if (currentTarget.validity.valid) onSet(currentTarget.valueAsNumber);
        }}
      />
    </label>
  );
}
