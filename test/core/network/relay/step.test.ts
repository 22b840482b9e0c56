/** Passing on: graphs of pure cores, and what a flood leaves behind. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { RelayTuning } from "../../../../core/model/config.ts";
import type { RelayHeader } from "../../../../core/network/relay/header.ts";
import {
  BYTES_A_SECOND,
  createRelay,
  REPEAT_MS,
  type RelayState,
  MESSAGES_A_SECOND,
  MESSAGES_OF_ONE,
} from "../../../../core/network/relay/state.ts";
import {
  isDistant,
  ownHeader,
  type RelayEffect,
  step,
} from "../../../../core/network/relay/step.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

// rules: pbft 11

const BY_LIST: RelayTuning = { ttl: 2, byList: true };
const byTtl = (ttl: number): RelayTuning => ({ ttl, byList: false });
type Cables = readonly (readonly [number, number])[];

const ids = (count: number) => Array.from({ length: count }, (_, index) => nodeIdOfNumber(index));

const ring = (count: number): Cables =>
  Array.from({ length: count }, (_, one) => [one, (one + 1) % count] as const);
const star = (count: number, centre: number): Cables =>
  Array.from({ length: count }, (_, one) => [one, centre] as const).filter(
    ([one]) => one !== centre,
  );

/** What the bounds promise. */
function isBounded({ messages, carried, shares, links, self, sealers }: RelayState): boolean {
  let count = 0;
  for (const [carrier, names] of carried) {
    count += names.size;
    if (names.size > MESSAGES_OF_ONE || (carrier !== self && !links.has(carrier))) return false;
  }
  for (const [carrier, ofCarrier] of shares)
    if (!links.has(carrier) || ofCarrier.size > sealers.size) return false;
  return count === messages.size;
}

/** Cores of sealers with cables between some; messages arrive in the order in which they left. */
class Web {
  readonly nodes: readonly RelayState[];
  /** Copies that each got, by name of the message. */
  readonly copies: Map<string, number>[];
  /** Who heard what. */
  readonly heard: Set<string>[];
  sent = 0;
  now = 0;
  readonly #ids: readonly NodeId[];
  readonly #queue: { readonly from: number; readonly effect: RelayEffect; author: number }[] = [];

  constructor(count: number, cables: Cables, tuning: RelayTuning) {
    this.#ids = ids(count);
    this.nodes = this.#ids.map((id) => createRelay(id, tuning));
    this.copies = this.#ids.map(() => new Map());
    this.heard = this.#ids.map(() => new Set());
    for (const [self, node] of this.nodes.entries()) {
      const near = cables.flatMap((cable) => (cable.includes(self) ? cable : []));
      const connected = [...new Set(near)].filter((one) => one !== self).map((one) => this.id(one));
      step(node, { type: "peers", now: 0, sealers: this.#ids, connected, links: connected });
    }
  }

  id(number: number): NodeId {
    return this.#ids[number] as NodeId;
  }

  node(number: number): RelayState {
    return this.nodes[number] as RelayState;
  }

  /** An own message, of its author for all. */
  send(author: number, id: string, again = false): void {
    const node = this.node(author);
    // Without a header it goes to those with a session all the same.
    if (!ownHeader(node)) for (const to of node.connected) this.#arrive(this.#ids.indexOf(to), id);
    this.#post(author, author, step(node, { type: "send", now: this.now, id, again }));
    this.#run();
  }

  #post(from: number, author: number, effects: readonly RelayEffect[]): void {
    for (const effect of effects) this.#queue.push({ from, effect, author });
  }

  #arrive(number: number, id: string): void {
    this.heard[number]?.add(id);
    const copies = this.copies[number];
    copies?.set(id, (copies.get(id) ?? 0) + 1);
  }

  #run(): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { from, effect, author } = next;
      const { now } = this;
      if (effect.type === "verify") {
        const verified = { type: "verified", now, id: effect.id, author: this.id(author) } as const;
        this.#post(from, author, step(this.node(from), verified));
        continue;
      }
      this.sent++;
      const to = this.#ids.indexOf(effect.to);
      this.#arrive(to, effect.id);
      if (to === author) continue;
      const { id, header } = effect;
      const origin = { from: this.id(from), speaker: this.id(author) };
      const copy = { type: "copy", now, id, ...origin, header, bytes: 100 } as const;
      this.#post(to, author, step(this.node(to), copy));
      assert.ok(isBounded(this.node(to)));
    }
  }

  /** Whether all but the author heard it. */
  isHeardByAll(author: number, id: string): boolean {
    return this.heard.every((heard, number) => number === author || heard.has(id));
  }
}

