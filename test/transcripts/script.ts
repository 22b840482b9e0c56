/** The commands of PBFT transcripts: a few nodes, messages delivered by hand, effects as text. */
import type { Hash } from "../../core/bytes/ids.ts";
import type { Proposal } from "../../core/consensus/exchange.ts";
import type { Effect } from "../../core/consensus/pbft/effect.ts";
import type { Input, PbftConfig } from "../../core/consensus/pbft/input.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import type { PbftRecord } from "../../core/consensus/pbft/record.ts";
import { createPbft, type PbftState } from "../../core/consensus/pbft/state.ts";
import { pbftStatus } from "../../core/consensus/pbft/status.ts";
import { step } from "../../core/consensus/pbft/step.ts";
import type { Seal } from "../../core/model/header.ts";
import { describeEffect, describeMessage, shortHash } from "../simulation/describe.ts";
import { Signatures } from "../simulation/signatures.ts";
import { GENESIS, nodeId, nodeNumber } from "../simulation/workload.ts";

/** A node as a transcript sees it: core, disk, clock shared by all. */
interface ScriptNode {
  readonly number: number;
  state: PbftState | undefined;
  record: PbftRecord | undefined;
  readonly chain: { executed: Hash; proposal: Hash; seals: readonly Seal[] }[];
  readonly bodies: Set<Hash>;
}

interface InFlight {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

/** Options of a command: `name=value` words. */
type Words = ReadonlyMap<string, string>;

/** Steps of one `settle` are bounded: two nodes must not talk for ever. */
const MOST_DELIVERIES = 500;

/** A few nodes under manual control. */
export class Script {
  readonly #signatures = new Signatures(true);
  readonly #nodes: ScriptNode[] = [];
  readonly #proposals = new Map<Hash, Proposal>();
  #flight: InFlight[] = [];
  #now = 0;
  #sealers = 0;
  #showsStatus = false;
  #executesAlone = true;
  #lines: string[] = [];

  /** Runs one command line; gives what it printed. */
  run(line: string): string {
    const [command = "", ...rest] = line.trim().split(/\s+/);
    const words = new Map(
      rest.filter((word) => word.includes("=")).map((word) => word.split("=") as [string, string]),
    );
    const plain = rest.filter((word) => !word.includes("="));
    this.#lines = [];
    this.#dispatch(command, plain, words);
    return this.#lines.map((text) => `  ${text}\n`).join("");
  }

  #dispatch(command: string, plain: readonly string[], words: Words): void {
    const node = () => this.#node(Number(plain[0]));
    switch (command) {
      case "cluster":
        return this.#cluster(words);
      case "propose":
        return this.#propose(node(), words);
      case "forge":
        return this.#forge(plain, words);
      case "deliver":
        return this.#deliverSome(this.#take(plain));
      case "drop":
        return void this.#take(plain);
      case "settle":
        return this.#settle();
      case "advance":
        return this.#advance(Number(plain[0]));
      case "executed":
        return this.#finishExecution(node());
      case "crash":
        node().state = undefined;
        return;
      case "restart":
        return this.#start(node());
      case "connect":
        return this.#connect();
      case "status":
        return this.#printStatus(node());
      default:
        throw new RangeError(`no command ${command}`);
    }
  }

