/** Checks that addPeers and erasePeers share, and what they answer. Source: node-network 5 */
import { GROUP_CODE } from "../fault/group-code.ts";
import type { GroupOperationResult, PeerList } from "../api/node-api.ts";
import type { Json } from "./json.ts";
import { type Call, defineMethod, type Method, requireReady } from "./method.ts";
import type { Param } from "./params.ts";
import { presentOperation } from "./present-status.ts";
import { reference } from "./schema.ts";

const ENDPOINT_PATTERN = "^(\\[[0-9a-fA-F:.]+\\]|[^\\s:/\\[\\]]+):[0-9]{1,5}$";

/** Addresses; what is wrong with them is an outcome with code 0x7, not an error. */
const ENDPOINTS: Param = {
  name: "addresses",
  description: "Addresses of peers, host:port or [IPv6]:port",
  schema: { type: "array", items: { type: "string", pattern: ENDPOINT_PATTERN }, minItems: 1 },
  fits: (value): value is Json => value !== undefined,
};

function refused(code: number, message: string): GroupOperationResult {
  return { code, message };
}

/** The addresses, or what is wrong with the first wrong one; positions count from 1. */
function readEndpoints(peers: PeerList, raw: Json): readonly string[] | GroupOperationResult {
  const { INTERNAL_ERROR, INVALID_PARAMS } = GROUP_CODE;
  if (!Array.isArray(raw))
    return refused(INVALID_PARAMS, "invalid params field, not array format json");
  const values: readonly Json[] = raw;
  if (values.length === 0)
    return refused(INVALID_PARAMS, "failed for empty host list, expect at least one peer");
  const { paramLimit } = peers;
  if (values.length > paramLimit) {
    const text = `refused for too many param peers. peers_param_limit: ${paramLimit}`;
    return refused(INTERNAL_ERROR, text);
  }
  const wrong = values.findIndex((value) => typeof value !== "string" || !peers.isEndpoint(value));
  if (wrong >= 0) return refused(INVALID_PARAMS, `invalid peer at position ${wrong + 1}`);
  return values.filter((value) => typeof value === "string");
}

async function managePeers(
  { node }: Call,
  operation: "add" | "erase",
  raw: Json,
): Promise<GroupOperationResult> {
  requireReady(node);
  const peers = node.peerList;
  if (!peers) return refused(GROUP_CODE.INTERNAL_ERROR, "the peers of this node cannot be changed");
  const endpoints = readEndpoints(peers, raw);
  return "code" in endpoints ? endpoints : peers[operation](endpoints);
}

/**
 * Adds or erases configured peers; the outcome is a code and a message. @throws RpcFault -40010
 * Source: node-network 5
 */
export function peersMethod(name: string, summary: string, operation: "add" | "erase"): Method {
  return defineMethod({
    name,
    summary,
    params: [ENDPOINTS],
    result: { name: "outcome", schema: reference("GroupOperation") },
    errors: ["notReady"],
    changes: true,
    manages: true,
    run: async (call, [addresses]) =>
      presentOperation(await managePeers(call, operation, addresses)),
  });
}
