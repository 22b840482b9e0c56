/** Inputs and effects of the Raft core as one line of text, for logs. */
import type { Effect } from "../../../core/consensus/raft/effect.ts";
import type { Input } from "../../../core/consensus/raft/input.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import { shortHash } from "../describe.ts";
import { nodeNumber } from "../workload.ts";

function shortId(id: string | undefined): string {
  return id === undefined ? "-" : String(Number.parseInt(id.slice(0, 2), 16) - 1);
}

function describeMessage(message: Message): string {
  const place = `${message.type} ${message.height}/${message.term}`;
  switch (message.type) {
    case "preVote":
    case "vote":
      return `${place} entry@${message.entryTerm}`;
    case "preVoteReply":
    case "voteReply":
      return `${place} granted=${message.granted}`;
    case "append":
      return `${place} ${shortHash(message.head)} entry=${shortHash(message.entry)}`;
    case "acknowledgement": {
      const { stored } = message;
      return `${place} stored=${stored ? `${shortHash(stored.proposal)}@${stored.term}` : "-"}`;
    }
    default:
      return message satisfies never;
  }
}

/** An input. */
export function describeInput(input: Input): string {
  switch (input.type) {
    case "message":
      return `${describeMessage(input.message)} from ${nodeNumber(input.from)}`;
    case "proposal":
      return `proposal ${shortHash(input.proposal.hash)} txs=${input.proposal.txCount}`;
    case "assembled":
      return `assembled ${shortHash(input.proposal)} complete=${input.complete}`;
    case "executed":
      return `executed ${shortHash(input.token.proposal)} ${shortHash(input.executed)}`;
    case "written":
      return `written ${input.height} ${shortHash(input.hash)}`;
    case "block":
      return `block ${input.block.proposal.number} ${shortHash(input.block.executed)}`;
    case "peer":
      return `peer ${nodeNumber(input.from)} at ${input.height}`;
    case "syncing":
      return `syncing ${input.active}`;
    default:
      return input.type;
  }
}

/** An effect. */
export function describeEffect(effect: Effect): string {
  switch (effect.type) {
    case "persist": {
      const { term, vote, entry } = effect.record;
      const held = entry ? `${entry.height} ${shortHash(entry.proposal)}@${entry.term}` : "-";
      return `persist term=${term} vote=${shortId(vote)} entry=${held}`;
    }
    case "broadcast":
      return `broadcast ${describeMessage(effect.message)}`;
    case "send":
      return `send ${describeMessage(effect.message)} to ${shortId(effect.to)}`;
    case "assemble":
    case "requestBody":
      return `${effect.type} ${shortHash(effect.proposal)}`;
    case "execute":
      return `execute ${shortHash(effect.token.proposal)}`;
    case "write":
      return `write ${effect.height} ${shortHash(effect.executed)}`;
    case "requestBlock":
      return `requestBlock ${effect.height} to ${shortId(effect.to)}`;
    case "propose":
      return `propose ${effect.height}/${effect.view}`;
    case "deadline":
      return `deadline ${effect.at === undefined ? "none" : effect.at.toFixed(0)}`;
    case "report":
      return `report ${JSON.stringify(effect.report)}`;
    default:
      return effect.type;
  }
}
