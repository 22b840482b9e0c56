/** What getConsensusStatus and getPbftView report of the core. Source: pbft 12, 16.5 */
import type { NodeId } from "../../bytes/ids.ts";
import { isSealer, type PbftState } from "./state.ts";

/** PBFT status. Source: interface 2.6; pbft 12, 16.5 */
export interface PbftStatus {
  readonly kind: "pbft";
  readonly accountType: 0 | 1;
  readonly cfgErr: boolean;
  readonly connectedNodes: number;
  readonly consensusedBlockNumber: number;
  readonly currentView: number;
  readonly toView: number;
  readonly highestblockHash: PbftState["head"];
  readonly highestblockNumber: number;
  readonly leaderFailed: boolean;
  readonly maxFaulty: number;
  readonly nodeIndex: number;
  /** Ascending node IDs. */
  readonly sealers: readonly NodeId[];
  readonly views: readonly { readonly nodeId: NodeId; readonly view: number }[];
}

/** Projects the state. The own entry of `views` is always there. Source: pbft 12, 16.5 */
export function pbftStatus(state: PbftState): PbftStatus {
  const { sealers } = state.config;
  const views: { nodeId: NodeId; view: number }[] = [];
  sealers.forEach((nodeId, index) => {
    const view = index === state.index ? state.view : state.views.get(index);
    if (view !== undefined) views.push({ nodeId, view });
  });
  return {
    kind: "pbft",
    accountType: isSealer(state) ? 1 : 0,
    cfgErr: !isSealer(state),
    connectedNodes: state.connected.size,
    consensusedBlockNumber: state.height + 1,
    currentView: state.view,
    toView: state.toView,
    highestblockHash: state.head,
    highestblockNumber: state.height,
    leaderFailed: state.toView > state.view,
    maxFaulty: state.maxFaulty,
    nodeIndex: state.index,
    sealers,
    views,
  };
}
