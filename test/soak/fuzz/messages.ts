/**
 * Messages made from nothing, well-formed for their codec and wrong in what they say: one generator
 * for each codec of the wire.
 */
import fc from "fast-check";
import { hashOf, nodeIdOf } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { encodePeerMessage, type PeerMessage } from "../../../core/channel/amop/peer-message.ts";
import { SEQ_BYTES, withTopic } from "../../../core/channel/frame.ts";
import { encodeRlp, type RlpInput } from "../../../core/bytes/rlp.ts";
import { type PbftCodec, createCodec, createSigner } from "../../../core/consensus/pbft/codec.ts";
import type { Message as PbftMessage, ViewChange } from "../../../core/consensus/pbft/message.ts";
import {
  decodeMessage as decodeRaft,
  encodeMessage as encodeRaft,
} from "../../../core/consensus/raft/codec.ts";
import type { Message as RaftMessage } from "../../../core/consensus/raft/message.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { encodeHeader, type Header } from "../../../core/model/header.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import type { NetworkClass } from "../../../core/network/classes.ts";
import {
  carriedProposal,
  encodeConsensusMessage,
} from "../../../core/node/consensus/consensus-wire.ts";
import { encodeBlockMessage } from "../../../core/sync/block-exchange.ts";
import { encodeHashes, encodeTransactions } from "../../../core/sync/gossip.ts";
import { encodeSyncBlock, encodeSyncMessage } from "../../../core/sync/sync-message.ts";
import type { Recording } from "./recording.ts";

/** A message of a class. */
export interface MadeMessage {
  readonly kind: NetworkClass;
  readonly bytes: Uint8Array;
}

/** What the made messages belong to. */
export interface MessageWorld {
  readonly suite: CryptoSuite;
  readonly recording: Recording;
  /** Hashes of the recorded chain, so that some of what is asked for exists. */
  readonly hashes: readonly Hash[];
}

/** The sealer that lies: one of four may. */
export const BYZANTINE = 1;
const SIGNATURE_BYTES = 65;

const blob = (most: number) => fc.uint8Array({ maxLength: most });
const signature = fc.uint8Array({ minLength: SIGNATURE_BYTES, maxLength: SIGNATURE_BYTES });
const hash32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const small = fc.integer({ min: 0, max: 12 });
const number = fc.oneof(small, small, fc.integer({ min: 0 }), fc.maxSafeNat());
const big = fc.oneof(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 2n ** 63n - 1n));

function hashes(world: MessageWorld): fc.Arbitrary<Hash> {
  const some = hash32.map(hashOf);
  return world.hashes.length > 0 ? fc.oneof(some, fc.constantFrom(...world.hashes)) : some;
}

function nodeIds(world: MessageWorld): fc.Arbitrary<NodeId> {
  const known = world.recording.nodes.map(({ nodeId }) => nodeId);
  const any = fc.uint8Array({ minLength: 64, maxLength: 64 }).map(nodeIdOf);
  return fc.oneof(fc.constantFrom(...known), any);
}

function headers(world: MessageWorld): fc.Arbitrary<Header> {
  const hash = hashes(world);
  return fc.record({
    parentHash: hash,
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    dbHash: hash,
    logsBloom: fc.constant(new Uint8Array(256)),
    number,
    gasLimit: big,
    gasUsed: big,
    timestamp: big,
    extraData: fc.array(blob(20), { maxLength: 3 }),
    sealer: fc.oneof(small, number),
    sealerList: fc.array(nodeIds(world), { maxLength: 6 }),
  });
}

/** Raw transactions: signed ones, RLP of any shape, any bytes. */
function transactions({ suite, recording }: MessageWorld): fc.Arbitrary<Uint8Array> {
  const { groupId } = recording.genesis;
  const key = new Uint8Array(32).fill(9);
  const fields = fc.record({
    nonce: big,
    gasPrice: big,
    gas: big,
    blockLimit: fc.oneof(fc.bigInt(0n, 600n), big),
    to: fc.constant(null),
    value: big,
    input: blob(200),
    chainId: fc.constantFrom(1n, 1n, 2n),
    groupId: fc.constantFrom(BigInt(groupId), BigInt(groupId), 9n),
    extraData: blob(20),
  });
  const signed = fields.map((values) => signTransaction(values, key, suite).raw);
  const { tree } = fc.letrec<{ tree: RlpInput }>((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, blob(40), fc.array(tie("tree"), { maxLength: 12 })),
  }));
  const shaped = fc.array(tree, { minLength: 8, maxLength: 16 }).map((items) => encodeRlp(items));
  return fc.oneof(signed, shaped, blob(60));
}