const GRAPHS: readonly {
  readonly name: string;
  readonly count: number;
  readonly cables: Cables;
  readonly tuning: RelayTuning;
}[] = [
  { name: "a ring of four by list", count: 4, cables: ring(4), tuning: BY_LIST },
  { name: "a ring of four by ttl 2", count: 4, cables: ring(4), tuning: byTtl(2) },
  { name: "a star of four by list", count: 4, cables: star(4, 2), tuning: BY_LIST },
  { name: "a star of four by ttl 2", count: 4, cables: star(4, 2), tuning: byTtl(2) },
  { name: "a ring of seven by list", count: 7, cables: ring(7), tuning: BY_LIST },
  { name: "a ring of seven by ttl 3", count: 7, cables: ring(7), tuning: byTtl(3) },
];
for (const { name, count, cables, tuning } of GRAPHS) {
  test(`in ${name} every sealer hears every other one`, () => {
    const web = new Web(count, cables, tuning);
    for (let author = 0; author < count; author++) {
      web.send(author, `word ${author}`);
      assert.ok(web.isHeardByAll(author, `word ${author}`));
    }
  });
}

test("in a ring of seven two hops reach four of six", () => {
  const web = new Web(7, ring(7), byTtl(2));
  web.send(0, "word");
  assert.equal(web.heard.filter((heard) => heard.has("word")).length, 4);
});

test("where all are connected no list goes along, and nothing is passed on", () => {
  const all = [0, 1, 2, 3].flatMap((one) =>
    [0, 1, 2, 3].filter((it) => it > one).map((it) => [one, it] as const),
  );
  const web = new Web(4, all, BY_LIST);
  web.send(0, "word");
  assert.equal(web.sent, 0);
  assert.ok(web.isHeardByAll(0, "word"));
});

test("in any connected graph all hear it by list, over each cable once at most", () => {
  const graph = fc.integer({ min: 2, max: 9 }).chain((count) =>
    fc.tuple(
      fc.constant(count),
      fc.array(fc.tuple(fc.nat({ max: count - 1 }), fc.nat({ max: count - 1 })), {
        maxLength: 20,
      }),
    ),
  );
  fc.assert(
    fc.property(graph, fc.nat({ max: 8 }), ([count, extra], seed) => {
      const line = Array.from({ length: count - 1 }, (_, one) => [one, one + 1] as const);
      const cables = [...line, ...extra.filter(([one, other]) => one !== other)];
      const web = new Web(count, cables, BY_LIST);
      const author = seed % count;
      web.send(author, "word");
      assert.ok(web.isHeardByAll(author, "word"));
      const degrees = new Set(cables.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]));
      assert.ok(web.sent <= degrees.size);
    }),
  );
});

test("what is reported again soon goes nowhere, and later it goes on again", () => {
  const web = new Web(4, star(4, 2), BY_LIST);
  web.send(0, "word");
  const { sent } = web;
  web.send(0, "word", true);
  assert.equal(web.sent, sent);
  web.now += REPEAT_MS;
  web.send(0, "word", true);
  assert.equal(web.sent, 2 * sent);
});

const CENTRE = { sealers: ids(4), leaf: nodeIdOfNumber(1), other: nodeIdOfNumber(2) };

function centre(): RelayState {
  const state = createRelay(nodeIdOfNumber(0), BY_LIST);
  const connected = [1, 2, 3].map(nodeIdOfNumber);
  step(state, { type: "peers", now: 0, sealers: CENTRE.sealers, connected, links: connected });
  return state;
}

function copy(state: RelayState, id: string, more: Partial<{ now: number; bytes: number }> = {}) {
  const { leaf, other } = CENTRE;
  const header: RelayHeader = { ttl: 1, missing: [other] };
  const word = { type: "copy", id, from: leaf, speaker: leaf, header, now: 0, bytes: 100 } as const;
  return step(state, { ...word, ...more });
}

