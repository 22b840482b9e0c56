/**
 * What any page of the origin can load as `bridge.js`: the node of this browser, with the worker
 * from the folder where this script lies.
 */
import type { TabNode } from "./link/api.ts";
import { type ConnectOptions, connectTabNode as connect } from "./link/connect.ts";

/** As `connectTabNode` of connect.ts. */
export function connectTabNode(options: ConnectOptions = {}): Promise<TabNode> {
  return connect({ base: new URL(".", import.meta.url), ...options });
}
