/** The block that a gateway is told to trust, or may ask for where nobody stands in between. */
import { namesOf, shownUrls } from "../../../core/gateway/upstream-names.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";
import type { Hex } from "../../../core/client/rpc-objects.ts";
import type { TrustedBlock } from "../../../core/gateway/follower.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import { readTrusted } from "../../shared/gateway/gateway-app.ts";
import { ask } from "../client/json-rpc.ts";

/** Which chain a gateway is for. */
export interface ChainChoice {
  readonly upstream: readonly string[];
  /** `NUMBER:HASH`; asked for on the own host when absent. */
  readonly trust?: string | undefined;
  readonly group: number;
}

/** Hosts whose programs are this user's own affair. */
const OWN_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Whether only programs of this host reach an address. */
export function isOwnHost(host: string): boolean {
  return OWN_HOST.test(host) || host === "::1";
}

function isOnOwnHost(url: string): boolean {
  return URL.canParse(url) && isOwnHost(new URL(url).hostname);
}

function argumentFault(text: string): FolderFault {
  return new FolderFault("argument", text);
}

/** The faults of settings are those of arguments. */
export function ofArgument(cause: unknown): unknown {
  return cause instanceof UsageFault ? argumentFault(cause.message) : cause;
}

function asArgument<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw ofArgument(cause);
  }
}

/** What the upstreams answer that answer at all. */
async function answersOf(
  upstream: readonly string[],
  method: string,
  params: readonly unknown[],
): Promise<readonly unknown[]> {
  const told = await Promise.allSettled(upstream.map((url) => ask(url, method, params)));
  return told.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
}

/**
 * A block that all who answer deny is a slip of a caller that typed it. Where nobody answers the
 * gateway starts all the same: its upstreams may start later.
 * @throws FolderFault
 */
async function requireKnown(
  { upstream, group }: ChainChoice,
  { number, hash }: TrustedBlock,
): Promise<void> {
  const hashes = await answersOf(upstream, "getBlockHashByNumber", [group, String(number)]);
  if (hashes.length === 0 || hashes.includes(hash)) return;
  throw new FolderFault(
    "mismatch",
    `--trust ${number}:${hash} is not of this chain: block ${number} of the upstreams is ` +
      `${[...new Set(hashes)].join(" or ")}`,
  );
}

const NATIONAL = /gm/i;

/** @throws FolderFault when all upstreams that answer are of the other suite */
export async function requireSuite(upstream: readonly string[], sm: boolean): Promise<void> {
  const told = await answersOf(upstream, "getClientVersion", []);
  const areNational = told.map((it) =>
    NATIONAL.test(String((it as Readonly<Record<string, unknown>>)["FISCO-BCOS Version"])),
  );
  if (areNational.length === 0 || areNational.includes(sm)) return;
  const text = sm
    ? "--sm is for chains of SM2 and SM3: the upstreams are of secp256k1 and Keccak-256"
    : "the upstreams are a chain of SM2 and SM3: give --sm";
  throw new FolderFault("mismatch", text);
}

/** Those of the upstreams that answer, and the hash of their first block. @throws FolderFault */
async function firstBlockOf({ upstream, group }: ChainChoice): Promise<Hex> {
  const told = await Promise.allSettled(
    upstream.map((url) => ask(url, "getBlockHashByNumber", [group, "0"])),
  );
  const hashes = told.flatMap((it) => (it.status === "fulfilled" ? [String(it.value)] : []));
  const [hash] = hashes;
  if (hash === undefined) {
    const shown = shownUrls(upstream);
    const [failed] = told.flatMap((it, i) =>
      it.status === "rejected"
        ? [reasonOf(it.reason).replaceAll(upstream[i] ?? "", shown[i] ?? "")]
        : [],
    );
    throw new FolderFault("missing", failed ?? "no upstream was given");
  }
  if (hashes.every((other) => other === hash)) return hash as Hex;
  throw new FolderFault("mismatch", "the upstreams are of different chains: give --trust");
}

/**
 * The block that is trusted. Upstreams are asked for it only where all of them run on this host: a
 * gateway that asked others whom to trust would trust the first dishonest node.
 * @throws FolderFault
 */
export async function trustedBlock(choice: ChainChoice): Promise<TrustedBlock> {
  const { trust, upstream } = choice;
  if (trust !== undefined) {
    const trusted = asArgument(() => readTrusted(trust));
    asArgument(() => namesOf(upstream));
    await requireKnown(choice, trusted);
    return trusted;
  }
  asArgument(() => namesOf(upstream));
  if (upstream.every(isOnOwnHost)) return { number: 0, hash: await firstBlockOf(choice) };
  throw argumentFault(
    "--trust NUMBER:HASH is wanted for upstreams on other hosts: the block that the gateway " +
      "begins with, such as 0 and its hash. Ask a node that you run yourself for it, with " +
      "getBlockHashByNumber",
  );
}