test("nothing goes on before it is verified, and what is no node's never does", () => {
  const state = centre();
  assert.deepEqual(copy(state, "bad"), [{ type: "verify", id: "bad" }]);
  assert.deepEqual(copy(state, "bad"), []);
  assert.deepEqual(step(state, { type: "verified", now: 1, id: "bad", author: undefined }), []);
  assert.deepEqual(copy(state, "bad"), []);
  copy(state, "good");
  const passed = step(state, { type: "verified", now: 1, id: "good", author: CENTRE.leaf });
  assert.deepEqual(
    passed.map((effect) => effect.type === "send" && effect.to),
    [CENTRE.other],
  );
});

test("a flood of one peer is cut at its share, and others are heard next to it", () => {
  const state = centre();
  let verified = 0;
  for (let second = 0; second < 20; second++)
    for (let at = 0; at < 1_000; at++) {
      verified += copy(state, `${second}/${at}`, { now: second * 1_000 + at / 10 }).length;
      assert.ok(isBounded(state));
    }
  assert.equal(verified, 20 * MESSAGES_A_SECOND);
  assert.ok(state.messages.size <= MESSAGES_OF_ONE);
  assert.ok(state.dropped > 0);
  const { other } = CENTRE;
  const header: RelayHeader = { ttl: 1, missing: [CENTRE.leaf] };
  const honest = { type: "copy", id: "vote", from: other, speaker: other, header } as const;
  assert.equal(step(state, { ...honest, now: 19_100, bytes: 100 }).length, 1);
});

test("large messages are cut by their bytes", () => {
  const state = centre();
  const bytes = BYTES_A_SECOND / 4;
  const taken = ["1", "2", "3", "4", "5"].map((id) => copy(state, id, { bytes }).length);
  assert.deepEqual(taken, [1, 1, 1, 1, 0]);
});

test("what one peer brings in the name of another has a share of its own", () => {
  const state = centre();
  const { leaf, other } = CENTRE;
  const header: RelayHeader = { ttl: 1, missing: [other] };
  for (let at = 0; at < 1_000; at++)
    step(state, {
      type: "copy",
      now: 0,
      id: `old ${at}`,
      from: leaf,
      speaker: nodeIdOfNumber(3),
      header,
      bytes: 100,
    });
  const own = { type: "copy", now: 0, id: "own", from: nodeIdOfNumber(3), bytes: 100 } as const;
  const spoken = { ...own, speaker: nodeIdOfNumber(3), header };
  assert.equal(step(state, spoken).length, 1);
});

test("a peer that is gone leaves nothing behind", () => {
  const state = centre();
  for (let at = 0; at < 50; at++) copy(state, `${at}`);
  const connected = [CENTRE.other];
  step(state, { type: "peers", now: 1, sealers: CENTRE.sealers, connected, links: connected });
  assert.equal(state.messages.size, 0);
  assert.ok(isBounded(state));
  assert.ok(isDistant(state, CENTRE.leaf));
});

test("what is not of a sealer, or comes from no node that passes on, is not taken", () => {
  const state = centre();
  const outsider = nodeIdOfNumber(9);
  const header: RelayHeader = { ttl: 1, missing: [CENTRE.other] };
  const word = { type: "copy", now: 0, id: "word", header, bytes: 1 } as const;
  assert.deepEqual(step(state, { ...word, from: CENTRE.leaf, speaker: outsider }), []);
  assert.deepEqual(step(state, { ...word, from: outsider, speaker: CENTRE.leaf }), []);
});

test("a sealer that passes nothing on is left out of the way", () => {
  const state = createRelay(nodeIdOfNumber(0), BY_LIST);
  const [one, two] = [nodeIdOfNumber(1), nodeIdOfNumber(2)];
  const lists = { sealers: ids(4), connected: [one, two], links: [two] };
  step(state, { type: "peers", now: 0, ...lists });
  const sent = step(state, { type: "send", now: 0, id: "word", again: false });
  assert.deepEqual(
    sent.map((effect) => effect.type === "send" && [effect.to, effect.header.missing]),
    [[two, [nodeIdOfNumber(3)]]],
  );
});
