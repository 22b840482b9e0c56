/**
 * What an operation is: its descriptor, and the checks that many operations begin with.
 * Source: rpc-semantics 4
 */
import type { Hash } from "../bytes/ids.ts";
import { RpcFault, type RpcFaultName } from "../fault/rpc-fault.ts";
import type { Version } from "../model/version.ts";
import { version } from "../model/version.ts";
import type { GroupApi, NodeApi, SubmitRefusal } from "../api/node-api.ts";
import type { Json } from "./json.ts";
import type { Asker } from "../ports/asker.ts";
import type { LedgerApi } from "../ports/ledger.ts";
import type { Pace } from "../limits/pace.ts";
import { GROUP_ID, type Param } from "./params.ts";
import type { Schema } from "./schema.ts";

/** A connection over which receipts of submitted transactions are pushed. */
export interface Submissions {
  /** Whether a refusal by the pool is pushed too; the caller is told the hash then. */
  readonly pushesRefusals: boolean;
  /** The pool took a transaction: its fate is to be pushed. */
  admitted(transaction: Submitted): void;
  /** Only when refusals are pushed. */
  refused(refusal: SubmitRefusal): void;
}

/** A transaction whose receipt is awaited. */
export interface Submitted {
  readonly group: GroupApi;
  readonly hash: Hash;
  /** Whether its receipt is wanted with proofs. */
  readonly withProof: boolean;
}

/** Who asks what. */
export interface Call {
  readonly node: NodeApi;
  /** The connection that asks; absent within the process. */
  readonly asker?: Asker | undefined;
  /** Absent where nothing is pushed. Source: channel-protocol 6.1 */
  readonly submissions?: Submissions | undefined;
  /** Asked between pieces of long work; absent where nobody else needs a turn. */
  readonly pace?: Pace | undefined;
}

/** JSON values of the parameters, by position. */
export type ValuesOf<Params extends readonly Param[]> = {
  readonly [Index in keyof Params]: Params[Index] extends Param<infer Value> ? Value : never;
};

/** What is reported of an operation next to the code. */
export interface About {
  readonly name: string;
  readonly summary: string;
  readonly result: { readonly name: string; readonly schema: Schema };
  /** Errors of the method body beyond those of its kind. */
  readonly errors: readonly RpcFaultName[];
  /** The answer may have many megabytes: it is made in turns, after those that are asked before. */
  readonly isLong?: true;
  /** It changes the chain or the node: web pages of other origins may not. Source: decision 24 */
  readonly changes?: true;
  /** It changes groups or peers of the node, so it changes. Source: decision 31 */
  readonly manages?: true;
}

/**
 * An operation. Methods without parameters ignore the content of `params`.
 * Source: rpc-semantics 2.4
 */
export interface Method extends About {
  readonly params: readonly Param[];
  /** How many parameters at the end may be absent; they are null then. */
  readonly optional?: number;
  /** The values fit the parameters. @throws RpcFault for errors of step 11 */
  readonly run: (call: Call, values: readonly Json[]) => Json | Promise<Json>;
}

/** An operation as it is written down: with the types of its values. */
type Typed<Params extends readonly Param[]> = Omit<Method, "params" | "run"> & {
  readonly params: Params;
  readonly run: (call: Call, values: ValuesOf<Params>) => Json | Promise<Json>;
};

/**
 * Ties the types of the values to the parameters. The dispatcher has tested the values against
 * them.
 */
export function defineMethod<const Params extends readonly Param[]>(method: Typed<Params>): Method {
  return { ...method, run: (call, values) => method.run(call, values as ValuesOf<Params>) };
}

const RUNNING_ERRORS: readonly RpcFaultName[] = ["notReady", "groupUnknown"];
/** Errors of every method that asks a group of which the node is a member. */
export const MEMBER_ERRORS: readonly RpcFaultName[] = [...RUNNING_ERRORS, "notInGroup"];

/** Step 1: the groups are loaded. @throws RpcFault -40010 */
export function requireReady(node: NodeApi): void {
  if (!node.isReady()) throw new RpcFault("notReady");
}

/** Steps 1 and 2: the group runs here. @throws RpcFault -40010, -40001; -32603 when it failed */
export function requireRunning(node: NodeApi, groupId: number): GroupApi {
  requireReady(node);
  const group = node.group(groupId);
  if (group !== undefined) return group;
  const halt = node.groupHalt?.(groupId);
  throw halt === undefined ? new RpcFault("groupUnknown") : new RpcFault("internalError", halt);
}

/** Step 3: the node is sealer or observer of the group. @throws RpcFault -40009 */
export function requireMembership(node: NodeApi, group: GroupApi): void {
  if (!group.isMember() && !node.actAsGroupMember) throw new RpcFault("notInGroup");
}

/** Steps 1 to 3. @throws RpcFault -40010, -40001, -40009 */
export function requireMember(node: NodeApi, groupId: number): GroupApi {
  const group = requireRunning(node, groupId);
  requireMembership(node, group);
  return group;
}

/**
 * As {@link requireMember}, for blocks: a group that has failed still gives those that prove
 * themselves. @throws RpcFault -40010, -40001, -40009; -32603 when it failed
 * Source: decision 30
 */
function requireBlocks(node: NodeApi, groupId: number): LedgerApi {
  requireReady(node);
  const proven = node.group(groupId) === undefined ? node.provenBlocks?.(groupId) : undefined;
  return proven ?? requireMember(node, groupId).ledger;
}

/** First version with proofs and group management. Source: interface 9 */
export const DYNAMIC_GROUP_VERSION: Version = version(2, 2, 0);

/** The version gate. @throws RpcFault -40009 with the method's name. Source: decision 13 */
export function requireVersion(node: NodeApi, name: string): void {
  if (node.supportedVersion >= DYNAMIC_GROUP_VERSION) return;
  throw new RpcFault("notInGroup", `method ${name} not support this version`);
}

/** An operation without arguments that asks the node once its groups are loaded. */
export function readyMethod(
  method: Omit<Method, "errors" | "run"> & { readonly run: (node: NodeApi) => Json },
): Method {
  const run = ({ node }: Call) => {
    requireReady(node);
    return method.run(node);
  };
  return { ...method, errors: ["notReady"], run };
}

/** Without the group, which is the first parameter, and the errors of its checks. */
type OfGroup<Subject, Params extends readonly Param[]> = Omit<About, "errors"> & {
  readonly params?: Params;
  readonly errors?: readonly RpcFaultName[];
  readonly run: (subject: Subject, values: ValuesOf<Params>, call: Call) => Json | Promise<Json>;
};

/** How operations on a group are written down that begin with the same checks. */
function ofGroup<Subject>(
  errors: readonly RpcFaultName[],
  subjectOf: (node: NodeApi, groupId: number) => Subject,
) {
  return <const Params extends readonly Param[] = []>(method: OfGroup<Subject, Params>): Method =>
    defineMethod({
      ...method,
      params: [GROUP_ID, ...(method.params ?? [])],
      errors: [...errors, ...(method.errors ?? [])],
      run: (call, [groupId, ...values]) =>
        method.run(subjectOf(call.node, groupId), values as ValuesOf<Params>, call),
    });
}

/** An operation on a group that runs here. */
export const runningMethod = ofGroup(RUNNING_ERRORS, requireRunning);
/** An operation on a group of which the node is a member. */
export const memberMethod = ofGroup(MEMBER_ERRORS, requireMember);
/** An operation on blocks, see {@link requireBlocks}. */
export const blocksMethod = ofGroup(MEMBER_ERRORS, requireBlocks);
