/** What a node opens to other hosts, in words. Source: decision 31 */
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { note, type Verdict, warning } from "./verdict.ts";

/** An address that only this host reaches. */
export const LOOPBACK = /^(127\.|::1$|localhost$)/;

const MANAGERS: Readonly<Record<NodeConfig["rpc"]["management"]["mode"], string>> = {
  local: "callers of this host change",
  token: "holders of the token change",
  open: "everybody changes",
};

/** A sentence without its full stop; undefined when other hosts do not reach JSON-RPC. */
export function openingText({ rpc }: NodeConfig): string | undefined {
  if (LOOPBACK.test(rpc.jsonrpc.ip)) return undefined;
  const managers = MANAGERS[rpc.management.mode];
  const what = rpc.disableDynamicGroup ? "peers" : "groups and peers";
  return `other hosts reach JSON-RPC: everybody reads and submits, ${managers} ${what}`;
}

/** Whether more is open than an operator may mean. */
export function checkOpening(config: NodeConfig): readonly Verdict[] {
  const says = openingText(config);
  if (says === undefined) return [];
  if (config.rpc.management.mode !== "open") return [note("open", says)];
  const next = "Set [rpc] management to local or token, or jsonrpc_listen_ip to 127.0.0.1.";
  return [warning("open", says, next)];
}
