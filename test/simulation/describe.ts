/** Inputs and effects as one line of text, for logs and transcripts. */
import type { Effect } from "../../core/consensus/pbft/effect.ts";
import type { Input } from "../../core/consensus/pbft/input.ts";
import type { Lock, Message } from "../../core/consensus/pbft/message.ts";

/** The last digits of a hash tell blocks of a schedule apart. */
export function shortHash(hash: string | undefined): string {
  return hash === undefined ? "-" : hash.slice(2, 4) + hash.slice(-3);
}

function shortId(id: string): string {
  return String(Number.parseInt(id.slice(0, 2), 16) - 1);
}

function describeLock(lock: Lock | undefined): string {
  if (!lock) return "none";
  const { view, proposal, certificate } = lock;
  return `${shortHash(proposal)}@${view}(${certificate.map(({ index }) => index).join(",")})`;
}

/** A message: kind, round, author, content. */
export function describeMessage(message: Message): string {
  const round = `${message.type} ${message.height}/${message.view}`;
  switch (message.type) {
    case "prepare": {
      const justified = message.justification.map(({ index }) => index).join(",");
      return `${round} by ${message.index} ${shortHash(message.proposal)} J=[${justified}]`;
    }
    case "sign":
    case "commit":
      return `${round} by ${message.index} ${shortHash(message.proposal)}`;
    case "viewChange":
      return `${round} by ${message.index} lock=${describeLock(message.lock)}`;
    case "status":
      return `${round} by ${message.index} toView=${message.toView}`;
    case "viewCertificate":
      return `${round} J=[${message.justification.map(({ index }) => index).join(",")}]`;
    default:
      return message satisfies never;
  }
}

/** An input. */
export function describeInput(input: Input): string {
  switch (input.type) {
    case "message":
      return `${describeMessage(input.message)} from ${shortId(input.from)}`;
    case "proposal":
      return `proposal ${shortHash(input.proposal.hash)} txs=${input.proposal.txCount}`;
    case "assembled":
      return `assembled ${shortHash(input.proposal)} complete=${input.complete}`;
    case "executed":
      return `executed ${shortHash(input.token.proposal)} ${shortHash(input.executed)}`;
    case "written":
      return `written ${input.height} ${shortHash(input.hash)}`;
    case "block": {
      const { proposal, executed } = input.block;
      return `block ${proposal.number} ${shortHash(executed)} from ${shortId(input.from)}`;
    }
    case "peersChanged":
      return `peersChanged ${input.connected.map(shortId).join(",")}`;
    default:
      return input.type;
  }
}

/** An effect. */
export function describeEffect(effect: Effect): string {
  switch (effect.type) {
    case "persist": {
      const { height, view, toView, lock, sign } = effect.record;
      const voted = sign ? `${shortHash(sign.proposal)}@${sign.view}` : "none";
      const body = effect.body === undefined ? "" : ` body=${shortHash(effect.body)}`;
      const said = `sign=${voted} lock=${describeLock(lock)}`;
      return `persist ${height}/${view} toView=${toView} ${said}${body}`;
    }
    case "broadcast":
      return `broadcast ${describeMessage(effect.message)}`;
    case "send":
      return `send ${describeMessage(effect.message)} to ${shortId(effect.to)}`;
    case "assemble":
      return `assemble ${shortHash(effect.proposal)}`;
    case "requestBody":
      return `requestBody ${shortHash(effect.proposal)} to ${shortId(effect.to)}`;
    case "execute":
      return `execute ${shortHash(effect.token.proposal)}`;
    case "write": {
      const seals = effect.seals.map(({ index }) => index).join(",");
      return `write ${effect.height} ${shortHash(effect.executed)} seals=${seals}`;
    }
    case "requestBlock":
      return `requestBlock ${effect.height} to ${shortId(effect.to)}`;
    case "propose":
      return `propose ${effect.height}/${effect.view}`;
    case "deadline":
      return `deadline ${effect.at === undefined ? "none" : effect.at.toFixed(0)}`;
    case "report":
      return `report ${describeReport(effect.report)}`;
    case "stopGroup":
      return `stopGroup ${effect.reason} ${shortHash(effect.proposal)}`;
    default:
      return effect.type;
  }
}

function describeReport(report: Extract<Effect, { type: "report" }>["report"]): string {
  switch (report.event) {
    case "viewLeft":
      return `viewLeft ${report.height}/${report.view} toView=${report.toView} ${report.cause}`;
    case "viewChanged":
      return `viewChanged ${report.height}/${report.view}`;
    case "committed":
      return `committed ${report.height} ${shortHash(report.hash)}`;
    case "equivocation":
      return `equivocation by ${report.index}: ${describeMessage(report.second)}`;
    case "executionOutlived":
      return `executionOutlived ${shortHash(report.proposal)} view ${report.view}`;
    case "twin":
      return `twin ${describeMessage(report.message)}`;
    case "lostVote":
      return `lostVote ${report.height}`;
    case "ignored":
      return `ignored ${report.type} from ${shortId(report.from)}: ${report.reason}`;
    default:
      return report satisfies never;
  }
}
