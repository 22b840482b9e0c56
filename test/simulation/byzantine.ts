/**
 * A Byzantine sealer: the real core underneath, lies on top. It signs with its own key only.
 * Source: pbft 15
 */
import type { Hash, SealerIndex } from "../../core/bytes/ids.ts";
import type { Effect } from "../../core/consensus/pbft/effect.ts";
import type {
  CertificateEntry,
  Commit,
  Lock,
  Message,
  Prepare,
  Sign,
  ViewChange,
} from "../../core/consensus/pbft/message.ts";
import type { PbftState, Signer } from "../../core/consensus/pbft/state.ts";
import type { Packet } from "./network.ts";
import type { Interceptor, SimNode } from "./node.ts";
import type { Act } from "./options.ts";
import { type Body, fakeHash } from "./workload.ts";
import type { World } from "./world.ts";

/** Messages it remembers, to say them again. */
const MEMORY = 120;
/** Time between two acts of its own accord. */
const PAUSE_MS = { from: 300, to: 3_000 };
/** What it may do instead of proposing. */
const LEADER_ACTS = [
  "silentLeader",
  "forgedJustifications",
  "equivocatingLeader",
  "wrongSealerList",
  "claimedHash",
  "withheldTransactions",
] as const;
/** Chance that a vote for a proposal names another result than executing it gives. */
const OTHER_RESULTS = 0.7;
/** View numbers far beyond what anybody supports. */
const FAR_VIEWS = [10, 63, 64, 65, 1_000, 2 ** 40];

/** The lies of one node. */
export class Byzantine implements Interceptor {
  readonly #world: World;
  readonly #node: SimNode;
  readonly #acts: ReadonlySet<Act>;
  readonly #signer: Signer;
  readonly #seen: Message[] = [];

  constructor(world: World, node: SimNode) {
    this.#world = world;
    this.#node = node;
    this.#acts = world.options.acts;
    this.#signer = world.signatures.signerFor(node.id);
  }

  /** Begins to act of its own accord. */
  begin(): void {
    const { timeline, random } = this.#world;
    timeline.after(random.between(PAUSE_MS.from, PAUSE_MS.to), () => {
      if (this.#node.state && this.#index() >= 0) this.#act(this.#node.state);
      if (!this.#node.frozen) this.begin();
    });
  }

  #index(): SealerIndex {
    return this.#node.sealers.indexOf(this.#node.id);
  }

  /** Whether an act is on its menu and due now; what it does is noted. */
  #does(act: Act, probability = 1): boolean {
    if (!this.#acts.has(act) || !this.#world.random.chance(probability)) return false;
    this.#world.sights.add(act);
    return true;
  }

  /** Sends a message wherever its signatures hold; the shell of the receiver drops it elsewhere. */
  #emit(message: Message, to: readonly SimNode[] = this.#world.nodes, content?: Hash): void {
    const verified = this.#world.signatures.verify(message);
    if (!verified) {
      this.#world.sights.add("invalidSignature");
      return;
    }
    for (const other of to) this.#world.send(this.#node.number, other.id, verified, content);
  }

