/** What a node's frame says in short: where it stands, and which votes it has gathered. */
import type { NodeView, Tally } from "../../../runtimes/shared/theatre/frame.ts";
import { text } from "../../texts.ts";

/** Votes of one phase as a ring around the node that counts them. */
export interface Ring extends Tally {
  readonly name: "signs" | "commits" | "changes" | "stored" | "grants";
  /** Class of its colour. */
  readonly colour: string;
  /** Stands before its count: the letter of the messages that it gathers. */
  readonly letter: string;
}

/** The rings of a node, from the inside out. */
export function ringsOf({ consensus, role }: NodeView): readonly Ring[] {
  if (!consensus || role !== "sealer") return [];
  if (consensus.kind === "pbft") {
    const { signs, commits, viewChanges, view } = consensus;
    const wanted = viewChanges
      .filter(({ toView, voters }) => toView > view && voters.length > 0)
      .toSorted((one, other) => other.voters.length - one.voters.length)[0];
    return [
      { name: "signs", colour: "sign", letter: "S", ...signs },
      { name: "commits", colour: "commit", letter: "C", ...commits },
      ...(wanted ? [{ name: "changes", colour: "change", letter: "V", ...wanted } as const] : []),
    ];
  }
  const { grants, stored } = consensus;
  switch (consensus.role) {
    case "leader":
      return [{ name: "stored", colour: "commit", letter: "K", ...stored }];
    case "candidate":
      return [{ name: "grants", colour: "propose", letter: "R", ...grants }];
    case "preCandidate":
      return [{ name: "grants", colour: "change", letter: "r", ...grants }];
    default:
      return [];
  }
}

/** Whether this node leads, as far as it knows itself. */
export function isLeader({ node, power, role, consensus }: NodeView): boolean {
  if (power === "off" || role !== "sealer" || !consensus) return false;
  return consensus.kind === "pbft" ? consensus.leader === node : consensus.role === "leader";
}

/** Its view or term, in a few letters. */
export function standingOf({ power, role, consensus, groups }: NodeView): string {
  if (power === "off") return text("power.off");
  const status = groups[0]?.status ?? "RUNNING";
  if (status !== "RUNNING") return text(`group.${status}`);
  if (role !== "sealer" || !consensus) return text(`role.${role}`);
  if (consensus.kind === "raft") return text("stage.term.short", { term: consensus.term });
  const { view, toView } = consensus;
  return text("stage.view.short", { view: toView > view ? `${view}→${toView}` : view });
}

/** What the node is, in a word or two. */
export function roleWord(node: NodeView): string {
  const { power, role, consensus } = node;
  if (power !== "on") return text(`power.${power}`);
  if (role !== "sealer" || !consensus) return text(`role.${role}`);
  if (consensus.kind === "raft") return text(`raft.${consensus.role}`);
  return text(isLeader(node) ? "stage.leader" : "role.sealer");
}

/** A wait that runs out. */
export interface Wait {
  readonly from: number;
  readonly to: number;
}

/** What the node waits for, where it waits. */
export function waitOf({ consensus, power }: NodeView): Wait | undefined {
  if (!consensus || power !== "on") return undefined;
  if (consensus.kind === "pbft") return { from: consensus.waitsFrom, to: consensus.deadline };
  const { electionAt, waitsFrom } = consensus;
  if (electionAt === undefined || waitsFrom === undefined) return undefined;
  return { from: waitsFrom, to: electionAt };
}

/** The node in one sentence, for those who do not see the picture. */
export function sentenceOf(node: NodeView): string {
  const { consensus } = node;
  const values = { node: node.node + 1, role: roleWord(node), height: node.height };
  if (node.power === "off" || !consensus) return text("stage.node.plain", values);
  const place = consensus.kind === "pbft" ? consensus.view : consensus.term;
  const votes = ringsOf(node).map(({ name, voters, quorum }) =>
    text(`ring.${name}`, { count: voters.length, quorum }),
  );
  return [text(`stage.node.${consensus.kind}`, { ...values, place }), ...votes].join(
    text("stage.and"),
  );
}
