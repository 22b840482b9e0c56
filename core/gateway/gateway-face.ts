/** What a gateway is of a node: it describes itself, and names the group that it serves. */
import type { NodeApi } from "../api/node-api.ts";
import type { NodeId } from "../bytes/ids.ts";
import { ProofFault, TransportFault } from "../client/client-fault.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import { NEWEST_VERSION } from "../model/version.ts";
import type { GatewaySettings } from "./gateway-settings.ts";

/** What is reported of management, which is decided where the node is. Source: decision 31 */
export const NOT_HANDED_ON: string =
  "a gateway hands on no management: ask the node from its own host";

/** A node that runs no group: those that it does not serve are unknown to it. */
export function faceOf({ build, groupId, suite }: GatewaySettings): NodeApi {
  const refused = async (): Promise<never> => {
    throw new RpcFault("dynamicGroupForbidden", NOT_HANDED_ON);
  };
  return {
    nodeId: "" as NodeId,
    build,
    chainId: 0,
    supportedVersion: NEWEST_VERSION,
    suite,
    isReady: () => true,
    groupList: () => [groupId],
    group: () => undefined,
    peers: () => [],
    dynamicGroupDisabled: true,
    actAsGroupMember: false,
    manageGroup: refused,
    groupStatus: refused,
  };
}

/** What keeps an answer from being given is told to the caller: it names who said what. */
export function faultFor(cause: unknown): unknown {
  const isOfUpstreams = cause instanceof ProofFault || cause instanceof TransportFault;
  return isOfUpstreams ? new RpcFault("internalError", cause.message) : cause;
}
