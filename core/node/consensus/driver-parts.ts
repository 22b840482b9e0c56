/** What the drivers of all protocols are made of. */
import { sealingMachine } from "../../actors/sealing.machine.ts";
import { logSealed } from "../../actors/journal.ts";
import type { NodeId } from "../../bytes/ids.ts";
import type { Proposal } from "../../consensus/pbft/input.ts";
import type { GroupTuning } from "../../model/config.ts";
import { isTimely, type ProposalDefect, proposalDefect } from "../../txpool/proposal-check.ts";
import type { DriverOptions } from "./consensus-driver.ts";
import { proposalFacts } from "./consensus-inbox.ts";
import { startInGroup } from "../options/group-actors.ts";
import type { BookEntry } from "../proposals/proposal-book.ts";
import { type SealedProposal, SealingDesk } from "../proposals/sealing-desk.ts";

/** What the protocol says about sealing. */
export interface DeskRules {
  readonly tuning: GroupTuning;
  /** Sealers in force, ascending. */
  readonly sealers: () => readonly NodeId[];
  readonly onSealed: (proposal: SealedProposal) => void;
}

/** The desk of a group, with an actor of its own. */
export function makeDesk(driver: DriverOptions, rules: DeskRules): SealingDesk {
  const { options, ports, pool, group } = driver;
  const actor = { name: "sealing", input: undefined };
  return new SealingDesk({
    ...rules,
    self: options.self,
    rules: options,
    pool,
    clock: ports.clock,
    actor: startInGroup(sealingMachine, actor, { group: options, log: ports.log }),
    config: () => group.config(),
    parent: () => group.parent(),
    onError: (cause) => group.fail(cause),
  });
}

/** Puts an own proposal where consensus finds it; gives what consensus is told of it. */
export function enterSealed({ shelf, ports }: DriverOptions, sealed: SealedProposal): Proposal {
  const { proposal, header, hashes } = shelf.enter(sealed);
  const transactions = hashes.length;
  const { number } = header;
  if (transactions > 0) logSealed(ports.log, { number, view: sealed.view, transactions, proposal });
  return proposalFacts(proposal, header, transactions);
}

/** What admission would have refused of a proposal that is complete. */
export function defectOf(driver: DriverOptions, entry: BookEntry): ProposalDefect | undefined {
  const { options, pool, group } = driver;
  const known = entry.transactions.filter((transaction) => transaction !== undefined);
  const { chainId, groupId } = options;
  const { number: head, timestamp } = group.parent();
  if (!isTimely(entry.header.timestamp, timestamp)) return "wrongTimestamp";
  return proposalDefect(pool.window, known, { head, chainId, groupId });
}
