/** One way to one node: what sends transactions and calls. */
import type { RpcCall } from "../../../../core/client/transport.ts";
import { faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import type { SignedBytes } from "../../../shared/benchmark/signing.ts";
import type { LaneReceipt } from "../../../shared/benchmark/receipt-watch.ts";

/** A way to a node. */
export interface Lane {
  /** `127.0.0.1:20200`. */
  readonly name: string;
  /** Why the node is not reached; undefined while it is. */
  readonly lost: string | undefined;
  /** The result of a request. @throws NodeFault, TransportFault */
  request(call: RpcCall): Promise<unknown>;
  /** Hands in a transaction; settles with its receipt. @throws NodeFault, TransportFault */
  submit(transaction: SignedBytes): Promise<LaneReceipt>;
  close(): Promise<void>;
}

/** What the system says of a port that nobody has. */
const REFUSED = "connect ECONNREFUSED";

/** Why a node is not reached, without its address: a user who says it names the node. */
export function reasonAt(name: string, cause: unknown): string {
  const text = faultText(cause).replaceAll(`http://${name}`, name).replaceAll(`ws://${name}`, name);
  const why = text.replaceAll(`${name}: `, "").replaceAll(` ${name}`, "");
  return why === REFUSED ? `nothing listens there (${why})` : why;
}

/** The text of a request that hands in a transaction; it is made often, so it is put together. */
export function submitText(groupId: number, id: number, { raw }: SignedBytes): string {
  const hex = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("hex");
  const params = `[${groupId},"0x${hex}"]`;
  return `{"jsonrpc":"2.0","id":${id},"method":"sendRawTransaction","params":${params}}`;
}
