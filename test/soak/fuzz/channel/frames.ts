/** Frames that some client might send, most of them wrong somewhere. */
import { bytesOf } from "../../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { encodeFrame, MESSAGE_TYPE, withTopic } from "../../../../core/channel/frame.ts";
import { METHODS } from "../../../../core/rpc/registry.ts";
import type { Random } from "../../../simulation/random.ts";

const TYPES = Object.values(MESSAGE_TYPE);
const TOPICS = [
  "",
  "a",
  "_block_notify_1",
  "#!$TopicNeedVerify_x",
  "#!$PushChannel_#!$TopicNeedVerify_x",
  `#!$VerifyChannel_#!$TopicNeedVerify_x_${"0".repeat(32)}`,
  "é".repeat(127),
];
const VALUES: readonly unknown[] = [
  1,
  "1",
  0,
  -1,
  2 ** 53,
  1.5,
  "latest",
  "0x",
  "0x1",
  "",
  null,
  true,
  [],
  {},
  "x".repeat(300),
  `0x${"0".repeat(64)}`,
  `0x${"1".repeat(40)}`,
  [null, ["0x"]],
];
const TEXTS = ["{", "[", "null", "5", '"', "{}", "[]", "[[[[", "\u0000", '{"a":1'];
const NAMES = METHODS.map(({ name }) => name);
const SEQ_BYTES = 32;
const MOST_NOISE = 300;

function noise(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: random.below(most) }, () => random.below(256));
}

function some(random: Random, most: number): unknown[] {
  return Array.from({ length: random.below(most + 1) }, () => random.pick(VALUES));
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}

function request(random: Random): unknown {
  // What stops the group would end the run, not the node.
  const names = NAMES.filter((name) => !/Group$|Peers$/.test(name) || name.startsWith("get"));
  const params = random.chance(0.7) ? [1, ...some(random, 3)] : some(random, 4);
  const method = random.chance(0.9) ? random.pick(names) : random.pick(VALUES);
  const whole = { jsonrpc: "2.0", id: random.pick(VALUES), method, params };
  return random.chance(0.9) ? whole : { method, params: random.pick(VALUES) };
}

function filter(random: Random): unknown {
  const given: Record<string, unknown> = {
    filterID: `f${random.below(50)}`,
    groupID: "1",
    fromBlock: random.pick(["1", "latest", "0x1"]),
    toBlock: random.pick(["latest", "2", "9"]),
    addresses: [],
    topics: [],
  };
  const names = Object.keys(given);
  if (random.chance(0.5)) given[random.pick(names)] = random.pick(VALUES);
  if (random.chance(0.1)) delete given[random.pick(names)];
  return given;
}

function topicStatus(random: Random): unknown {
  return {
    checkResult: random.pick(VALUES),
    nodeId: random.pick(VALUES),
    topic: random.pick(TOPICS),
  };
}

/** What belongs into a frame of this type. */
function contentOf(type: number, random: Random): Uint8Array {
  switch (type) {
    case MESSAGE_TYPE.rpc:
      return json(random.chance(0.1) ? [request(random), request(random)] : request(random));
    case MESSAGE_TYPE.handshake:
      return json({
        minimumSupport: random.pick([1, 1, 1, 2, ...some(random, 1)]),
        maximumSupport: random.pick([1, 2, 3, 9, ...some(random, 1)]),
        clientType: random.pick(VALUES),
      });
    case MESSAGE_TYPE.heartbeat:
      return bytesOf(random.pick(["0", "1", "", '{"heartBeat":0}']));
    case MESSAGE_TYPE.topics:
      return json(random.chance(0.7) ? [random.pick(TOPICS)] : some(random, 3));
    case MESSAGE_TYPE.eventRegister:
    case MESSAGE_TYPE.eventUnregister:
      return withTopic("", json(filter(random)));
    case MESSAGE_TYPE.topicStatus:
      return json(topicStatus(random));
    default:
      return withTopic(random.pick(TOPICS), noise(random, MOST_NOISE));
  }
}

function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  const dice = random.next();
  if (dice < 0.2) return bytes.slice(0, random.below(bytes.length + 1));
  if (dice < 0.3) return concatBytes(bytes, noise(random, MOST_NOISE));
  if (dice < 0.4) return bytesOf(random.pick(TEXTS));
  const changed = bytes.slice();
  const changes = 1 + random.below(4);
  for (let i = 0; i < changes && changed.length > 0; i++)
    changed[random.below(changed.length)] = random.below(256);
  return changed;
}

/** A frame whose length is right. */
export function someFrame(random: Random): Uint8Array {
  const type = random.chance(0.95) ? random.pick(TYPES) : random.below(0x1_0000);
  const content = contentOf(type, random);
  const dice = random.next();
  const data = dice < 0.5 ? content : dice < 0.9 ? damaged(content, random) : noise(random, 300);
  const seq = new Uint8Array(SEQ_BYTES).map(() => 0x30 + random.below(random.chance(0.5) ? 1 : 10));
  return encodeFrame({ type, seq, result: random.pick([0, 0, 0, 7, -1]), data });
}

/** A frame whose length cannot be: the node must end the connection. */
export function brokenFrame(random: Random): Uint8Array {
  const bytes = someFrame(random);
  const length = random.pick([0, 1, 41, 104_857_601, 0xffff_ffff, 0x8000_0000]);
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, length);
  return bytes;
}
