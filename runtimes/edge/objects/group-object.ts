/**
 * A sealer of a chain whose nodes are durable objects: alone, or one of several that send each
 * other letters. Key, genesis and ledger lie in the object's storage.
 */
import { DurableObject, type ObjectNamespace, type ObjectState } from "cloudflare:workers";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { Files } from "../../../core/ports/files.ts";
import {
  DEV_BLOCK_TIME_MS,
  DEV_CHAIN_ID,
  DEV_ROUNDS_PER_RECORD,
} from "../../shared/dev/dev-genesis.ts";
import { createInPlaceNode } from "../../shared/in-place-node.ts";
import { createInlineCompute } from "../../shared/inline-compute.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { consoleLog, laterTurn } from "../../shared/platform/web-platform.ts";
import { createWebSuite, suiteNameOf } from "../../shared/platform/web-suite.ts";
import { foundingText, type Founder, ownKey, readFounding } from "./founding.ts";
import { listsOf, memberName, type ObjectSettings, sealerCount } from "./object-settings.ts";
import { ObjectHost } from "./object-host.ts";
import { createObjectNetwork, type Letter, type ObjectNetwork } from "./object-network.ts";
import { FILES_ROOM, openSqlStore } from "./sql-store.ts";
import { filesIn } from "./store-files.ts";

/** What other objects and the worker may call. */
export interface GroupStub extends Founder {
  fetch(request: Request): Promise<Response>;
  deliver(letter: Letter): Promise<string>;
}

/** Bindings of the worker. */
export interface GroupEnvironment extends ObjectSettings {
  /** Durable object class {@link GroupObject}. */
  readonly GROUP: ObjectNamespace<GroupStub>;
}

/** The object. */
export class GroupObject extends DurableObject<GroupEnvironment> implements GroupStub {
  readonly #host: ObjectHost;
  #files: Promise<Files> | undefined;
  #key: Promise<Uint8Array> | undefined;
  #founding: Promise<string> | undefined;
  #network: ObjectNetwork | undefined;

  constructor(ctx: ObjectState, env: GroupEnvironment) {
    super(ctx, env);
    this.#host = new ObjectHost(ctx.storage, {
      staysAwake: sealerCount(env) > 1,
      lists: listsOf(env),
      wire: () => this.#wire(),
    });
  }

  /** Answers JSON-RPC as every other runtime does. */
  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#host.alarm();
  }

  async nodeId(): Promise<string> {
    const suite = await createWebSuite(suiteNameOf(this.env.SUITE));
    return nodeIdOf(suite.publicKey(await this.#ownKey()));
  }

  /** Another genesis must not be made while the first is under way. */
  founding(): Promise<string> {
    this.#founding ??= this.#found().catch((cause: unknown) => {
      this.#founding = undefined;
      throw cause;
    });
    return this.#founding;
  }

  async deliver(letter: Letter): Promise<string> {
    await this.#host.running();
    invariant(this.#network, "a node that runs has its network");
    return this.#network.receive(letter);
  }

  #openedFiles(): Promise<Files> {
    this.#files ??= openSqlStore(this.ctx.storage, FILES_ROOM).then(filesIn);
    return this.#files;
  }

  #ownKey(): Promise<Uint8Array> {
    this.#key ??= this.#openedFiles().then(ownKey);
    return this.#key;
  }

  async #found(): Promise<string> {
    const { GROUP, SUITE } = this.env;
    const count = sealerCount(this.env);
    const ids = Array.from({ length: count }, (_, of) => GROUP.idFromName(memberName(of)));
    const index = ids.findIndex((id) => id.equals(this.ctx.id));
    const members = ids.map((id, of): Founder => (of === index ? this : GROUP.get(id)));
    const files = await this.#openedFiles();
    return await foundingText({ files, index, members, suite: suiteNameOf(SUITE) });
  }

  async #wire(): Promise<RunningNode> {
    const founding = readFounding(await this.founding());
    const { nodeIds, genesis } = founding;
    const suite = await createWebSuite(founding.suite);
    const privateKey = await this.#ownKey();
    const self = nodeIdOf(suite.publicKey(privateKey));
    const { storage } = this.ctx;
    const network = createObjectNetwork(self, this.#others(nodeIds, self));
    this.#network = network;
    // Objects are evicted one by one: only a chain of one may promise rounds ahead.
    const isAlone = nodeIds.length === 1;
    const name = memberName(nodeIds.indexOf(self));
    const node = createInPlaceNode(
      {
        build: BUILD_INFO,
        chainId: DEV_CHAIN_ID,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey,
        genesis: [genesis],
        listen: { endpoint: "0.0.0.0:0", agency: "edge", node: name, topics: [] },
        blockTimeMs: isAlone ? DEV_BLOCK_TIME_MS : undefined,
        roundsPerRecord: isAlone ? DEV_ROUNDS_PER_RECORD : 1,
      },
      {
        log: consoleLog,
        compute: createInlineCompute(suite, { schedule: laterTurn }),
        network,
        files: await this.#openedFiles(),
        openStore: (groupId) => openSqlStore(storage, groupId),
        pause: () => new Promise<void>(laterTurn),
      },
    );
    return node;
  }

  #others(nodeIds: readonly NodeId[], self: NodeId) {
    const { GROUP } = this.env;
    const all = nodeIds.map((nodeId, index) => {
      const name = memberName(index);
      // A stub is unusable after its object failed: each letter has one of its own.
      const deliver = (letter: Letter) => GROUP.get(GROUP.idFromName(name)).deliver(letter);
      return { nodeId, name, deliver };
    });
    return all.filter(({ nodeId }) => nodeId !== self);
  }
}
