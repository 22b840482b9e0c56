/** Every operation as a method of the client: typed, with the group filled in. */
import type { Signal } from "./platform.ts";
import type { Block, Hex, Transaction } from "./rpc-objects.ts";
import { type NumberText, RPC_PARAMS, type RpcSchema } from "./rpc-schema.ts";
import type { Transport } from "./transport.ts";

/** Name of an operation. */
export type RpcMethod = keyof RpcSchema;

/** Sends one request as the interface has it: all parameters, the group among them. */
export type TypedRequest = <Method extends RpcMethod>(
  method: Method,
  params: RpcSchema[Method]["params"],
  signal?: Signal,
) => Promise<RpcSchema[Method]["result"]>;

type WithoutGroup<Params extends readonly unknown[]> = Params extends readonly [
  groupID: number,
  ...rest: infer Rest,
]
  ? Rest
  : Params;

/** Operations whose result depends on a flag have their own types below. */
type Flagged = "getBlockByHash" | "getBlockByNumber";
/** Nodes have them only where they can notify; a client subscribes through its transport. */
type Notifying = "subscribe" | "unsubscribe";

type PlainMethods = {
  readonly [Method in Exclude<RpcMethod, Flagged | Notifying | "rpc.discover">]: (
    ...params: WithoutGroup<RpcSchema[Method]["params"]>
  ) => Promise<RpcSchema[Method]["result"]>;
};

/** A block, with whole transactions or with their hashes. Source: interface 2.2 */
interface BlockWith<Item> extends Omit<Block, "transactions"> {
  readonly transactions: readonly Item[];
}

/** What the flag decides about the transactions of a block. */
export type BlockOf<Whole extends boolean> = Whole extends true
  ? BlockWith<Transaction>
  : BlockWith<Hex>;

/** The operations, named as on the wire; the group of the client is the first parameter. */
export interface RpcMethods extends PlainMethods {
  /** Block of a hash. */
  getBlockByHash<const Whole extends boolean>(
    blockHash: string,
    includeTransactions: Whole,
  ): Promise<BlockOf<Whole>>;
  /** Block of a number. */
  getBlockByNumber<const Whole extends boolean>(
    blockNumber: NumberText,
    includeTransactions: Whole,
  ): Promise<BlockOf<Whole>>;
}

/** Numbers that the interface wants as text. */
function onTheWire(method: RpcMethod, params: readonly unknown[]): readonly unknown[] {
  const kinds: readonly string[] = RPC_PARAMS[method];
  return params.map((value, index) =>
    kinds[index] === "number" && typeof value !== "string" ? String(value) : value,
  );
}

/** Requests over a transport with the types of the schema. */
export function typedRequest(transport: Transport): TypedRequest {
  return (method, params, signal) =>
    transport.request({ method, params: onTheWire(method, params) }, signal) as Promise<
      RpcSchema[typeof method]["result"]
    >;
}

/** The methods over requests. */
export function rpcMethods(request: TypedRequest, groupId: number): RpcMethods {
  const names = Object.keys(RPC_PARAMS) as RpcMethod[];
  const entries = names.map((name) => {
    const kinds: readonly string[] = RPC_PARAMS[name];
    const head = kinds[0] === "group" ? [groupId] : [];
    const method = (...params: readonly unknown[]): Promise<unknown> =>
      request(name, [...head, ...params] as never);
    return [name, method] as const;
  });
  return Object.fromEntries(entries) as unknown as RpcMethods;
}
