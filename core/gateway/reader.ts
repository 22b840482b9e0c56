/** Checked reads of one upstream: what it is asked for, and what is known already. */
import type { ChainView } from "../client/chain-view.ts";
import type { RpcCall } from "../client/transport.ts";
import { type TypedRequest, typedRequest } from "../client/rpc-methods.ts";
import type { BlockHeader } from "../client/rpc-objects.ts";
import type { SealerTrail } from "../client/sealer-trail.ts";
import type { ProofRules } from "../client/told-objects.ts";
import { type FollowParts, rulesOf } from "../client/trail-reads.ts";
import { type VerifiedReads, verifiedReads } from "../client/verified-reads.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { resultIn, type Told, type Upstream } from "./upstream.ts";

interface ReaderParts {
  readonly upstream: Upstream;
  readonly groupId: number;
  readonly suite: CryptoSuite;
  readonly view: ChainView;
  /** Headers that were shown before, by number. */
  readonly knownHeader: (number: number) => BlockHeader | undefined;
}

function keyOf({ method, params }: RpcCall): string {
  return `${method} ${JSON.stringify(params)}`;
}

/** Requests of one upstream; those whose answers are here already are not sent. */
export class Asker {
  readonly request: TypedRequest;
  readonly parts: ReaderParts;
  readonly #known = new Map<string, Told>();

  /** Of one read: what it learns is dropped with it. */
  constructor(parts: ReaderParts) {
    this.parts = parts;
    this.request = typedRequest({ request: (call) => this.#ask(call) });
  }

  /** What the reads of the client take. */
  get followParts(): FollowParts {
    const { groupId, suite, view } = this.parts;
    return { request: this.request, groupId, suite, view };
  }

  /** Asks for what will be wanted, in one request. @throws TransportFault */
  async prefetch(calls: readonly RpcCall[]): Promise<void> {
    const missing = calls.filter((call) => this.#find(call) === undefined);
    if (missing.length === 0) return;
    const told = await this.parts.upstream.ask(missing);
    for (const [index, call] of missing.entries()) {
      const answer = told[index];
      if (answer !== undefined) this.#known.set(keyOf(call), answer);
    }
  }

  /** Takes an answer for that of another call. */
  know(call: RpcCall, result: unknown): void {
    this.#known.set(keyOf(call), { result });
  }

  #find(call: RpcCall): Told | undefined {
    const told = this.#known.get(keyOf(call));
    if (told !== undefined) return told;
    const [groupId, number, withSignatures] = call.params;
    if (call.method !== "getBlockHeaderByNumber" || withSignatures !== true) return undefined;
    if (groupId !== this.parts.groupId) return undefined;
    const result = this.parts.knownHeader(Number(number));
    return result === undefined ? undefined : { result };
  }

  async #ask(call: RpcCall): Promise<unknown> {
    const known = this.#find(call);
    return resultIn(known ?? (await this.parts.upstream.ask([call]))[0]);
  }
}

/** Reads of one upstream that show what they answer. */
export class Reader {
  readonly asker: Asker;
  readonly trail: SealerTrail;
  readonly #reads: VerifiedReads;

  /** @param trail one that asks the same upstream */
  constructor(asker: Asker, trail: SealerTrail) {
    this.asker = asker;
    this.trail = trail;
    this.#reads = verifiedReads(asker.followParts);
  }

  /** The call of a method of the group. */
  call(method: string, ...params: readonly unknown[]): RpcCall {
    return { method, params: [this.asker.parts.groupId, ...params] };
  }

  /** The call for a header with its signatures. */
  headerCall(number: number): RpcCall {
    return this.call("getBlockHeaderByNumber", String(number), true);
  }

  /** The answer to a call, unchecked. @throws NodeFault; TransportFault */
  async told(call: RpcCall): Promise<unknown> {
    return await this.asker.request(call.method as never, call.params as never);
  }

  /** A header that a quorum of the sealers in force signed. @throws ProofFault; NodeFault */
  async header(number: number): Promise<BlockHeader> {
    return await this.#reads.getVerifiedHeader(number, this.trail);
  }

  /** As the client has it. */
  async transaction(hash: string): ReturnType<VerifiedReads["getVerifiedTransaction"]> {
    return await this.#reads.getVerifiedTransaction(hash as never, this.trail);
  }

  /** As the client has it. */
  async receipt(hash: string): ReturnType<VerifiedReads["getVerifiedReceipt"]> {
    return await this.#reads.getVerifiedReceipt(hash as never, this.trail);
  }

  /** What hashes of the chain depend on. */
  async rules(): Promise<ProofRules> {
    return await rulesOf(this.asker.parts);
  }
}
