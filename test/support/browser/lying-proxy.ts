/**
 * A server between a browser and a node, which changes answers on their way. It changes whatever
 * methods tell of a thing, so that the answers agree with each other and only proofs can tell.
 */
import { createServer, request as ask, type Server } from "node:http";
import { fromHex } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { BlockHeader } from "../../../core/client/rpc-objects.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { headerHash } from "../../../core/model/header.ts";
import { portsInRow } from "../process/ports.ts";

/** What it can lie about. */
export const LIES = ["transaction", "receipt", "block", "sealers", "code"] as const;
/** One of these, or a block that nobody signed and whose fields give its hash. */
export type Lie = (typeof LIES)[number] | "unsealed";

/** Digits that are in no true answer, as the page shows them shortened. */
const FALSE_DIGITS: Readonly<Record<Lie, string>> = {
  transaction: "bad0",
  receipt: "bad1",
  block: "bad2",
  sealers: "bad3",
  code: "bad4",
  unsealed: "bad5",
};
const digits = (lie: Lie, count: number) => FALSE_DIGITS[lie].repeat(count / 4);

/** By which a false value is found in what a page shows. */
export const FALSE_TEXTS: Readonly<Record<Lie, readonly string[]>> = {
  transaction: [digits("transaction", 8), "7,777,777"],
  receipt: [digits("receipt", 8), "8,888,888"],
  block: [digits("block", 8), " 2001"],
  sealers: [digits("sealers", 8)],
  code: [digits("code", 8), "4444 bytes"],
  unsealed: [digits("unsealed", 8)],
};

/** As a gateway reports that it has proven an answer: anybody can. */
const FORGED_LABEL = "certificate; height=1; sealers=0,1,2";
const TIME_OF_2001 = 1_000_000_000_000;
const hex = (count: number) => `0x${count.toString(16)}`;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Changes an object when it is one, and each of a list. */
function changed(value: unknown, change: (members: Members) => Members): unknown {
  if (Array.isArray(value)) return value.map((item) => changed(item, change));
  return isObject(value) ? change(value) : value;
}

const ofTransaction = (told: Members): Members => ({
  ...told,
  from: `0x${digits("transaction", 40)}`,
  value: hex(7_777_777),
});

/** Of the one that failed too: it says that it went well. */
const ofReceipt = (told: Members): Members => ({
  ...told,
  contractAddress: `0x${digits("receipt", 40)}`,
  gasUsed: hex(8_888_888),
  output: `0x${digits("receipt", 64)}`,
  status: "0x0",
  statusMsg: "None",
});

const ofHeader = (told: Members): Members => ({
  ...told,
  stateRoot: `0x${digits("block", 64)}`,
  timestamp: hex(TIME_OF_2001),
});

const bytes = (text: string) => fromHex(text) ?? new Uint8Array(0);

/** The hash that the fields of a told header give. */
function hashOf({ gasLimit, gasUsed, timestamp, ...told }: BlockHeader): string {
  const header = {
    parentHash: told.parentHash as Hash,
    stateRoot: told.stateRoot as Hash,
    transactionsRoot: told.transactionsRoot as Hash,
    receiptsRoot: told.receiptsRoot as Hash,
    dbHash: told.dbHash as Hash,
    logsBloom: bytes(told.logsBloom),
    number: Number(told.number),
    gasLimit: BigInt(gasLimit),
    gasUsed: BigInt(gasUsed),
    timestamp: BigInt(timestamp),
    extraData: told.extraData.map(bytes),
    sealer: Number(told.sealer),
    sealerList: told.sealerList as readonly NodeId[],
  };
  return headerHash(header, createStandardSuite());
}

const ofUnsealed = (told: Members): Members => {
  const changes = { stateRoot: `0x${digits("unsealed", 64)}`, signatureList: [] };
  const hash = hashOf({ ...told, ...changes } as unknown as BlockHeader);
  const placed = changed(told["transactions"], (it) => ({ ...it, blockHash: hash }));
  return { ...told, ...changes, hash, ...(placed ? { transactions: placed } : {}) };
};

