/** The recorded life of groups, asked of four real nodes in memory over HTTP. */
// rules: groups 2, groups 3, groups 9
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes } from "../../core/bytes/byte-string.ts";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import {
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../support/world/group-machine.ts";
import { type Exchange, get, methodOf, paramsOf, parse, readExchanges } from "./exchange.ts";

const FILE = "group_lifecycle.jsonl";
const NODES = [0, 1, 2, 3] as const;
/** Members of the recorded status that depend on when it was asked, and on node IDs. */
const VARYING =
  /^(currentView|toView|highestblockHash|connectedNodes|node_index|nodeId|leaderFailed|sealer\.\d+)$/;

/** The text of -40009: the published one. Source: rpc-semantics 4, 14 (9) */
const THEIR_NOT_MEMBER = "Don't send request to this node who doesn't belong to the group";
const OUR_NOT_MEMBER = "Don't send requests to this group, the node doesn't belong to the group";

/** What we answer on purpose where the recording has something else, by case. */
const DIFFERENT: Readonly<Record<string, readonly [citation: string, code: string, text: string]>> =
  {
    "remove running": ["decision 3", "0x0", "deleted successfully"],
    "recover running": ["decision 4", "0xf", "has not been deleted"],
    stopped: ["decision 4", "0xf", "has not been deleted"],
    "recover again": ["decision 4", "0xf", "has not been deleted"],
    "timestamp number": ["decision 6", "0x0", "generated successfully"],
    "status file corrupt": ["groups 3", "0x1", "Please check `.group_status` file of the group"],
  };

/** The recorded IDs of the four nodes, the one that was asked first. */
function recordedIds(exchanges: readonly Exchange[]): readonly string[] {
  const sealersOf = (name: string) => {
    const found = exchanges.find((exchange) => exchange.case === name);
    assert.ok(found, name);
    return get(paramsOf(found)[1], "sealers") as readonly string[];
  };
  const others = sealersOf("without itself");
  const own = sealersOf("generate existing").filter((id) => !others.includes(id));
  return [...own, ...others];
}

class Replay {
  readonly machines: readonly GroupMachine[];
  readonly #recorded: readonly string[];
  #held: { readonly path: string; readonly bytes: Uint8Array } | undefined;

  constructor(recorded: readonly string[], machines: readonly GroupMachine[]) {
    this.#recorded = recorded;
    this.machines = machines;
  }

  get first(): GroupMachine {
    const [machine] = this.machines;
    assert.ok(machine);
    return machine;
  }

  /** A recorded text with our IDs in the place of theirs. */
  ours(text: string): string {
    let changed = text;
    for (const [i, id] of this.#recorded.entries()) {
      const own = this.machines[i]?.nodeId ?? "";
      changed = changed.replaceAll(id, own).replaceAll(id.toUpperCase(), own.toUpperCase());
    }
    return changed;
  }

  /** What was done by hand before a case. */
  async before(exchange: Exchange): Promise<void> {
    const { files } = this.first;
    const away = async (path: string) => {
      const bytes = await files.read(path);
      assert.ok(bytes);
      this.#held = { path, bytes };
      await files.remove(path);
    };
    const back = async () => {
      if (this.#held) await files.write(this.#held.path, this.#held.bytes);
      this.#held = undefined;
    };
    switch (exchange.case) {
      case "genesis file missing":
      case "generate with ini present, genesis absent":
        await back();
        return away("conf/group.14.genesis");
      case "ini file missing":
      case "generate with genesis present, ini absent":
        await back();
        return away("conf/group.14.ini");
      case "status 14":
        return back();
      case "status file corrupt":
        // Our node reads the word of a group that it has loaded only when it starts.
        if (methodOf(exchange) !== "queryGroupStatus") return;
        await files.write("data/group14/.group_status", utf8Bytes("BROKEN"));
        await this.first.stop();
        return this.first.start();
      default:
        return;
    }
  }

  /** Undoes what only our answer to a case has done. */
  async after(exchange: Exchange): Promise<void> {
    const [groupId] = paramsOf(exchange) as [number];
    if (exchange.case === "remove running") {
      for (const operation of ["recoverGroup", "startGroup"])
        assert.equal((await this.first.manage(operation, groupId))[0], "0x0");
    }
    if (exchange.case === "timestamp number") {
      const { files } = this.first;
      for (const path of ["conf/group.8.genesis", "conf/group.8.ini"]) await files.remove(path);
      await files.remove("data/group8/.group_status");
    }
  }
}

function withoutVarying(value: unknown): unknown {
  const text = JSON.stringify(value, (name, it) => (VARYING.test(name) ? undefined : it));
  const parsed: unknown = text === undefined ? undefined : JSON.parse(text);
  return Array.isArray(parsed) && typeof parsed[0] === "object" ? parsed[0] : parsed;
}

/** How an exchange came out. */
async function replayOne(replay: Replay, exchange: Exchange): Promise<"same" | "different"> {
  const machine = replay.machines[exchange.node ?? 0];
  assert.ok(machine);
  await replay.before(exchange);
  const request = parse(replay.ours(exchange.request.body ?? ""));
  const params = get(request, "params") as unknown[];
  const ours = await machine.request(methodOf(exchange) ?? "", params);
  const recorded = parse(replay.ours(exchange.response.body ?? ""));
  const where = `${exchange.line} ${exchange.case} ${methodOf(exchange)}`;
  const [, code, text] = DIFFERENT[exchange.case] ?? [];
  const result = get(ours, "result");
  const isSame =
    JSON.stringify(withoutVarying(result)) ===
    JSON.stringify(withoutVarying(get(recorded, "result")));
  if (code !== undefined && !isSame && methodOf(exchange) !== "getGroupList") {
    assert.equal(get(result, "code"), code, where);
    assert.ok(String(get(result, "message")).endsWith(text ?? ""), where);
    await replay.after(exchange);
    return "different";
  }
  if (exchange.case === "status file corrupt" && methodOf(exchange) === "getGroupList") {
    // Their node lists a group whose start failed; ours does not load it.
    const listed = get(recorded, "result") as number[];
    assert.deepEqual(
      result,
      listed.filter((id) => id !== 14),
      where,
    );
    return "different";
  }
  assert.deepEqual(withoutVarying(result), withoutVarying(get(recorded, "result")), where);
  assert.equal(ours?.error?.code, get(get(recorded, "error"), "code"), where);
  const message = get(get(recorded, "error"), "message");
  assert.equal(
    ours?.error?.message,
    message === THEIR_NOT_MEMBER ? OUR_NOT_MEMBER : message,
    where,
  );
  return "same";
}

test("four nodes answer the recorded operations on groups as recorded", async (t) => {
  const suite = await createNodeSuite();
  const exchanges = readExchanges(FILE);
  const hub = immediateHub();
  const ids = NODES.map((index) => identityOf(suite, index).nodeId);
  const fixed = [genesisOf(1, ids), genesisOf(2, ids)];
  const machines = NODES.map((index) => new GroupMachine({ suite, hub, index, fixed }));
  await Promise.all(machines.map((machine) => machine.start()));
  const isConnected = ({ node }: GroupMachine) => node.api.peers().length === 3;
  while (!machines.every(isConnected)) await new Promise((resume) => setTimeout(resume, 1));
  const replay = new Replay(recordedIds(exchanges), machines);
  const counts = { same: 0, different: 0 };
  for (const exchange of exchanges) counts[await replayOne(replay, exchange)] += 1;
  await Promise.all(machines.map((machine) => machine.stop()));
  assert.equal(counts.same + counts.different, exchanges.length);
  assert.ok(counts.different <= 10, `${counts.different} differ on purpose`);
  t.annotate(`${counts.same} as recorded, ${counts.different} different on purpose`);
});
