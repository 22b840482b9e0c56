/** Everything that is known of the node or the message that was chosen. */
import type {
  Flight,
  Frame,
  NodeView,
  PbftView,
  RaftView,
} from "../../runtimes/shared/theatre/frame.ts";
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import { text } from "../texts.ts";
import { BACKGROUND } from "./play/kinds.ts";
import type { Choice } from "./picture/picture.tsx";
import type { Row } from "./play/reel.ts";
import { endedSentence, messageWord, short, timeWord } from "./row-words.ts";
import { ringsOf, roleWord } from "./play/standing.ts";

interface InspectorProps {
  readonly frame: Frame;
  readonly rows: readonly Row[];
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
  /** Undefined: nothing can be done here. */
  readonly onAct: ((action: Action) => void) | undefined;
}

/** Messages in flight that are listed. */
const LISTED = 40;

/** The inspector. */
export function Inspector(props: InspectorProps) {
  const { frame, choice } = props;
  const node = choice?.kind === "node" ? frame.nodes[choice.node] : undefined;
  return (
    <section class="inspector" aria-label={text("inspector.title")}>
      {choice?.kind === "message" && <Message {...props} id={choice.id} />}
      {node && <Node node={node} />}
      {!choice && <p class="soft">{text("inspector.none")}</p>}
      <InFlight {...props} />
    </section>
  );
}

