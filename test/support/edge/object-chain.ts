/** A chain on durable objects in real workerd, whose objects tests can evict and switch off. */
import assert from "node:assert/strict";
import { type Ask, request } from "../client/json-rpc-session.ts";
import { bundleFor } from "../browser/platform-bundle.ts";
import { type OpenWorker, openWorker } from "../browser/workerd.ts";

/** Why an instance went away. */
const STRUCK = "thrown away by a test";
/** The product's class, with an entry point that only a binding of tests opens. */
const MODULE = `
  import worker, { GroupObject } from "../../runtimes/edge/objects/chain.ts";
  export class TestedObject extends GroupObject {
    #isOff;
    constructor(ctx, env) {
      super(ctx, env);
      ctx.storage.sql.exec("create table if not exists power (off integer)");
      this.#isOff = ctx.storage.sql.exec("select * from power").toArray().length > 0;
    }
    #refuse() { if (this.#isOff) throw new Error("switched off by a test"); }
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (this.env.ONLY_TESTS === "yes") {
        const { sql } = this.ctx.storage;
        if (pathname === "/switch-off") sql.exec("insert into power values (1)");
        if (pathname === "/switch-on") sql.exec("delete from power");
        if (pathname.startsWith("/switch")) await this.ctx.storage.sync();
        if (pathname.startsWith("/switch") || pathname === "/evict") this.ctx.abort("${STRUCK}");
      }
      this.#refuse();
      return super.fetch(request);
    }
    async alarm() { this.#refuse(); return super.alarm(); }
    async deliver(letter) { this.#refuse(); return super.deliver(letter); }
  }
  export default worker;
`;

/** What a block of the chain is known by. */
export interface Standing {
  readonly number: number;
  readonly hash: string;
  readonly stateRoot: string;
}

/** A chain that runs. */
export interface ObjectChain {
  readonly urls: readonly string[];
  ask(sealer?: number): Ask;
  nodeId(sealer?: number): Promise<string>;
  /** Its head, or the block of that number. */
  standing(sealer?: number, number?: number): Promise<Standing>;
  /** Throws the instance of an object away, in whatever it does; whether that was so. */
  evict(sealer?: number): Promise<boolean>;
  /** A sealer that is off takes no request, letter or alarm. */
  setPower(sealer: number, isOn: boolean): Promise<void>;
  close(): Promise<void>;
}

let bundled: Promise<string> | undefined;

async function openScript(variables: Record<string, string>, folder?: string): Promise<OpenWorker> {
  bundled ??= bundleFor("edge", MODULE).then(({ script }) => script);
  const objects = { GROUP: { className: "TestedObject", useSQLite: true } };
  return openWorker(await bundled, objects, { ...variables, ONLY_TESTS: "yes" }, folder);
}

/** What a chain is opened with. */
interface ChainOptions {
  /** Keeps its storage. */
  readonly folder?: string;
  /** Bindings next to the number of sealers. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Opens a chain of this many sealers. */
export async function openObjectChain(
  sealers: number,
  { folder, variables }: ChainOptions = {},
): Promise<ObjectChain> {
  const worker = await openScript({ ...variables, SEALERS: String(sealers) }, folder);
  const pathOf = (sealer: number) => `/sealers/${sealer}`;
  const ask =
    (sealer = 0): Ask =>
    async (body) =>
      (await worker.fetch(pathOf(sealer), { method: "POST", body })).text();
  // The request ends with the instance that it reached.
  const strike = (sealer: number, path: string) =>
    worker.fetch(`${pathOf(sealer)}${path}`).then(
      async (answer) => (await answer.text()).includes(STRUCK),
      (cause: unknown) => String(cause).includes(STRUCK),
    );
  return {
    urls: Array.from({ length: sealers }, (_, of) => new URL(pathOf(of), worker.url).href),
    ask,
    async nodeId(sealer = 0) {
      const told = (await request(ask(sealer), "getNodeInfo", [])) as { NodeID: string };
      return told.NodeID;
    },
    async standing(sealer = 0, number) {
      const at = number ?? Number(await request(ask(sealer), "getBlockNumber", [1]));
      const header = await request(ask(sealer), "getBlockHeaderByNumber", [1, `${at}`, false]);
      const { hash, stateRoot } = header as Standing;
      return { number: at, hash, stateRoot };
    },
    evict: (sealer = 0) => strike(sealer, "/evict"),
    setPower: async (sealer, isOn) => {
      const isDone = await strike(sealer, isOn ? "/switch-on" : "/switch-off");
      assert.ok(isDone, "the instance was thrown away");
    },
    close: () => worker.close(),
  };
}