  #node(number: number): ScriptNode {
    const node = this.#nodes[number];
    if (!node) throw new RangeError(`no node ${number}`);
    return node;
  }

  #print(text: string): void {
    this.#lines.push(text);
  }

  /** `cluster sealers=4 [observers=1] [status=on] [execution=manual]` */
  #cluster(words: Words): void {
    this.#sealers = Number(words.get("sealers"));
    this.#showsStatus = words.get("status") === "on";
    this.#executesAlone = words.get("execution") !== "manual";
    const count = this.#sealers + Number(words.get("observers") ?? 0);
    for (let number = 0; number < count; number++) {
      this.#nodes.push({
        number,
        state: undefined,
        record: undefined,
        chain: [{ executed: GENESIS, proposal: GENESIS, seals: [] }],
        bodies: new Set(),
      });
    }
    for (const node of this.#nodes) this.#start(node);
  }

  #config(node: ScriptNode): PbftConfig {
    const sealers = this.#nodes.slice(0, this.#sealers).map(({ number }) => nodeId(number));
    return { self: nodeId(node.number), sealers, consensusTimeoutMs: 3_000 };
  }

  #start(node: ScriptNode): void {
    node.state = createPbft({
      config: this.#config(node),
      signer: this.#signatures.signerFor(nodeId(node.number)),
      height: node.chain.length - 1,
      head: node.chain.at(-1)?.executed ?? GENESIS,
      record: node.record,
    });
    this.#input(node, { type: "start", now: this.#now });
  }

  #connect(): void {
    const up = this.#nodes.filter((node) => node.state).map(({ number }) => nodeId(number));
    for (const node of this.#nodes) {
      const connected = up.filter((id) => id !== nodeId(node.number));
      this.#input(node, { type: "peersChanged", now: this.#now, connected });
    }
  }

  #input(node: ScriptNode, input: Input): void {
    if (!node.state) return;
    for (const effect of step(node.state, input)) this.#perform(node, effect);
  }

  #perform(node: ScriptNode, effect: Effect): void {
    if (this.#isShown(effect)) this.#print(`${node.number}: ${describeEffect(effect)}`);
    const now = this.#now;
    switch (effect.type) {
      case "persist":
        node.record = effect.record;
        return;
      case "broadcast":
        for (const { number } of this.#nodes) {
          if (effect.to === "observers" ? number >= this.#sealers : true) {
            this.#send(node, number, effect.message);
          }
        }
        return;
      case "send":
        return this.#send(node, nodeNumber(effect.to), effect.message);
      case "assemble": {
        const { proposal } = effect;
        const txCount = this.#proposals.get(proposal)?.txCount ?? 0;
        const complete = node.bodies.has(proposal);
        return this.#input(node, { type: "assembled", now, proposal, complete, txCount });
      }
      case "execute":
        if (this.#executesAlone) this.#finishExecution(node);
        return;
      case "write":
        return this.#write(node, effect);
      case "requestBlock":
        return this.#serve(node, effect);
      default:
        return;
    }
  }

  #isShown(effect: Effect): boolean {
    if (effect.type === "deadline" || effect.type === "assemble") return false;
    const isMessage = effect.type === "broadcast" || effect.type === "send";
    return this.#showsStatus || !isMessage || effect.message.type !== "status";
  }

  #send(node: ScriptNode, to: number, message: Message): void {
    if (to === node.number || (message.type === "status" && !this.#showsStatus)) return;
    this.#flight.push({ from: node.number, to, message });
  }

  /** Executing block `aa` gives `ee` and its last digits. */
  #finishExecution(node: ScriptNode): void {
    const token = node.state?.work?.token;
    if (!token) return;
    const executed = `0xee${token.proposal.slice(4)}` as Hash;
    this.#input(node, { type: "executed", now: this.#now, token, executed });
  }

  #write(node: ScriptNode, effect: Extract<Effect, { type: "write" }>): void {
    const { height, proposal, executed, seals } = effect;
    node.chain.push({ proposal, executed, seals });
    const config = node.state?.config ?? this.#config(node);
    this.#input(node, { type: "written", now: this.#now, height, hash: executed, config });
  }

  /** A block that is asked for arrives at once. */
  #serve(node: ScriptNode, { to, height }: Extract<Effect, { type: "requestBlock" }>): void {
    const block = this.#node(nodeNumber(to)).chain[height];
    const proposal = block && this.#proposals.get(block.proposal);
    if (!block || !proposal) return;
    const { executed } = block;
    const seals = block.seals.map(({ index, signature }) => ({
      index,
      signature,
      signer: this.#signatures.recover({ type: "seal", executed }, signature),
    }));
    node.bodies.add(proposal.hash);
    this.#input(node, {
      type: "block",
      now: this.#now,
      from: to,
      block: { proposal, executed, seals },
    });
  }

  #makeProposal(node: ScriptNode, words: Words): Proposal {
    const { config, height, head, index } = node.state as PbftState;
    const hash = `0x${(words.get("block") ?? "aa").repeat(32)}` as Hash;
    const proposal: Proposal = {
      hash,
      number: height + 1,
      parentHash: head,
      sealer: index,
      sealers: config.sealers,
      txCount: Number(words.get("txs") ?? 1),
    };
    this.#proposals.set(hash, proposal);
    for (const { bodies } of this.#nodes) bodies.add(hash);
    return proposal;
  }

  /** `propose NODE block=aa txs=2`: answers what the leader asked its sealing side. */
  #propose(node: ScriptNode, words: Words): void {
    const proposal = this.#makeProposal(node, words);
    const view = node.state?.view ?? 0;
    this.#input(node, { type: "proposal", now: this.#now, view, proposal });
  }

  /** `forge prepare 0->2 block=bb`: a second proposal, signed by a leader that lies. */
  #forge([, path = ""]: readonly string[], words: Words): void {
    const [from, to] = path.split("->").map(Number) as [number, number];
    const node = this.#node(from);
    const { height, view, index, justification } = node.state as PbftState;
    const proposal = this.#makeProposal(node, words).hash;
    const content = { type: "prepare", height: height + 1, view, index, proposal } as const;
    const signer = nodeId(from);
    const signature = this.#signatures.signerFor(signer).sign(content);
    this.#flight.push({ from, to, message: { ...content, justification, signature, signer } });
  }

  /** `deliver sign 0->1`, `drop commit *->2`, `deliver all *->*`: what is under way now. */
  #take([type = "all", path = "*->*"]: readonly string[]): InFlight[] {
    const [from = "*", to = "*"] = path.split("->");
    const matches = (item: InFlight) =>
      (type === "all" || item.message.type === type) &&
      (from === "*" || item.from === Number(from)) &&
      (to === "*" || item.to === Number(to));
    const taken = this.#flight.filter(matches);
    this.#flight = this.#flight.filter((item) => !matches(item));
    return taken;
  }

  #deliverSome(items: readonly InFlight[]): void {
    for (const { from, to, message } of items) {
      this.#print(`${from}->${to} ${describeMessage(message)}`);
      const proposal =
        message.type === "prepare" ? this.#proposals.get(message.proposal) : undefined;
      const input = { type: "message", now: this.#now, from: nodeId(from), message } as const;
      this.#input(this.#node(to), proposal ? { ...input, proposal } : input);
    }
  }

  #settle(): void {
    for (let count = 0; count < MOST_DELIVERIES; count++) {
      const next = this.#flight.shift();
      if (!next) return;
      this.#deliverSome([next]);
    }
    throw new RangeError("the nodes do not stop talking");
  }

  /** Moves time; every node gets its tick when it is due. */
  #advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#nodes
        .filter(({ state }) => state && (state.lastDeadline ?? end + 1) <= end)
        .sort((one, other) => (one.state?.lastDeadline ?? 0) - (other.state?.lastDeadline ?? 0));
      const [first] = due;
      if (!first?.state) break;
      this.#now = Math.max(this.#now, first.state.lastDeadline ?? this.#now);
      this.#input(first, { type: "tick", now: this.#now });
    }
    this.#now = end;
  }

  #printStatus(node: ScriptNode): void {
    if (!node.state) return;
    const status = pbftStatus(node.state);
    const views = status.views.map(({ view }) => view).join(",");
    this.#print(
      `height=${status.highestblockNumber} head=${shortHash(status.highestblockHash)} ` +
        `view=${status.currentView} toView=${status.toView} ` +
        `leaderFailed=${status.leaderFailed} index=${status.nodeIndex} views=${views}`,
    );
  }
}
