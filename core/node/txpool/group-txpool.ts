/** The pool of a group: its actor, and the flow of transactions into it. */
import { txpoolMachine } from "../../actors/txpool.machine.ts";
import { startInGroup } from "../options/group-actors.ts";
import type { GroupOptions, GroupPorts } from "../options/group-options.ts";
import { type FlowOptions, TransactionFlow } from "./transaction-flow.ts";

/** What the flow of a group is made with. */
export interface GroupTxpoolOptions
  extends Pick<FlowOptions, "pool" | "intake" | "view" | "onImported" | "onRejected"> {
  readonly options: GroupOptions;
  readonly ports: GroupPorts;
}

/** Makes the flow, with an actor of its own. */
export function makeGroupTxpool({ options, ports, ...rest }: GroupTxpoolOptions): TransactionFlow {
  const { groupId, chainId, self } = options;
  const { network, clock, log } = ports;
  const actor = { name: "txpool", input: { pool: rest.pool } };
  return new TransactionFlow({
    ...rest,
    groupId,
    chainId,
    self,
    actor: startInGroup(txpoolMachine, actor, { group: options, log }),
    network,
    clock,
    log,
  });
}
