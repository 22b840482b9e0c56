/** What a group of four nodes owes when links lose traffic, whatever its consensus. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../../support/process/node-processes.ts";
import {
  type Consensus,
  requireReceipts,
  requireSameChain,
  send,
  sendAndSee,
  specialIndex,
  untilConnected,
  untilInVain,
} from "../../../support/process/process-checks.ts";
import { cutInto, type GraphName, untilGraph } from "../../../support/process/graphs.ts";
import { countTimeouts } from "../../../support/process/group-clients.ts";
import { between, deaf, type Direction, type Links, mute } from "../../../support/process/proxy.ts";

const LIMIT_MS = 240_000;
/** In one of this many stretches of blocks no view times out. */
const STRETCHES = 10;
const PAUSE_MS = 100;

/** Four nodes behind proxies; a class because the tests of a group share one chain. */
class CutChain {
  readonly chain: ProcessChain;
  readonly links: Links;
  readonly nodes: readonly NodeProcess[];

  constructor(chain: ProcessChain) {
    assert.ok(chain.links);
    this.chain = chain;
    this.links = chain.links;
    this.nodes = chain.nodes;
  }

  static async start(consensus: Consensus): Promise<CutChain> {
    const groups = `1:${consensus}`;
    const chain = await initProcessChain({
      nodes: 4,
      groups,
      linked: true,
      hosted: true,
      metrics: true,
      pauseMs: PAUSE_MS,
    });
    await Promise.all(chain.nodes.map((node) => node.start()));
    await untilConnected(chain.nodes);
    return new CutChain(chain);
  }

  /** The node that is cut off, a leader if there is a lasting one, and the others. */
  async choose() {
    const index = await specialIndex(this.nodes);
    const others = [0, 1, 2, 3].filter((other) => other !== index);
    const [alone] = this.some([index]);
    assert.ok(alone);
    return { index, others, alone, three: this.some(others) };
  }

  some(indexes: readonly number[]): NodeProcess[] {
    return indexes.flatMap((index) => this.nodes[index] ?? []);
  }

  /** Everything works again: what was sent is on all nodes, and a new transaction too. */
  async requireHealed(hashes: readonly string[], least: number): Promise<void> {
    this.links.heal();
    await requireReceipts(hashes, this.nodes);
    const { alone } = await this.choose();
    await sendAndSee(alone, this.nodes);
    await requireSameChain(this.nodes, least + 1);
  }

  /** Sends some transactions through nodes in turn; each is on all of them. */
  async requireProgress(able: readonly NodeProcess[]): Promise<void> {
    for (let i = 0; i < 4; i++) {
      const through = able[i % able.length];
      assert.ok(through);
      await sendAndSee(through, able);
    }
  }
}

interface OneWay {
  readonly name: string;
  /** What is lost, when one node is chosen. */
  readonly cut: (chosen: number, others: readonly number[]) => Direction[];
  /** How many of the others go on. */
  readonly goOn: number;
  /** Whether the chosen one gets no block. */
  readonly stays: boolean;
}

const ONE_WAY: readonly OneWay[] = [
  { name: "nobody hears one node", cut: mute, goOn: 3, stays: false },
  { name: "one node hears nobody", cut: deaf, goOn: 3, stays: true },
  {
    name: "one node does not hear one other",
    cut: (chosen, others) => mute(chosen, others.slice(2)),
    goOn: 2,
    stays: false,
  },
];

/** Declares the tests: all of them, those without one-way loss, or that of two halves. */
export function testCuts(consensus: Consensus, which: "all" | "both ways" | "halves"): void {
  let chain: CutChain;
  beforeAll(async () => {
    chain = await CutChain.start(consensus);
  });
  afterAll(() => chain?.chain.close());

  const name = "neither half of a split makes a block, and both go on together after it";
  test(name, async () => {
    const { nodes, links } = chain;
    const head = await untilEqual(nodes, 0, LIMIT_MS);
    links.cut(between([0, 1], [2, 3]));
    const hashes = await Promise.all(nodes.map((node) => send(node)));
    await untilInVain(nodes);
    const heads = await Promise.all(nodes.map((node) => node.blockNumber()));
    assert.deepEqual(heads, [head, head, head, head]);
    await chain.requireHealed(hashes, head);
  });

  if (which === "halves") return;
  test("three go on without the fourth, which catches up", async () => {
    const { nodes, links } = chain;
    const head = await untilEqual(nodes, 1, LIMIT_MS);
    const { index, others, alone, three } = await chain.choose();
    links.cut(between([index], others));
    const hash = await send(alone);
    await chain.requireProgress(three);
    assert.equal(await alone.blockNumber(), head);
    await chain.requireHealed([hash], head + 4);
  });

  const isPassedOn = consensus === "pbft";
  const graphs: readonly GraphName[] = which === "all" ? ["ring", "star"] : ["star"];
  test.for(isPassedOn ? graphs : [])("a %s makes blocks, and no view times out", async (graph) => {
    const { nodes } = chain;
    const head = await untilEqual(nodes, 0, LIMIT_MS);
    await Promise.all(nodes.map((node) => node.end("SIGTERM")));
    cutInto(chain.chain, graph);
    await Promise.all(nodes.map((node) => node.start()));
    await untilGraph(nodes, graph);
    // On a busy machine a view may be lost; a graph that loses views by its nature always does.
    const blocksUntil = async (wanted: number) => {
      const before = countTimeouts(nodes);
      await chain.requireProgress(nodes);
      const reached = await untilEqual(nodes, wanted, LIMIT_MS);
      return { reached, lost: countTimeouts(nodes) - before };
    };
    let stretch = await blocksUntil(head + 4);
    for (let tries = 1; stretch.lost > 0 && tries < STRETCHES; tries++)
      stretch = await blocksUntil(stretch.reached + 1);
    assert.equal(stretch.lost, 0);
    chain.links.heal();
    await untilConnected(nodes);
  });

  if (which === "both ways") return;
  test.for(ONE_WAY)("the chain goes on when $name", async (way) => {
    const { nodes, links } = chain;
    const head = await untilEqual(nodes, 0, LIMIT_MS);
    const { index, others, alone, three } = await chain.choose();
    links.cut(way.cut(index, others));
    await chain.requireProgress(three.slice(0, way.goOn));
    if (way.stays) assert.equal(await alone.blockNumber(), head);
    await chain.requireHealed([], head + 4);
  });
}