type Fact = readonly [key: string, value: string | number | undefined];

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([key, value]) =>
        value === undefined || value === "" ? null : (
          <div key={key}>
            <dt>{text(`fact.${key}`)}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Node({ node }: { node: NodeView }) {
  const { consensus, sync, peers, head, height, pool, groups, nodeId } = node;
  const facts: readonly Fact[] = [
    ["role", roleWord(node)],
    ["group", groups.map(({ group, status }) => `${group}: ${text(`group.${status}`)}`).join(", ")],
    ["height", height],
    ["head", head && short(head)],
    ["pool", pool],
    ...(consensus?.kind === "pbft" ? pbftFacts(consensus) : []),
    ...(consensus?.kind === "raft" ? raftFacts(consensus) : []),
    [
      "sync",
      sync &&
        text(`sync.${sync.downloading ? "downloading" : "idle"}`, {
          knownHighest: sync.knownHighest,
          queued: sync.queued,
        }),
    ],
    ["peers", people(peers)],
    ["nodeId", `${nodeId.slice(0, 16)}…`],
  ];
  return (
    <>
      <h2>
        {text("stage.node.long", { node: node.node + 1 })} <code>{short(node.nodeId)}</code>
      </h2>
      <Facts facts={facts} />
      <Tallies node={node} />
      <Chain node={node} />
    </>
  );
}

/** Numbers of nodes as people count them. */
function people(nodes: readonly number[]): string {
  return nodes.map((node) => node + 1).join(", ");
}

function person(node: number | undefined): number | undefined {
  return node === undefined ? undefined : node + 1;
}

function pbftFacts(pbft: PbftView): readonly Fact[] {
  const { view, toView, leader, phase, proposal, transactions, lock, justification } = pbft;
  return [
    ["view", toView > view ? `${view} → ${toView}` : view],
    ["leader", person(leader)],
    ["phase", text(`phase.${phase}`)],
    ["proposal", proposal && `${short(proposal)} (${transactions ?? "?"})`],
    ["executed", pbft.executed && short(pbft.executed)],
    ["lock", lock && text("fact.lock.value", { view: lock.view, hash: short(lock.executed) })],
    ["justification", people(justification)],
    ["deadline", timeWord(pbft.deadline)],
  ];
}

function raftFacts(raft: RaftView): readonly Fact[] {
  const { term, vote, leader, phase, commitIndex, entry, electionAt, leaseUntil } = raft;
  return [
    ["term", term],
    ["vote", person(vote)],
    ["leader", person(leader)],
    ["phase", text(`phase.${phase}`)],
    ["commitIndex", commitIndex],
    [
      "entry",
      entry &&
        text("fact.entry.value", {
          height: entry.height,
          term: entry.term,
          hash: short(entry.proposal),
        }),
    ],
    ["election", electionAt && timeWord(electionAt)],
    ["lease", leaseUntil && timeWord(leaseUntil)],
  ];
}

function Tallies({ node }: { node: NodeView }) {
  return (
    <ul class="tallies">
      {ringsOf(node).map(({ name, colour, voters, quorum }) => (
        <li key={name} class={`${colour} ${voters.length >= quorum ? "full" : ""}`}>
          {text(`ring.${name}`, { count: voters.length, quorum })}
          {voters.length > 0 && ` (${people(voters)})`}
        </li>
      ))}
    </ul>
  );
}

function Chain({ node }: { node: NodeView }) {
  return (
    <table class="chain">
      <thead>
        <tr>
          {["height", "hash", "transactions", "sealer", "seals"].map((key) => (
            <th key={key} scope="col">
              {text(`chain.${key}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {node.blocks.toReversed().map(({ number, hash, transactions, sealer, seals }) => (
          <tr key={number}>
            <td>{number}</td>
            <td class="mono">{short(hash)}</td>
            <td>{transactions}</td>
            <td>{person(sealer) ?? ""}</td>
            <td>{seals}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Message(props: InspectorProps & { id: number }) {
  const { frame, rows, id, onAct } = props;
  const flight = frame.flights.find((one) => one.id === id);
  const ended = flight ? undefined : rows.find(({ ended: one }) => one?.flight.id === id)?.ended;
  const known = flight ?? ended?.flight;
  if (!known) return <p class="soft">{text("inspector.message.gone")}</p>;
  const facts: readonly Fact[] = [
    ["from", known.from + 1],
    ["to", known.to + 1],
    ["sent", timeWord(known.sentAt)],
    ["arrives", known.arrivesAt && timeWord(known.arrivesAt)],
    ["height", known.height],
    ["view", known.view],
    ["hash", known.hash && short(known.hash)],
    ["bytes", known.bytes],
    ["copyOf", known.copyOf],
  ];
  return (
    <>
      <h2>{messageWord(known)}</h2>
      {known.lie && <p class="problem">{text("inspector.lie")}</p>}
      <Facts facts={facts} />
      <Details flight={known} />
      {ended && <p>{endedSentence(ended)}</p>}
      {flight && onAct && <MessageActions flight={flight} onAct={onAct} />}
    </>
  );
}

function Details({ flight }: { flight: Flight }) {
  const entries = Object.entries(flight.details);
  if (entries.length === 0) return null;
  return (
    <dl class="facts details">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{typeof value === "string" && value.length > 24 ? short(value) : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function MessageActions(props: { flight: Flight; onAct: (action: Action) => void }) {
  const { flight, onAct } = props;
  const kinds = flight.held
    ? (["deliver", "drop"] as const)
    : (["deliver", "hold", "drop"] as const);
  return (
    <div class="node-actions">
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          data-action={kind}
          onClick={() => onAct({ kind, message: flight.id })}
        >
          {text(`do.${kind}`)}
        </button>
      ))}
    </div>
  );
}

/** What flies now, for those who cannot catch it with the pointer. */
function InFlight({ frame, choice, onChoose }: InspectorProps) {
  const flights = frame.flights.filter(({ kind }) => !BACKGROUND.has(kind)).slice(0, LISTED);
  if (flights.length === 0) return null;
  return (
    <>
      <h2>{text("inspector.flying", { count: flights.length })}</h2>
      <ul class="in-flight">
        {flights.map((flight) => (
          <li key={flight.id}>
            <button
              type="button"
              aria-pressed={choice?.kind === "message" && choice.id === flight.id}
              onClick={() => onChoose({ kind: "message", id: flight.id })}
            >
              {`${flight.from + 1} → ${flight.to + 1} ${messageWord(flight)}`}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