function transactionMessages(world: MessageWorld): fc.Arbitrary<Uint8Array> {
  const raws = fc.array(transactions(world), { maxLength: 4 });
  return fc.oneof(
    fc
      .tuple(fc.constantFrom("push", "answer"), raws)
      .map(([type, list]) => encodeTransactions(type, list)),
    fc
      .tuple(fc.constantFrom("request", "announce"), fc.array(hashes(world), { maxLength: 40 }))
      .map(([type, list]) => encodeHashes(type, list)),
  );
}

function blockMessages(world: MessageWorld): fc.Arbitrary<Uint8Array> {
  const header = headers(world);
  const raws = fc.array(transactions(world), { maxLength: 3 });
  const seals = fc.array(fc.record({ index: fc.oneof(small, number), signature }), {
    maxLength: 5,
  });
  const block = fc
    .record({ header, seals, transactions: raws })
    .map((parts) => encodeSyncBlock(parts));
  const hash = hashes(world);
  const status = fc.record({ number, genesisHash: hash, latestHash: hash });
  const time = number;
  const voting = fc.integer({ min: 0, max: 300 });
  const voter = fc.record({ number, genesisHash: hash, latestHash: hash, time, voting });
  return fc.oneof(
    hash.map((proposal) => encodeBlockMessage({ type: "requestBody", proposal })),
    fc
      .record({ header, transactions: raws })
      .map((body) => encodeBlockMessage({ type: "body", ...body })),
    fc.oneof(status, voter).map((facts) => encodeSyncMessage({ type: "status", ...facts })),
    fc
      .record({ from: number, count: fc.integer({ min: 0, max: 40 }) })
      .map((range) => encodeSyncMessage({ type: "requestRange", ...range })),
    fc
      .array(
        fc.oneof(
          block,
          blob(60).map((bytes) => encodeRlp([bytes])),
        ),
        { maxLength: 4 },
      )
      .map((blocks) => encodeSyncMessage({ type: "blocks", blocks })),
  );
}

/** A message of PBFT; the Byzantine node signs it properly unless `forged`. */
function pbftMessages(world: MessageWorld, codec: PbftCodec): fc.Arbitrary<Uint8Array> {
  const { suite, recording } = world;
  const byzantine = recording.nodes[BYZANTINE];
  const signer = createSigner(codec, suite, byzantine?.privateKey ?? new Uint8Array(32).fill(1));
  const hash = hashes(world);
  const place = { height: number, view: number, index: fc.integer({ min: 0, max: 5 }), signature };
  const signed = { ...place, signer: fc.constant("" as NodeId) };
  const entry = fc.record({ index: small, signature, signer: fc.constant("" as NodeId) });
  const lock = fc.record({
    view: number,
    proposal: hash,
    executed: hash,
    certificate: fc.array(entry, { maxLength: 5 }),
  });
  const viewChange = fc.record({
    type: fc.constant("viewChange" as const),
    ...signed,
    head: hash,
    lock: fc.option(lock, { nil: undefined }),
  });
  // Those of a justification share height, view and head on the wire.
  const justification = fc.array(viewChange, { maxLength: 4 });
  const vote = { ...signed, proposal: hash, executed: hash };
  const message: fc.Arbitrary<PbftMessage> = fc.oneof(
    fc.record({ type: fc.constant("prepare" as const), ...signed, proposal: hash, justification }),
    fc.record({ type: fc.constant("sign" as const), ...vote }),
    fc.record({
      type: fc.constant("commit" as const),
      ...vote,
      seal: signature,
      sealSigner: fc.constant("" as NodeId),
    }),
    viewChange,
    fc.record({ type: fc.constant("status" as const), ...signed, head: hash, toView: number }),
    fc.record({
      type: fc.constant("viewCertificate" as const),
      height: number,
      view: number,
      justification: fc.array(viewChange, { minLength: 1, maxLength: 4 }),
    }),
  );
  const compact = fc.record({ header: headers(world), hashes: fc.array(hash, { maxLength: 5 }) });
  return fc.tuple(message, compact, fc.boolean()).map(([made, withCompact, isForged]) => {
    const said = isForged ? made : asSaid(made, signer);
    const isPrepare = said.type === "prepare";
    return encodeConsensusMessage(
      { message: said, compact: isPrepare ? withCompact : undefined },
      codec,
    );
  });
}

type Signer = ReturnType<typeof createSigner>;

/** With real signatures of the Byzantine node, nested ones included. */
function asSaid(message: PbftMessage, signer: Signer): PbftMessage {
  switch (message.type) {
    case "viewCertificate":
      return { ...message, justification: allSigned(message.justification, signer) };
    case "prepare": {
      const height = Math.max(1, message.height);
      const justification = allSigned(message.justification, signer);
      const said = { ...message, height, justification };
      return { ...said, signature: signer.sign(said) };
    }
    case "commit": {
      const seal = signer.sign({ type: "seal", executed: message.executed });
      const said = { ...message, seal };
      return { ...said, signature: signer.sign(said) };
    }
    default:
      return { ...message, signature: signer.sign(message) };
  }
}