/** Another one in the place of the first. */
const ofSealers = ([, ...others]: readonly unknown[]) => [digits("sealers", 128), ...others];

type Change = (result: unknown) => unknown;

/** What each lie makes of the results of a method. */
const CHANGES: Readonly<Record<Lie, Readonly<Record<string, Change>>>> = {
  transaction: {
    getTransactionByHash: (it) => changed(it, ofTransaction),
    getTransactionByHashWithProof: (it) =>
      changed(it, (told) => ({
        ...told,
        transaction: changed(told["transaction"], ofTransaction),
      })),
    getBlockByNumber: (it) =>
      changed(it, (told) => ({
        ...told,
        transactions: changed(told["transactions"], ofTransaction),
      })),
  },
  receipt: {
    getTransactionReceipt: (it) => changed(it, ofReceipt),
    getTransactionReceiptByHashWithProof: (it) =>
      changed(it, (told) => ({
        ...told,
        transactionReceipt: changed(told["transactionReceipt"], ofReceipt),
      })),
    getBatchReceiptsByBlockNumberAndRange: (it) =>
      changed(it, (told) => ({
        ...told,
        transactionReceipts: changed(told["transactionReceipts"], ofReceipt),
      })),
  },
  block: {
    getBlockByNumber: (it) => changed(it, ofHeader),
    getBlockHeaderByNumber: (it) => changed(it, ofHeader),
  },
  sealers: {
    getSealerList: (it) => ofSealers(it as readonly unknown[]),
    getConsensusStatus: (it) =>
      (it as readonly unknown[]).map((part, i) =>
        i === 0 ? { ...(part as Members), "sealer.0": digits("sealers", 128) } : part,
      ),
  },
  code: { getCode: () => `0x${digits("code", 2 * 4_444)}` },
  unsealed: {
    getBlockByNumber: (it) => changed(it, ofUnsealed),
    getBlockHeaderByNumber: (it) => changed(it, ofUnsealed),
  },
};

/** The proxy. */
export interface LyingProxy {
  readonly base: string;
  /** From now on it lies about these, and about nothing else. */
  lieAbout(lies: readonly Lie[]): void;
  /** How many answers it has changed since. */
  readonly changed: number;
  close(): Promise<void>;
}

interface Call {
  readonly method?: string;
}

/** Starts one before the RPC port of a node; it has no web sockets. */
export async function startLyingProxy(upstream: string): Promise<LyingProxy> {
  let lies: readonly Lie[] = [];
  let count = 0;
  const change = (asked: string, answer: Buffer): Buffer => {
    const { method = "" } = (asked === "" ? {} : JSON.parse(asked)) as Call;
    const changes = lies.flatMap((lie) => CHANGES[lie][method] ?? []);
    const told = changes.length === 0 ? {} : (JSON.parse(answer.toString()) as Members);
    if (told["result"] === undefined) return answer;
    count += 1;
    const result = changes.reduce<unknown>((value, it) => it(value), told["result"]);
    return Buffer.from(JSON.stringify({ ...told, result }));
  };
  const { host } = new URL(upstream);
  const server: Server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { origin: _, "accept-encoding": __, ...headers } = incoming.headers;
    const { method } = incoming;
    const url = new URL(incoming.url ?? "/", upstream);
    const forwarded = ask(url, { method, headers: { ...headers, host } }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      const answer = change(method === "POST" ? body.toString() : "", Buffer.concat(parts));
      const { "content-length": ___, "transfer-encoding": ____, ...rest } = response.headers;
      const forged = lies.length > 0 ? { "x-chain-node-proof": FORGED_LABEL } : {};
      const told = { ...rest, ...forged, "content-length": answer.length };
      outgoing.writeHead(response.statusCode ?? 502, told);
      outgoing.end(answer);
    });
    forwarded.on("error", () => outgoing.destroy());
    forwarded.end(body);
  });
  // It has no web sockets: who asks for one hears so at once.
  server.on("upgrade", (_request, socket) => socket.destroy());
  const port = await portsInRow(1);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${port}`,
    lieAbout(wanted) {
      lies = wanted;
      count = 0;
    },
    get changed() {
      return count;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
