/** What every Network port does; each implementation runs this in its real runtime. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { NodeId } from "../../core/bytes/ids.ts";
import { CLASSES } from "../../core/network/classes.ts";
import type { Incoming, Network } from "../../core/ports/network.ts";

/** Networks that can reach each other, not started yet. */
export interface NetworkField {
  readonly networks: readonly Network[];
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** What one node heard. */
interface Heard {
  readonly messages: Incoming[];
  readonly ups: NodeId[];
  readonly downs: NodeId[];
}

async function startAll(field: NetworkField): Promise<Heard[]> {
  const heard = field.networks.map((): Heard => ({ messages: [], ups: [], downs: [] }));
  for (const [at, network] of field.networks.entries()) await start(network, heard[at]);
  await field.settle();
  return heard;
}

async function start(network: Network, heard: Heard | undefined): Promise<void> {
  assert.ok(heard);
  await network.start({
    message: (message) => heard.messages.push(message),
    peerUp: (peer) => heard.ups.push(peer),
    peerDown: (peer) => heard.downs.push(peer),
  });
}

const numbered = (value: number) => new Uint8Array([value >> 8, value & 255]);
const numberOf = ({ bytes }: Incoming) => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);

/** The suite: pass what opens that many networks of the implementation under test. */
export function networkContract(
  name: string,
  open: (count: number) => Promise<NetworkField>,
): void {
  async function using(count: number, body: (field: NetworkField) => Promise<void>): Promise<void> {
    const field = await open(count);
    try {
      await body(field);
    } finally {
      await field.close();
    }
  }
  const at = (field: NetworkField, index: number): Network => {
    const network = field.networks[index];
    assert.ok(network);
    return network;
  };

  describe(name, () => {
    test("every started node learns of every other once, and lists it as a peer", () =>
      using(4, async (field) => {
        const heard = await startAll(field);
        for (const [index, { ups, downs }] of heard.entries()) {
          const others = field.networks.filter((_, other) => other !== index);
          const expected = others.map(({ self }) => self).sort();
          assert.deepEqual([...ups].sort(), expected);
          assert.deepEqual(downs, []);
          const listed = at(field, index)
            .peers()
            .map(({ nodeId }) => nodeId);
          assert.deepEqual([...listed].sort(), expected);
        }
      }));

    test("a message arrives once, at its receiver alone, with sender, group and class", () =>
      using(3, async (field) => {
        const heard = await startAll(field);
        const bytes = new Uint8Array([1, 2, 3]);
        at(field, 0).send(at(field, 1).self, { groupId: 7, kind: "consensus", bytes });
        await field.settle();
        const [message, ...rest] = heard[1]?.messages ?? [];
        assert.equal(rest.length, 0);
        assert.equal(message?.from, at(field, 0).self);
        assert.equal(message?.groupId, 7);
        assert.equal(message?.kind, "consensus");
        assert.deepEqual([...(message?.bytes ?? [])], [1, 2, 3]);
        assert.equal(heard[0]?.messages.length, 0);
        assert.equal(heard[2]?.messages.length, 0);
      }));

    test("nothing is delivered inside send", () =>
      using(2, async (field) => {
        const heard = await startAll(field);
        at(field, 0).send(at(field, 1).self, { groupId: 1, kind: "blocks", bytes: numbered(1) });
        assert.equal(heard[1]?.messages.length, 0);
        await field.settle();
        assert.equal(heard[1]?.messages.length, 1);
      }));

    test("messages of one peer and class arrive in the order they were sent", () =>
      using(3, async (field) => {
        const heard = await startAll(field);
        const target = at(field, 2).self;
        for (let value = 0; value < 200; value++) {
          for (const kind of CLASSES) {
            at(field, value % 2).send(target, { groupId: 1, kind, bytes: numbered(value) });
          }
        }
        await field.settle();
        assert.equal(heard[2]?.messages.length, 200 * CLASSES.length);
        for (const from of [0, 1]) {
          for (const kind of CLASSES) {
            const got: number[] = (heard[2]?.messages ?? [])
              .filter((m) => m.from === at(field, from).self && m.kind === kind)
              .map(numberOf);
            const sorted: number[] = [...got].sort((a, b) => a - b);
            assert.deepEqual(got, sorted);
            assert.equal(got.length, 100);
          }
        }
      }));

    test("a large message arrives whole", () =>
      using(2, async (field) => {
        const heard = await startAll(field);
        const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index & 255);
        at(field, 0).send(at(field, 1).self, { groupId: 1, kind: "blocks", bytes });
        await field.settle();
        assert.equal(Buffer.compare(heard[1]?.messages[0]?.bytes ?? new Uint8Array(), bytes), 0);
      }));

    test("messages to an unknown peer, to oneself and to a stopped node are dropped silently", () =>
      using(3, async (field) => {
        const heard = await startAll(field);
        const message = { groupId: 1, kind: "consensus", bytes: numbered(1) } as const;
        at(field, 0).send("ab".repeat(64) as NodeId, message);
        at(field, 0).send(at(field, 0).self, message);
        await at(field, 2).stop();
        at(field, 0).send(at(field, 2).self, message);
        await field.settle();
        assert.deepEqual(
          heard.map(({ messages }) => messages.length),
          [0, 0, 0],
        );
      }));

    test("a node that stops is down for its peers, and up again when it starts again", () =>
      using(3, async (field) => {
        const heard = await startAll(field);
        const { self } = at(field, 2);
        await at(field, 2).stop();
        await field.settle();
        assert.deepEqual(heard[0]?.downs, [self]);
        assert.deepEqual(heard[1]?.downs, [self]);
        assert.equal(at(field, 0).peers().length, 1);
        await start(at(field, 2), heard[2]);
        await field.settle();
        assert.equal(heard[0]?.ups.filter((peer) => peer === self).length, 2);
        assert.equal(at(field, 0).peers().length, 2);
        at(field, 2).send(at(field, 0).self, { groupId: 1, kind: "blocks", bytes: numbered(9) });
        await field.settle();
        assert.equal(heard[0]?.messages.length, 1);
      }));

    test("a flood of bulk data does not hold up a vote behind it", () =>
      using(2, async (field) => {
        const heard = await startAll(field);
        const target = at(field, 1).self;
        for (let value = 0; value < 250; value++) {
          const bytes = new Uint8Array(50_000);
          at(field, 0).send(target, { groupId: 1, kind: "blocks", bytes });
        }
        at(field, 0).send(target, { groupId: 1, kind: "consensus", bytes: numbered(1) });
        await field.settle();
        const place = heard[1]?.messages.findIndex(({ kind }) => kind === "consensus") ?? -1;
        assert.ok(place >= 0 && place < 200, `the vote came at place ${place}`);
      }));
  });
}
