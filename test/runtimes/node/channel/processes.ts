/** Cases that want nodes in processes of their own. Source: channel-protocol 3.1, 8.1, 8.2 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type FolderPlace, RSA_NODE } from "../../../support/channel/channel-folder-place.ts";
import {
  HEAD_BYTES,
  frameBytes,
  newSeq,
  topicData,
  TYPE,
} from "../../../support/channel/channel-frames.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { type RowCase, rowsOf } from "./row-case.ts";
import { untilShown } from "./topics.ts";

const LARGEST_FRAME = 104_857_600;
const UNKNOWN_TYPE = 0x0099;
const PIECE = Buffer.alloc(1024 * 1024);

/** The cases; after the last one, one node less is there. */
export const PROCESS_CASES: readonly RowCase<Visit<FolderPlace>>[] = [
  {
    rows: ["8.1 step 3", "8.1 step 5", "8.2 text 1", "7.1 text 1"],
    test: "unicasts and multicasts go from node to node, both ways",
    run: async (visit) => {
      const [first, second] = [await visit.open(0), await visit.open(1)];
      const clients = [
        { client: first, topic: newSeq(), nodeId: visit.node(0).nodeId },
        { client: second, topic: newSeq(), nodeId: visit.node(1).nodeId },
      ] as const;
      for (const { client, topic } of clients) client.send(TYPE.topics, JSON.stringify([topic]));
      const [near, far] = clients;
      await untilShown(first, [far.nodeId, far.topic]);
      await untilShown(second, [near.nodeId, near.topic]);
      for (const [sender, receiver] of [
        [near, far],
        [far, near],
      ] as const) {
        const data = topicData(receiver.topic, "to one");
        const seq = sender.client.send(TYPE.amopRequest, data);
        assert.deepEqual((await receiver.client.taken(TYPE.amopRequest, seq)).data, data);
        const answer = topicData(receiver.topic, "heard");
        receiver.client.send(TYPE.amopResponse, answer, { seq });
        const { result, data: heard } = await sender.client.taken(TYPE.amopResponse, seq);
        assert.deepEqual([result, heard], [0, answer]);
        const all = sender.client.send(TYPE.multicast, data);
        assert.deepEqual((await receiver.client.taken(TYPE.multicast, all)).data, data);
        assert.equal((await sender.client.taken(TYPE.amopResponse, all)).result, 0);
      }
      await first.servesWhileAbstaining();
    },
  },
  {
    rows: rowsOf("3.1", 2),
    test: "a frame of exactly 100 MiB is taken, and the next one answered",
    run: async (visit) => {
      const client = await visit.open();
      const head = frameBytes(UNKNOWN_TYPE, "", newSeq());
      head.writeUInt32BE(LARGEST_FRAME, 0);
      await client.sendBytes(head);
      for (let left = LARGEST_FRAME - HEAD_BYTES; left > 0; left -= PIECE.length) {
        const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
        if (!client.socket.write(piece)) await once(client.socket, "drain");
      }
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: ["8.1 step 3"],
    test: "when the node of a subscriber goes away, the next node is asked",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const nodes = [1, RSA_NODE];
      const receivers = await Promise.all(nodes.map((node) => visit.open(node)));
      for (const [index, receiver] of receivers.entries()) {
        receiver.send(TYPE.topics, JSON.stringify([topic]));
        await untilShown(sender, [visit.node(nodes[index] ?? 0).nodeId, topic]);
      }
      const seq = sender.send(TYPE.amopRequest, topicData(topic, "x"));
      const asked = receivers.map((receiver) => receiver.taken(TYPE.amopRequest, seq));
      const first = await Promise.race(asked.map((it, index) => it.then(() => index)));
      await visit.place.processes[nodes[first] ?? 0]?.end("SIGTERM");
      await asked[1 - first];
      receivers[1 - first]?.send(TYPE.amopResponse, topicData(topic, "me"), { seq });
      const { result, data } = await sender.taken(TYPE.amopResponse, seq);
      assert.deepEqual([result, data], [0, topicData(topic, "me")]);
    },
  },
];
