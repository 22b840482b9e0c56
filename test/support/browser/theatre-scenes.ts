/** Scenes of the theatre for tests: a scenario is played, and its frames are examined. */
import assert from "node:assert/strict";
import { createTheatre, type Theatre } from "../../../runtimes/shared/theatre/engine.ts";
import type {
  Frame,
  NodeView,
  PbftView,
  RaftView,
  TheatreEvent,
} from "../../../runtimes/shared/theatre/frame.ts";
import { parseScenario } from "../../../runtimes/shared/theatre/scenario-text.ts";

/** Opens a scenario from its text. */
export async function openScene(text: string): Promise<Theatre> {
  const parsed = parseScenario(text);
  assert.ok(parsed.ok, `${text}: ${JSON.stringify(parsed)}`);
  return createTheatre(parsed.scenario);
}

/** Plays a scenario to a time; its frames and its newest one. */
export async function playTo(text: string, atMs: number) {
  const theatre = await openScene(text);
  const { frames } = await theatre.run({ kind: "time", atMs });
  return { theatre, frames: [await theatre.at(0), ...frames], last: theatre.frame };
}

/** Events of some frames with that id, of one node where it is named. */
export function eventsOf(
  frames: readonly Frame[],
  id: TheatreEvent["id"],
  node?: number,
): TheatreEvent[] {
  const events = frames.flatMap((frame) => frame.events);
  return events.filter((event) => event.id === id && (node ?? event.node) === event.node);
}

/** A node of a frame. */
export function nodeOf(frame: Frame, number: number): NodeView {
  const node = frame.nodes[number];
  assert.ok(node, `there is no node ${number}`);
  return node;
}

/** The PBFT core of a node. */
export function pbftOf(frame: Frame, number: number): PbftView {
  const { consensus } = nodeOf(frame, number);
  assert.equal(consensus?.kind, "pbft");
  return consensus as PbftView;
}

/** The Raft core of a node. */
export function raftOf(frame: Frame, number: number): RaftView {
  const { consensus } = nodeOf(frame, number);
  assert.equal(consensus?.kind, "raft");
  return consensus as RaftView;
}

/** Heights of all nodes. */
export function heightsOf({ nodes }: Frame): number[] {
  return nodes.map(({ height }) => height);
}
