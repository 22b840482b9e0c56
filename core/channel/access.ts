/**
 * Which SDK may ask which group for what, and how often. Rules may be replaced at any time.
 * Source: channel-protocol 6, 10
 */
import type { GroupId } from "../bytes/ids.ts";
import { methodFault } from "../fault/rpc-fault.ts";
import type { Turned } from "../rpc/dispatch.ts";
import { type Json, isObject } from "../rpc/json.ts";
import { GROUP_ID } from "../rpc/params.ts";
import { METHODS } from "../rpc/registry.ts";
import { createBucket, takeOne, type TokenBucket } from "../limits/token-bucket.ts";

/** What is set for one group. */
export interface GroupRules {
  /** Identities of SDKs, 128 hex digits; empty admits all. */
  readonly allowlist: readonly string[];
  /** Undefined is unlimited. */
  readonly requestsPerSecond: number | undefined;
}

/** What is set for a node. */
export interface AccessRules {
  /** Undefined is unlimited. */
  readonly requestsPerSecond: number | undefined;
  /** Groups without an entry admit all. */
  readonly groups: ReadonlyMap<GroupId, GroupRules>;
}

/** No list, no limit. */
export const OPEN_ACCESS: AccessRules = { requestsPerSecond: undefined, groups: new Map() };

/** Is never refused, but counts. Source: channel-protocol 10 */
const EXEMPT = "getClientVersion";

/**
 * Methods whose first parameter names the group; that of generateGroup is not there yet.
 * Source: channel-protocol 6
 */
const METHODS_OF_GROUPS: ReadonlySet<string> = new Set(
  METHODS.filter(({ name, params }) => params[0] === GROUP_ID && name !== "generateGroup").map(
    ({ name }) => name,
  ),
);

const WHOLE_NUMBER = /^[+-]?\d{1,10}$/;

/** The group that a request is about; undefined for one without. Source: channel-protocol 6 */
export function groupOfRequest(request: Json): GroupId | undefined {
  if (!isObject(request)) return undefined;
  const { method, params } = request;
  if (typeof method !== "string" || !METHODS_OF_GROUPS.has(method)) return undefined;
  const first: Json | undefined = Array.isArray(params)
    ? (params as readonly Json[])[0]
    : undefined;
  if (typeof first === "number") return Number.isInteger(first) ? first : undefined;
  return typeof first === "string" && WHOLE_NUMBER.test(first) ? Number(first) : undefined;
}

function methodOf(request: Json): string {
  const method = isObject(request) ? request["method"] : undefined;
  return typeof method === "string" ? method : "";
}

interface GroupGate {
  readonly allowed: ReadonlySet<string>;
  readonly limiter: TokenBucket | undefined;
}

/** Lists and limiters in force. A class because limiters have a state. */
export class AccessControl {
  #node: TokenBucket | undefined;
  #groups: ReadonlyMap<GroupId, GroupGate> = new Map();

  constructor(rules: AccessRules, now: number) {
    this.replace(rules, now);
  }

  /** Other rules from now on; a limit that stays keeps what it has stored. */
  replace({ requestsPerSecond, groups }: AccessRules, now: number): void {
    const before = this.#groups;
    this.#node = renewed(this.#node, requestsPerSecond, now);
    this.#groups = new Map(
      [...groups].map(([groupId, rules]): [GroupId, GroupGate] => {
        const limiter = renewed(before.get(groupId)?.limiter, rules.requestsPerSecond, now);
        return [groupId, { allowed: new Set(rules.allowlist), limiter }];
      }),
    );
  }

  /** Whether the group admits the SDK; one without identity is admitted everywhere. */
  mayAccess(sdkId: string, groupId: GroupId): boolean {
    const allowed = this.#groups.get(groupId)?.allowed;
    return sdkId === "" || allowed === undefined || allowed.size === 0 || allowed.has(sdkId);
  }

  /**
   * Why a request is not examined: -40012 with a null id, -40011 with its own.
   * Source: channel-protocol 6 (order of checks), 10
   */
  turn(request: Json, sdkId: string, now: number): Turned | undefined {
    const groupId = groupOfRequest(request);
    const method = methodOf(request);
    if (groupId !== undefined && !this.mayAccess(sdkId, groupId)) {
      return { fault: methodFault("sdkNotAllowed", method), echoesId: false };
    }
    const gate = groupId === undefined ? undefined : this.#groups.get(groupId);
    const passes = passesLimit(this.#node, now) && passesLimit(gate?.limiter, now);
    if (passes || method === EXEMPT) return undefined;
    return { fault: methodFault("overQpsLimit", method), echoesId: true };
  }
}

function passesLimit(limiter: TokenBucket | undefined, now: number): boolean {
  return limiter === undefined || takeOne(limiter, now);
}

function renewed(
  limiter: TokenBucket | undefined,
  perSecond: number | undefined,
  now: number,
): TokenBucket | undefined {
  if (perSecond === undefined) return undefined;
  return limiter?.ratePerSecond === perSecond ? limiter : createBucket(perSecond, now);
}