  /** A vote of its own in other messages. */
  #say(vote: Sign | Commit): void {
    this.#emit({ ...vote, signature: this.#signer.sign(vote) });
  }

  #some(): SimNode[] {
    return this.#world.nodes.filter(() => this.#world.random.chance(0.5));
  }

  // What its own core wants to do.

  performs(effect: Effect): boolean {
    if (effect.type === "stopGroup") return true;
    if (effect.type !== "broadcast") return false;
    const { message } = effect;
    switch (message.type) {
      case "prepare":
        return this.#liesAsLeader(message);
      case "sign":
        if (this.#does("manySignatures")) this.#multiply(message);
        if (!this.#does("otherResults", OTHER_RESULTS)) return false;
        this.#say({ ...message, executed: fakeHash(message.view) });
        return true;
      case "commit":
        if (this.#does("manySignatures")) this.#multiply(message);
        if (this.#does("otherResults", OTHER_RESULTS)) {
          const executed = fakeHash(message.view);
          const seal = this.#signer.sign({ type: "seal", executed });
          this.#say({ ...message, executed, seal });
          return true;
        }
        return this.#does("forgedCertificates", 0.3) && this.#stealSeal(message);
      case "viewChange":
        if (!this.#does("forgedCertificates", 0.6)) return false;
        this.#forgeLock(message);
        return true;
      default:
        return false;
    }
  }

  #liesAsLeader(prepare: Prepare): boolean {
    const body = this.#world.workload.body(prepare.proposal);
    if (body.proposal.txCount === 0) return this.#does("silentLeader", 0.3);
    const menu = LEADER_ACTS.filter((act) => this.#acts.has(act));
    const act = menu[this.#world.random.below(menu.length + 1)];
    if (act === undefined || !this.#does(act)) return false;
    switch (act) {
      case "silentLeader":
        break;
      case "forgedJustifications":
        this.#disobey(prepare);
        break;
      case "equivocatingLeader":
        this.#equivocate(prepare);
        break;
      case "wrongSealerList":
        this.#proposeForOtherSealers(prepare);
        break;
      case "claimedHash":
        this.#emit(prepare, this.#world.nodes, this.#node.newBlock({ empty: false }).proposal.hash);
        break;
      case "withheldTransactions":
        this.#withhold(prepare);
        break;
      default:
        act satisfies never;
    }
    return true;
  }

  #proposeForOtherSealers(prepare: Prepare): void {
    const listed = this.#node.sealers.slice(1);
    this.#propose(prepare, this.#node.newBlock({ empty: false, listed }));
  }

  /**
   * A proposal whose transactions only some nodes are given; now and then one that no node can
   * execute.
   */
  #withhold(prepare: Prepare): void {
    const refused = this.#world.random.chance(0.2);
    const body = this.#node.newBlock({ empty: false, withheld: true, refused });
    this.#propose(prepare, body);
    this.#hand(body, this.#some());
  }

  /** Gives the block itself to some nodes. */
  #hand(body: Body, to: readonly SimNode[]): void {
    for (const other of to) {
      const packet: Packet = { kind: "body", proposal: body.proposal.hash };
      this.#world.network.send(this.#node.number, other.number, packet);
    }
  }

  #propose(prepare: Prepare, body: Body, to?: readonly SimNode[]): void {
    const content = { ...prepare, proposal: body.proposal.hash };
    this.#emit({ ...content, signature: this.#signer.sign(content) }, to);
  }

  /** One proposal for each half, and votes for both. */
  #equivocate(prepare: Prepare): void {
    const { nodes, workload } = this.#world;
    const other = this.#node.newBlock({ empty: false });
    const odd = nodes.filter(({ number }) => number % 2 === 1);
    this.#emit(
      prepare,
      nodes.filter((node) => !odd.includes(node)),
    );
    this.#propose(prepare, other, odd);
    for (const body of [workload.body(prepare.proposal), other]) {
      this.#voteFor(prepare, body);
    }
  }

  #voteFor({ height, view }: { height: number; view: number }, body: Body): void {
    const place = { height, view, index: this.#index() };
    const block = { proposal: body.proposal.hash, executed: body.executed };
    const sign = { type: "sign", ...place, ...block } as const;
    const signer = this.#node.id;
    const vote: Sign = { ...sign, signature: this.#signer.sign(sign), signer };
    this.#emit(vote);
    const commit = this.#commit(place, body);
    this.#emit(commit);
    if (this.#does("manySignatures")) {
      this.#multiply(vote);
      this.#multiply(commit);
    }
  }

  #commit(place: { height: number; view: number; index: number }, body: Body): Commit {
    const { executed } = body;
    const seal = this.#signer.sign({ type: "seal", executed });
    const proposal = body.proposal.hash;
    const content = { type: "commit", ...place, proposal, executed, seal } as const;
    const signer = this.#node.id;
    return { ...content, signature: this.#signer.sign(content), signer, sealSigner: signer };
  }

  /** The same vote under more signatures, and under the indexes of others. */
  #multiply(vote: Sign | Commit): void {
    for (let copy = 0; copy < 3; copy++) {
      this.#emit({ ...vote, signature: this.#signer.sign(vote) });
    }
    const index = (vote.index + 1) % Math.max(1, this.#node.sealers.length);
    const claimed = { ...vote, index };
    this.#emit({ ...claimed, signature: this.#signer.sign(claimed) });
  }

  /** Its own commit vote with the seal of another sealer, if it has heard one. */
  #stealSeal(commit: Commit): boolean {
    const other = this.#seen.findLast(
      (message): message is Commit =>
        message.type === "commit" && message.executed === commit.executed,
    );
    if (!other) return false;
    const content = { ...commit, seal: other.seal };
    this.#emit({ ...content, signature: this.#signer.sign(content) });
    return true;
  }

  /** Proposes what it likes, with a justification that forbids it or proves nothing. */
  #disobey(prepare: Prepare): void {
    const { random } = this.#world;
    const body = this.#node.newBlock({ empty: false });
    const { justification } = prepare;
    const [first] = justification;
    const variants: readonly (readonly ViewChange[])[] = [
      justification,
      justification.slice(1),
      first ? justification.map(() => first) : [],
      justification.filter(({ lock }) => !lock),
      [],
    ];
    this.#propose({ ...prepare, justification: random.pick(variants) }, body);
    this.#voteFor(prepare, body);
  }

  /** A vote for a view that claims a lock no node certified. */
  #forgeLock(viewChange: ViewChange): void {
    const { random } = this.#world;
    const body = this.#node.newBlock({ empty: false });
    this.#hand(body, this.#world.nodes);
    const below = Math.max(0, viewChange.view - 1 - random.below(2));
    const view = random.chance(0.1) ? viewChange.view : below;
    const lock: Lock = {
      view,
      proposal: body.proposal.hash,
      executed: body.executed,
      certificate: this.#forgedCertificate(viewChange, view, body),
    };
    const content = { ...viewChange, lock };
    this.#emit({ ...content, signature: this.#signer.sign(content) });
  }

  #forgedCertificate({ height }: ViewChange, view: number, body: Body): CertificateEntry[] {
    const { random } = this.#world;
    const { sealers } = this.#node;
    const own = (index: SealerIndex): CertificateEntry => {
      const block = { proposal: body.proposal.hash, executed: body.executed };
      const content = { type: "sign", height: height + 1, view, index, ...block } as const;
      return { index, signature: this.#signer.sign(content), signer: this.#node.id };
    };
    const real = this.#node.state?.lock?.certificate ?? [];
    const variants: readonly (readonly CertificateEntry[])[] = [
      [],
      [own(this.#index())],
      sealers.map(() => own(this.#index())),
      sealers.map((_, index) => own(index)),
      real.slice(1),
    ];
    return [...random.pick(variants)];
  }

  // What it hears.

  receives(_from: number, packet: Packet): void {
    if (packet.kind !== "message" || this.#index() < 0) return;
    const { message } = packet;
    if (message.type === "status") return;
    this.#seen.push(message);
    if (this.#seen.length > MEMORY) this.#seen.shift();
    if (message.type === "prepare" && this.#does("votesForEverything")) {
      this.#voteFor(message, this.#world.workload.body(message.proposal));
    }
    if (message.type === "sign" && this.#does("signReplayedAsCommit"))
      this.#replayAsCommit(message);
  }

  /** Another sealer's sign vote, dressed as its commit vote. */
  #replayAsCommit({ type: _, ...vote }: Sign): void {
    const { signature, signer } = vote;
    const commit: Commit = { type: "commit", ...vote, seal: signature, sealSigner: signer };
    this.#emit(commit, [this.#world.random.pick(this.#world.nodes)]);
  }

  // What it does of its own accord.

  #act(state: PbftState): void {
    if (this.#does("farAheadViewChanges")) this.#floodViews(state);
    if (this.#does("forgedCertificates", 0.5)) this.#forgeBlock(state);
    if (this.#does("forgedJustifications", 0.5)) this.#forgeViewCertificate(state);
    if (this.#acts.has("staleVotes")) this.#repeatOld(state);
  }

  #viewChange(state: PbftState, view: number): ViewChange {
    const { height, head } = state;
    const index = this.#index();
    const content = { type: "viewChange", height, view, index, head, lock: undefined } as const;
    return { ...content, signature: this.#signer.sign(content), signer: this.#node.id };
  }

  #floodViews(state: PbftState): void {
    for (const distance of FAR_VIEWS) this.#emit(this.#viewChange(state, state.view + distance));
  }

  /** A block of the next height that a quorum never sealed. */
  #forgeBlock(state: PbftState): void {
    const { random, nodes, network } = this.#world;
    const body = this.#node.newBlock({ empty: false });
    const { executed } = body;
    const seal = this.#signer.sign({ type: "seal", executed });
    const own = { index: this.#index(), signature: seal };
    const written = this.#node.disk.chain[state.height];
    const variants = [
      [],
      this.#node.sealers.map(() => own),
      this.#node.sealers.map((_, index) => ({ index, signature: seal })),
      written ? [...written.seals, own] : [own],
    ];
    const seals = this.#world.recoverSeals(executed, random.pick(variants));
    const block = { proposal: body.proposal, executed, seals };
    const packet: Packet = { kind: "block", block };
    for (const { number } of nodes) network.send(this.#node.number, number, packet);
    // A true block with a seal too few, or one twice.
    const true_ = this.#node.blockAt(state.height);
    const [first] = true_?.seals ?? [];
    if (!true_ || !first) return;
    const cut = { ...true_, seals: true_.seals.slice(1) };
    const doubled = { ...true_, seals: [...true_.seals.slice(1), ...true_.seals.slice(1)] };
    for (const { number } of nodes) {
      const forged = random.chance(0.5) ? cut : doubled;
      network.send(this.#node.number, number, { kind: "block", block: forged });
    }
  }

  #forgeViewCertificate(state: PbftState): void {
    const { random } = this.#world;
    const view = state.view + 1 + random.below(5);
    const own = this.#viewChange(state, view);
    const nonsense = { ...own, head: fakeHash(1) };
    const others = this.#seen.filter((message) => message.type === "viewChange");
    const variants: readonly (readonly ViewChange[])[] = [
      state.config.sealers.map(() => own),
      [own],
      [{ ...nonsense, signature: this.#signer.sign(nonsense) }],
      [own, ...others.slice(-state.quorum + 1)],
    ];
    const justification = random.pick(variants);
    this.#emit({ type: "viewCertificate", height: state.height, view, justification });
  }

  /** What was true once: votes of earlier rounds, of itself and of others. */
  #repeatOld(state: PbftState): void {
    const { random, sights } = this.#world;
    for (let count = 0; count < 5 && this.#seen.length > 0; count++) {
      const message = random.pick(this.#seen);
      if (message.height < state.height) sights.add("staleVotes");
      this.#emit(message, this.#some());
    }
  }
}
