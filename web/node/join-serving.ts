/** What the node that served this page knows: its genesis, its chain, and roles in it. */
import { encodeCall } from "../../core/abi/encode.ts";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { accountOf } from "../../core/client/account.ts";
import { clientOver } from "../../core/client/create-client.ts";
import type { Block, Hex } from "../../core/client/rpc-objects.ts";
import { formatVersion } from "../../core/model/version.ts";
import type { JoinStartRequest, TabNode } from "../../runtimes/browser/link/api.ts";
import { devAccounts } from "../../runtimes/shared/dev/dev-accounts.ts";
import { webClock, webEntropy } from "../../runtimes/shared/platform/web-platform.ts";
import { type ChainFacts, loadSuite, readFacts } from "../data/chain.ts";
import { type ChainSource, nodeSource, servingNode } from "../data/source.ts";
import { text } from "../texts.ts";

const CONSENSUS: Hex = "0x0000000000000000000000000000000000001003";

/** What joins a chain, as far as its node can tell. */
type ServedChain = Pick<JoinStartRequest, "chainId" | "supportedVersion" | "sm" | "groups">;

async function withSource<T>(
  work: (source: ChainSource, facts: ChainFacts) => Promise<T>,
): Promise<T> {
  const source = nodeSource(servingNode());
  try {
    return await work(source, await readFacts(source));
  } finally {
    await source.close();
  }
}

/** The genesis file of a group and the facts of its chain, checked against block 0. */
export function readServedChain(node: TabNode, groupId: number): Promise<ServedChain> {
  return withSource(async (source, { chainId, version, suiteName }) => {
    const params = [groupId, "0x0", false];
    const block = (await source.request({ method: "getBlockByNumber", params })) as Block;
    const supportedVersion = formatVersion(version);
    const sm = suiteName === "national";
    const { hash, timestamp, extraData } = block;
    const shown = { hash, timestamp, extraData, supportedVersion, sm };
    const genesis = await node.worker.genesisOf(shown);
    if (genesis === undefined) throw new TypeError(text("join.genesis.none"));
    return { chainId: Number(chainId), supportedVersion, sm, groups: [genesis] };
  });
}

/** Joins the development chain that served this page. @throws what the worker says */
export async function joinServingChain(node: TabNode, passphrase: string): Promise<void> {
  const secret = passphrase === "" ? {} : { passphrase };
  const sm = await withSource(async (_, { suiteName }) => suiteName === "national");
  const { publicKey } = await node.worker.joinKey({ sm, ...secret });
  const body = { method: "POST", body: publicKey };
  const answer = await fetch(new URL("join", servingNode()), body);
  const offer = (await answer.json()) as Omit<JoinStartRequest, "kind"> & {
    readonly message?: string;
  };
  if (!answer.ok) throw new TypeError(offer.message ?? answer.statusText);
  await node.start({ kind: "join", ...offer, ...secret });
}

/** What can be made of a node in a group. */
export type RoleChange = "addObserver" | "addSealer" | "remove";

/**
 * Changes the role of a node by a ready-made account of the development chain.
 *
 * @returns the code of the contract (1, or why not), and the account that signed
 */
export function changeRole(
  change: RoleChange,
  nodeId: string,
  groupId: number,
): Promise<{ readonly code: bigint; readonly account: string }> {
  return withSource(async ({ transport }, { suiteName }) => {
    const suite = await loadSuite(suiteName);
    const [developer] = devAccounts(suite);
    if (!developer) throw new TypeError("a development chain has accounts");
    const account = accountOf(developer.privateKey, suite);
    const settings = { transport, groupId, suite, account };
    const client = clientOver(settings, { clock: webClock, entropy: webEntropy });
    const call = encodeCall(`${change}(string)`, [nodeId], suite.hash);
    const data = toPrefixedHex(call) as Hex;
    const { output } = await client.execute({ to: CONSENSUS, data });
    return { code: BigInt.asIntN(256, BigInt(output)), account: account.address };
  });
}
