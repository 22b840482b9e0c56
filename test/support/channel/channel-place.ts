/** Chains whose channel ports are tested, the clients that visit them, and their transactions. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ChannelAddress,
  ChannelClient,
  requestText,
  type SdkFiles,
  type SessionOptions,
} from "./channel-client.ts";
import { TYPE } from "./channel-frames.ts";
import { type DevProcess, freePorts, type Ready, startDev } from "../process/dev-chain-process.ts";
import { type Level, type Receipt, type Signed, sign, type Wanted } from "./outside-client.ts";

/** A node with a channel port. */
export interface PlaceNode {
  readonly channel: ChannelAddress;
  /** URL of its RPC port. */
  readonly rpc: string;
  readonly nodeId: string;
}

/** What may be chosen of a transaction. */
export type Call = Partial<Omit<Wanted, "privateKey">>;

/** A receipt as it is pushed; proofs are there when they were asked for. */
export interface PushedReceipt extends Receipt {
  readonly statusMsg: string;
  readonly txProof?: readonly Level[];
  readonly receiptProof?: readonly Level[];
}

/** So long, or a little less, a node waits for the end of a handshake. */
const HANDSHAKE_LIMIT_MS = 9_000;
const VALID_BLOCKS = 500n;
/** Runtime code: logs two words of the call data as topics. */
const EMITTER = "60203560003560006000a200";
/** Creation code of the emitter. */
export const EMITTER_CREATION = `0x600c600c600039600c6000f3${EMITTER}`;

/** Where cases run: some nodes and an account that may send. */
export interface ChannelPlace {
  readonly nodes: readonly PlaceNode[];
  readonly privateKey: string;
}

/** One case's stay at a place: what it opens is closed with it. */
export class Visit<Place extends ChannelPlace = ChannelPlace> {
  readonly place: Place;
  readonly #clients: ChannelClient[] = [];

  constructor(place: Place) {
    this.place = place;
  }

  get nodes(): readonly PlaceNode[] {
    return this.place.nodes;
  }

  /** Opens a session with a node. */
  open(node = 0, options: SessionOptions = {}): Promise<ChannelClient> {
    return this.openAt(this.node(node).channel, options);
  }

  /** Opens a session with other files than the place's own. */
  async openAt(address: ChannelAddress, options: SessionOptions = {}): Promise<ChannelClient> {
    const started = performance.now();
    const open = () => ChannelClient.open(address, options);
    const client = await open().catch((cause: unknown) => {
      // A machine with too much to do was slower than the limit of a handshake.
      if (performance.now() - started < HANDSHAKE_LIMIT_MS) throw cause;
      return open();
    });
    this.#clients.push(client);
    return client;
  }

  node(index: number): PlaceNode {
    const node = this.nodes[index];
    assert.ok(node);
    return node;
  }

  /** Signs a transaction that the node of a session takes. */
  async signed(client: ChannelClient, call: Call = {}): Promise<Signed> {
    const blockLimit = call.blockLimit ?? (await this.#lastBlock(client, call.groupId));
    return sign({
      privateKey: this.place.privateKey,
      nonce: BigInt(`0x${randomBytes(16).toString("hex")}`),
      blockLimit,
      data: "0x",
      ...call,
    });
  }

  /** Sends a transaction and waits for the receipt that the node pushes. */
  async transact(
    client: ChannelClient,
    call: Call,
    method = "sendRawTransaction",
  ): Promise<PushedReceipt> {
    const { raw, hash } = await this.signed(client, call);
    const groupId = Number(call.groupId ?? 1n);
    const seq = client.send(TYPE.rpc, requestText(method, [groupId, raw]));
    const answer = await client.taken(TYPE.rpc, seq);
    assert.deepEqual(JSON.parse(answer.data.toString()), { id: 1, jsonrpc: "2.0", result: hash });
    const { data } = await client.taken(TYPE.receiptPush, seq);
    return JSON.parse(data.toString()) as PushedReceipt;
  }

  /** Creates a contract; gives its address. */
  async deploy(client: ChannelClient, call: Call = {}): Promise<string> {
    const creation = { data: EMITTER_CREATION, ...call };
    const { status, contractAddress } = await this.transact(client, creation);
    assert.equal(status, "0x0");
    return contractAddress;
  }

  async #lastBlock(client: ChannelClient, groupId = 1n): Promise<bigint> {
    return BigInt(await client.result<string>("getBlockNumber", Number(groupId))) + VALID_BLOCKS;
  }

  /** Closes every session. */
  async end(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

/** What the line of `chain-node dev --json` says of channel ports. */
interface ChannelReady extends Ready {
  readonly channel: readonly string[];
  readonly sdk: string;
}

/** The three files of a folder for SDKs. */
export function sdkFilesOf(folder: string): SdkFiles {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return { ca: read("ca.crt"), cert: read("sdk.crt"), key: read("sdk.key") };
}

/** The parts of `host:port`. */
export function addressOf(text: string, sdk: SdkFiles): ChannelAddress {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)), sdk };
}

/** A dev chain whose channel ports are open. */
export interface DevPlace extends ChannelPlace {
  readonly process: DevProcess;
}

/** Starts `chain-node dev` with channel ports on free ports. */
export async function startDevPlace(nodes: number, ...args: readonly string[]): Promise<DevPlace> {
  const port = await freePorts(nodes);
  const channel = ["--ephemeral", "--channel-port", `${port}`];
  const process = await startDev(nodes, ...channel, ...args);
  const ready = process.ready as ChannelReady;
  const sdk = sdkFilesOf(ready.sdk);
  const [account] = ready.accounts;
  assert.ok(account);
  return {
    process,
    privateKey: account.privateKey,
    nodes: ready.channel.map((text, index) => ({
      channel: addressOf(text, sdk),
      rpc: ready.rpc[index] ?? "",
      nodeId: ready.nodeIds[index] ?? "",
    })),
  };
}
