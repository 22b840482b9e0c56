/**
 * Meets other processes with this node's key: where this node dials, and when they do.
 * Source: decision 25
 */
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { type CopyAges, CopyCheck, type CopyCheckOptions } from "./copy-check.ts";
import { CopyFault, type OtherCopy } from "./copy-fault.ts";
import { endpointOf, parseEndpoint } from "./endpoint.ts";
import type { DialOutcome } from "./static-peers.ts";

interface CopyWatchOptions extends Omit<CopyCheckOptions, "uptimeMs"> {
  readonly clock: Clock;
  readonly log: Log;
  isRunning(): boolean;
  onCopy(copy: OtherCopy): void;
}

/** A class because it remembers who was met. */
export class CopyWatch {
  readonly #options: CopyWatchOptions;
  readonly #check: CopyCheck;
  #older: OtherCopy | undefined;
  #startedAt = 0;

  constructor(options: CopyWatchOptions) {
    this.#options = options;
    const uptimeMs = () => options.clock.steady() - this.#startedAt;
    this.#check = new CopyCheck({ ...options, uptimeMs });
  }

  /** Says that a node with this node's key was started earlier; undefined when none was met. */
  get fault(): CopyFault | undefined {
    return this.#older && new CopyFault(this.#older);
  }

  /** The node starts: who was met before is forgotten. */
  begin(): void {
    this.#older = undefined;
    this.#startedAt = this.#options.clock.steady();
  }

  /** Whether an endpoint that says that it is this node is this process. */
  async ask(endpoint: string): Promise<DialOutcome> {
    const address = parseEndpoint(endpoint);
    const found = address && (await this.#check.ask(address).catch(() => undefined));
    if (found === "self") return { type: "self" };
    if (found === undefined) return { type: "failed", reason: "it says that it is this node" };
    this.#meet(endpoint, found);
    return { type: "failed", reason: "another node with this node's key" };
  }

  /**
   * An unauthenticated peer's question costs a random number and a signature check, within the
   * usual bounds.
   */
  async answer(stream: Stream, connection: Connection, self: PeerId): Promise<void> {
    const found = await this.#check.answer(stream, connection, self).catch(() => undefined);
    if (typeof found === "object") this.#meet(endpointOf(connection.remoteAddr), found);
    if (found === undefined) connection.abort(new DOMException("no copy", "AbortError"));
  }

  /** Both raise the alarm, the later gives way. Source: decision 25 */
  #meet(endpoint: string, { ownMs, otherMs: uptimeMs }: CopyAges): void {
    const { log, isRunning, onCopy } = this.#options;
    if (!isRunning()) return;
    const isLater = ownMs <= uptimeMs;
    const next = isLater ? "this one, started later, gives way" : "it was started later";
    log.write("error", `another node runs with this node's key: ${next}`, {
      endpoint,
      seconds: Math.round(uptimeMs / 1_000),
    });
    const copy = { endpoint, uptimeMs, isLater };
    if (isLater) this.#older = copy;
    onCopy(copy);
  }
}
