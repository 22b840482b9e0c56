/**
 * A member of a network of servers in a durable object: it dials their WebSocket ports, checks and
 * executes their blocks as every node does, and answers from its own ledger.
 */
import "./workerd-shims.ts";
import { DurableObject, type ObjectState } from "cloudflare:workers";
import type { RunningNode } from "../../../core/node/create-node.ts";
import { readKeyText } from "../../formats/keys/key-pem.ts";
import { prepareJoin } from "../../joining/join.ts";
import type { JoinRequest } from "../../joining/join-request.ts";
import { createInPlaceNode } from "../../shared/in-place-node.ts";
import { createInlineCompute } from "../../shared/inline-compute.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { consoleLog, laterTurn, webClock, webEntropy } from "../../shared/platform/web-platform.ts";
import { createWebSuite } from "../../shared/platform/web-suite.ts";
import { ObjectHost } from "./object-host.ts";
import { listsOf, type ObjectSettings } from "./object-settings.ts";
import { FILES_ROOM, openSqlStore } from "./sql-store.ts";
import { filesIn } from "./store-files.ts";

interface ObserverSettings extends Omit<ObjectSettings, "SUITE" | "SEALERS"> {
  /** JSON of a {@link JoinRequest}: certificates, genesis files, addresses. */
  readonly JOIN: string;
  /** The node's private key as PEM; a secret. Its curve says which suite the chain has. */
  readonly NODE_KEY: string;
}

/** The object. */
export class ObserverObject extends DurableObject<ObserverSettings> {
  readonly #host: ObjectHost;

  constructor(ctx: ObjectState, env: ObserverSettings) {
    super(ctx, env);
    // Its sockets keep it from nothing: without the alarm it would be evicted with them.
    const wire = () => this.#wire();
    this.#host = new ObjectHost(ctx.storage, { staysAwake: true, lists: listsOf(env), wire });
  }

  /** Answers JSON-RPC as every other runtime does. */
  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#host.alarm();
  }

  async #wire(): Promise<RunningNode> {
    const { JOIN, NODE_KEY } = this.env;
    const key = readKeyText(NODE_KEY, "standard");
    if (typeof key === "string") throw new TypeError(`NODE_KEY is ${key}`);
    const { privateKey } = key;
    const suite = await createWebSuite(key.suite);
    const joined = await prepareJoin(JSON.parse(JOIN) as JoinRequest, {
      clock: webClock,
      entropy: webEntropy,
      log: consoleLog,
      suite,
      privateKey,
      isSecurePage: false,
    });
    const { network, chainId, supportedVersion, listen, genesis } = joined;
    const { storage } = this.ctx;
    return createInPlaceNode(
      {
        build: BUILD_INFO,
        ...{ chainId, supportedVersion, suite, privateKey, listen, genesis },
      },
      {
        log: consoleLog,
        compute: createInlineCompute(suite, { schedule: laterTurn }),
        network,
        files: filesIn(await openSqlStore(storage, FILES_ROOM)),
        openStore: (groupId) => openSqlStore(storage, groupId),
        pause: () => new Promise<void>(laterTurn),
      },
    );
  }
}
