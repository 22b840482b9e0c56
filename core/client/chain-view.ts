/** What a client has to know of a chain to sign for it: asked once, the height again and again. */
import type { CryptoSuite } from "../crypto/suite.ts";
import { NEWEST_VERSION, parseVersion, type Version } from "../model/version.ts";
import type { Clock } from "../ports/clock.ts";
import { TransportFault, UsageFault } from "./client-fault.ts";
import type { RpcMethod, TypedRequest } from "./rpc-methods.ts";

/** What never changes. */
export interface ChainFacts {
  readonly chainId: bigint;
  /** The compatibility version: which form receipts have. Source: interface 9 */
  readonly version: Version;
}

/** A chain as a client sees it. */
export interface ChainView {
  /**
   * @throws UsageFault when the chain is of the other suite than the client; TransportFault also
   *   when what comes has another form
   */
  facts(): Promise<ChainFacts>;
  /** The block limit of a new transaction. @throws TransportFault as {@link facts} does */
  blockLimit(): Promise<bigint>;
  /** The height has passed this: a block was seen, or a transaction was refused for its limit. */
  sawHeight(number: bigint | undefined): void;
}

/** How far above the head a block limit is; 1,000 is the most. Source: tx-block-codec 2.4 */
const LIMIT_AHEAD = 500n;
/** A height is used this long: 500 blocks take longer on any chain. */
const HEIGHT_AGE_MS = 5_000;

/** Of a chain of the national suite, behind the version. Source: sm-suite 1 */
const NATIONAL = /\bgm$/i;

interface ChainViewParts {
  readonly request: TypedRequest;
  readonly groupId: number;
  readonly suite: CryptoSuite;
  readonly clock: Clock;
}

function noAnswer(method: RpcMethod): TransportFault {
  return new TransportFault(`what came is no answer to ${method}`);
}

/** Decimal digits of 256 bits, or a quantity. */
const NUMBER = /^(\d{1,78}|0x[0-9a-f]{1,64})$/i;

/** A number as nodes report it: a text, or a number. @throws TransportFault when it is neither */
export function toldNumber(told: unknown, method: RpcMethod): bigint {
  const isNumber = Number.isSafeInteger(told) && (told as number) >= 0;
  const isText = typeof told === "string" && NUMBER.test(told);
  if (isNumber || isText) return BigInt(told as number | string);
  throw noAnswer(method);
}

async function askFacts({ request, suite }: ChainViewParts): Promise<ChainFacts> {
  const method = "getClientVersion";
  const answer: unknown = await request(method, []);
  const told = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = told[name] ?? "";
    if (typeof value === "string") return value;
    throw noAnswer(method);
  };
  const chainId = toldNumber(told["Chain Id"], method);
  const supported = text("Supported Version").replace(/ ?gm$/i, "");
  const found = NATIONAL.test(text("FISCO-BCOS Version")) ? "national" : "standard";
  if (found !== suite.name) {
    const should = found === "national" ? "nationalSuite" : "standardSuite";
    throw new UsageFault(`the chain is of the ${found} suite: give the client ${should}`);
  }
  return { chainId, version: parseVersion(supported) ?? NEWEST_VERSION };
}

/** A view of a chain. */
export function createChainView(parts: ChainViewParts): ChainView {
  const { request, groupId, clock } = parts;
  let facts: Promise<ChainFacts> | undefined;
  let height: { readonly number: bigint; readonly at: number } | undefined;
  return {
    async facts() {
      facts ??= askFacts(parts);
      const asked = facts;
      try {
        return await asked;
      } catch (cause) {
        // A node that could not be reached is asked again by the next caller.
        if (facts === asked) facts = undefined;
        throw cause;
      }
    },
    async blockLimit() {
      if (height === undefined || clock.steady() - height.at >= HEIGHT_AGE_MS) {
        const number = toldNumber(await request("getBlockNumber", [groupId]), "getBlockNumber");
        height = { number, at: clock.steady() };
      }
      return height.number + LIMIT_AHEAD;
    },
    sawHeight(number) {
      height = number === undefined ? undefined : { number, at: clock.steady() };
    },
  };
}
