/** What hostile clients of the SDK port do to one node: each row by its name. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { sdkTlsOptions } from "../support/channel/channel-client.ts";
import { frameBytes, newSeq, topicData, TYPE } from "../support/channel/channel-frames.ts";
import type { Target } from "./hostile-attackers.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** Sessions with half a frame each. */
const HALF_SESSIONS = 300;
const LONGEST_DATA = 90 * MIB;
/** A client that is not read waits so. */
const UNSENT = 4 * MIB;
const TOPICS = 1_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function files({ sdk }: Target) {
  const file = (name: string) => readFileSync(join(sdk, name), "utf8");
  return { ca: file("ca.crt"), cert: file("sdk.crt"), key: file("sdk.key") };
}

/** Keeps so many sessions open, and uses each. */
async function sessions(target: Target, count: number, use: (socket: TLSSocket) => void) {
  const options = { ...sdkTlsOptions(files(target)), host: "127.0.0.1", port: target.channelPort };
  let open = 0;
  for (;;) {
    while (open < count) {
      const socket = connect(options);
      open++;
      socket.on("error", () => undefined);
      socket.once("close", () => open--);
      await Promise.race([once(socket, "secureConnect"), once(socket, "close")]).catch(() => []);
      if (!socket.destroyed) use(socket);
      await pause(2);
    }
    await pause(100);
  }
}

/** Sends again and again, as fast as the node reads; what it answers is read or not. */
function flooding(next: () => Buffer, isRead: boolean): (socket: TLSSocket) => void {
  return (socket) => {
    if (isRead) socket.resume();
    else socket.pause();
    const timer = setInterval(() => {
      while (socket.writableLength < UNSENT && !socket.destroyed) socket.write(next());
    }, 10);
    socket.once("close", () => clearInterval(timer));
  };
}

const rpc = (method: string, params: readonly unknown[]): Buffer =>
  frameBytes(TYPE.rpc, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), newSeq());

const repeated = (frame: () => Buffer, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, frame));

/** The beginning of a frame that claims to be as long as one may be. */
function halfFrame(bytes: number): Buffer {
  const frame = frameBytes(TYPE.rpc, new Uint8Array(bytes), newSeq());
  frame.writeUInt32BE(LONGEST_DATA, 0);
  return frame;
}

let lists = 0;
const topicList = (): string =>
  JSON.stringify(Array.from({ length: TOPICS }, (_, i) => `topic ${i} of ${lists++ % 7}`));

const longRequest = (): Buffer => rpc("none", ["x".repeat(60 * MIB)]);

/** As long as a registration may be, from the first block on. */
function filterOf(index: number): Buffer {
  const addresses = Array.from(
    { length: 38 },
    (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`,
  );
  const range = { fromBlock: "1", toBlock: "latest", groupID: "1", topics: [] };
  return topicData("", JSON.stringify({ ...range, filterID: `${index}`, addresses }));
}

/** All rows. */
export const CHANNEL_ROWS: Readonly<
  Record<string, (target: Target) => readonly Promise<unknown>[]>
> = {
  "channel-half": (it) => [
    sessions(it, HALF_SESSIONS, (socket) => {
      socket.resume();
      socket.write(halfFrame(512 * KIB));
    }),
    sessions(it, 3, (socket) => {
      socket.resume();
      socket.write(halfFrame(80 * MIB));
    }),
  ],
  "channel-unread": (it) => [
    sessions(
      it,
      4,
      flooding(() => rpc("getTransactionReceipt", [1, it.longReceipt]), false),
    ),
    sessions(
      it,
      4,
      flooding(() => rpc("getBlockByNumber", [1, "1", true]), false),
    ),
  ],
  "channel-blocks": (it) => [
    sessions(
      it,
      40,
      flooding(() => repeated(() => rpc("getBlockByNumber", [1, "0x20", true]), 100), false),
    ),
  ],
  "channel-receipts": (it) => [
    sessions(it, 2, (socket) => {
      const ask = () => socket.write(rpc("getTransactionReceipt", [1, it.longReceipt]));
      socket.on("data", () => undefined);
      const timer = setInterval(ask, 500);
      socket.once("close", () => clearInterval(timer));
    }),
  ],
  "channel-topics": (it) => [
    sessions(
      it,
      4,
      flooding(() => frameBytes(TYPE.topics, topicList(), newSeq()), true),
    ),
  ],
  "channel-small": (it) => [
    sessions(
      it,
      2,
      flooding(() => repeated(() => frameBytes(TYPE.heartbeat, "0", newSeq()), 100), true),
    ),
    sessions(
      it,
      2,
      flooding(() => repeated(() => frameBytes(0x7777, "", newSeq()), 100), true),
    ),
    sessions(
      it,
      2,
      flooding(() => repeated(() => rpc("getBlockNumber", [1]), 100), false),
    ),
  ],
  "channel-amop": (it) => [
    sessions(it, 50, (socket) => {
      // They listen and never read.
      socket.write(frameBytes(TYPE.topics, '["flood"]', newSeq()));
      socket.pause();
    }),
    sessions(
      it,
      2,
      flooding(
        () => frameBytes(TYPE.multicast, topicData("flood", "x".repeat(100_000)), newSeq()),
        true,
      ),
    ),
    sessions(
      it,
      2,
      flooding(
        () => frameBytes(TYPE.amopRequest, topicData("flood", "x".repeat(100)), newSeq()),
        true,
      ),
    ),
  ],
  "channel-gone-bodies": (it) => [
    sessions(it, 6, (socket) => {
      socket.on("data", () => undefined);
      socket.write(longRequest(), () => setTimeout(() => socket.destroy(), 50));
    }),
  ],
  "channel-filters": (it) => [
    sessions(it, 30, (socket) => {
      socket.resume();
      for (let i = 0; i < 256; i++) socket.write(frameBytes(TYPE.register, filterOf(i), newSeq()));
    }),
  ],
  "channel-strangers": (it) => [
    sessions(it, 20, (socket) => void socket.destroy()),
    sessions(it, 20, (socket) => void socket.destroy()),
  ],
};
