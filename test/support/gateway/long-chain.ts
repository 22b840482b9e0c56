/** A chain whose headers are made when they are asked for: as long as is wanted. */
import { fromHex } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { quantity } from "../../../core/bytes/quantity.ts";
import type { SendPost } from "../../../core/client/http-transport.ts";
import type { BlockHeader } from "../../../core/client/rpc-objects.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { genesisHeader } from "../../../core/model/genesis.ts";
import { type Header, headerHash } from "../../../core/model/header.ts";
import { presentHeader } from "../../../core/rpc/present.ts";
import { idsOf, keyOf } from "../client/trail-chain.ts";

/** How long, and from which block on a fifth sealer is among them. */
export interface LongPlan {
  readonly length: number;
  readonly changedAt: number;
}

/** The chain behind any URL. */
export interface LongChain {
  header(number: number): BlockHeader;
  readonly send: SendPost;
  /** How many headers were asked for. */
  asked(): number;
}

const VERSION = {
  "Chain Id": "1",
  "FISCO-BCOS Version": "2.12.0",
  "Supported Version": "2.12.0",
};

/** On each side of the change. */
const TIED_BLOCKS = 4;

/** The chain. Parents are tied to where a trail examines them: at its ends and at the change. */
export function longChain(suite: CryptoSuite, { length, changedAt }: LongPlan): LongChain {
  const mark = idsOf("abcd", suite).map((id) => `${id},`);
  const genesis = genesisHeader(`1-${mark.join("")}-pbft-storage-0-1-1-3`, 1_600_000_000_000n);
  const namesAt = (number: number): string => (number < changedAt ? "abcd" : "abcde");
  const modelAt = (number: number): Header => {
    if (number === 0) return genesis;
    const isTied = number === 1 || Math.abs(number - changedAt) < TIED_BLOCKS;
    const parent = isTied ? headerHash(modelAt(number - 1), suite) : `0x${"5".repeat(64)}`;
    const sealerList = [...idsOf(namesAt(number), suite)].sort();
    return { ...genesis, number, extraData: [], parentHash: parent as Hash, sealerList };
  };
  const header = (number: number): BlockHeader => {
    const model = modelAt(number);
    const hash = headerHash(model, suite);
    const signers = number === 0 ? [] : [..."abcd"];
    const ids = idsOf(signers.join(""), suite);
    const seals = signers.map((name, i) => ({
      index: ids[i] === undefined ? 0 : model.sealerList.indexOf(ids[i]),
      signature: suite.sign(fromHex(hash) ?? new Uint8Array(0), keyOf(name, suite)),
    }));
    return presentHeader({ header: model, hash, seals }, true) as unknown as BlockHeader;
  };
  let asked = 0;
  const answer = ({ method, params }: { method: string; params: readonly unknown[] }): unknown => {
    if (method === "getBlockNumber") return quantity(length);
    if (method === "getClientVersion") return VERSION;
    if (method === "getNodeInfo") return {};
    if (method === "getBlockHashByNumber") return header(Number(params[1])).hash;
    asked++;
    return header(Number(params[1]));
  };
  const send: SendPost = async ({ body }) => {
    const told: unknown = JSON.parse(body);
    const one = (call: { id: unknown; method: string; params: readonly unknown[] }) => ({
      jsonrpc: "2.0",
      id: call.id,
      result: answer(call),
    });
    const result = Array.isArray(told) ? told.map(one) : one(told as Parameters<typeof one>[0]);
    return { status: 200, body: JSON.stringify(result) };
  };
  return { header, send, asked: () => asked };
}