function allSigned(changes: readonly ViewChange[], signer: Signer): ViewChange[] {
  return changes.map((change) => ({ ...change, signature: signer.sign(change) }));
}

function raftMessages(world: MessageWorld): fc.Arbitrary<Uint8Array> {
  const hash = hashes(world);
  const place = { term: number, height: number, head: hash };
  const stored = fc.option(fc.record({ term: number, proposal: hash }), { nil: undefined });
  const granted = fc.boolean();
  const message: fc.Arbitrary<RaftMessage> = fc.oneof(
    fc.record({ type: fc.constant("preVote" as const), ...place, entryTerm: number }),
    fc.record({ type: fc.constant("vote" as const), ...place, entryTerm: number }),
    fc.record({
      type: fc.constant("preVoteReply" as const),
      ...place,
      asked: number,
      granted,
    }),
    fc.record({ type: fc.constant("voteReply" as const), ...place, granted }),
    fc.record({
      type: fc.constant("append" as const),
      ...place,
      entry: fc.option(hash, { nil: undefined }),
    }),
    fc.record({ type: fc.constant("acknowledgement" as const), ...place, stored }),
  );
  const compact = fc.record({ header: headers(world), hashes: fc.array(hash, { maxLength: 5 }) });
  const codec = { encode: encodeRaft, decode: decodeRaft };
  return fc.tuple(message, compact).map(([made, behind]) => {
    const carries = carriedProposal(made) !== undefined;
    return encodeConsensusMessage({ message: made, compact: carries ? behind : undefined }, codec);
  });
}

const TOPICS = ["t", "own", "", "#!$TopicNeedVerify_a", "#!$VerifyChannel_#!$TopicNeedVerify_a_0"];

/** What peers report of topics; few ids and seqs, so that some are under way. */
function topicMessages(): fc.Arbitrary<Uint8Array> {
  const topic = fc.oneof(fc.constantFrom(...TOPICS), fc.string({ maxLength: 20 }));
  const seq = fc.integer({ min: 0, max: 3 }).map((value) => new Uint8Array(SEQ_BYTES).fill(value));
  const data = fc.oneof(
    fc.tuple(topic, blob(50)).map(([name, content]) => withTopic(name, content)),
    blob(50),
  );
  const id = fc.integer({ min: 0, max: 20 });
  const topicSeq = fc.integer({ min: 0, max: 5 });
  const message: fc.Arbitrary<PeerMessage> = fc.oneof(
    fc.record({
      type: fc.constant("topics" as const),
      topicSeq,
      topics: fc.array(topic, { maxLength: 10 }),
    }),
    fc.record({ type: fc.constant("topicSeq" as const), topicSeq }),
    fc.record({ type: fc.constant("ask" as const) }),
    fc.record({ type: fc.constant("request" as const), id, seq, data }),
    fc.record({
      type: fc.constant("answer" as const),
      id,
      result: fc.constantFrom(0, 100, 101, 104, -1),
      data,
    }),
    fc.record({ type: fc.constant("multicast" as const), seq, data }),
  );
  const wellFormed = message.map(encodePeerMessage);
  return fc.oneof({ weight: 9, arbitrary: wellFormed }, { weight: 1, arbitrary: blob(100) });
}

/** Generators of all classes for a chain. */
export function madeMessages(world: MessageWorld): fc.Arbitrary<MadeMessage> {
  const { suite, recording } = world;
  const { groupId, consensusType } = recording.genesis;
  const of = (kind: NetworkClass, bytes: fc.Arbitrary<Uint8Array>) =>
    bytes.map((made): MadeMessage => ({ kind, bytes: made }));
  const codec = createCodec({ suite, chainId: 1, groupId });
  const consensus = consensusType === "raft" ? raftMessages(world) : pbftMessages(world, codec);
  const header = headers(world).map((fields) => encodeHeader(fields));
  return fc.oneof(
    { weight: 8, arbitrary: of("consensus", consensus) },
    { weight: 6, arbitrary: of("transactions", transactionMessages(world)) },
    { weight: 8, arbitrary: of("blocks", blockMessages(world)) },
    { weight: 5, arbitrary: of("topics", topicMessages()) },
    // Bytes of one class in another.
    { weight: 1, arbitrary: of("blocks", fc.oneof(consensus, header)) },
    { weight: 1, arbitrary: of("consensus", blockMessages(world)) },
  );
}
