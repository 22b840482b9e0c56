/** A channel port in this process, over TLS, whose clock a test moves. */
import assert from "node:assert/strict";
import type { NodeApi } from "../../../core/api/node-api.ts";
import { AccessControl, OPEN_ACCESS } from "../../../core/channel/access.ts";
import {
  ChannelService,
  type ChannelLimits,
  DEFAULT_CHANNEL_LIMITS,
} from "../../../core/node/channel/channel-service.ts";
import { type ChannelServer, serveChannel } from "../../../runtimes/node/server/channel-server.ts";
import { type ChannelAddress, ChannelClient, type SessionOptions } from "./channel-client.ts";
import { type CollectedLog, collectLog } from "../collected-log.ts";
import { createHandClock, type HandClock } from "../world/hand-clock.ts";
import { rpcNode } from "../rpc-node.ts";
import { keyPem, newLeaf, newToolChain, pemOf, toolSdkFiles } from "../tool-certificates.ts";

/** How long a node may take to do what it must do at once. */
const PATIENCE_MS = 240_000;

/** The port and its clients. A class because it owns them. */
export class ServicePlace {
  readonly clock: HandClock = createHandClock();
  readonly log: CollectedLog = collectLog();
  readonly service: ChannelService;
  readonly #clients: ChannelClient[] = [];
  #server: ChannelServer | undefined;
  #address: ChannelAddress | undefined;

  private constructor(node: NodeApi, limits: Partial<ChannelLimits>) {
    this.service = new ChannelService({
      node,
      access: new AccessControl(OPEN_ACCESS, this.clock.steady()),
      limits: { ...DEFAULT_CHANNEL_LIMITS, ...limits },
      clock: this.clock,
      log: this.log,
      codec: {
        text: (bytes) => Buffer.from(bytes).toString("utf8"),
        bytes: (text) => Buffer.from(text, "utf8"),
      },
    });
  }

  static async open(
    limits: Partial<ChannelLimits> = {},
    node: NodeApi = rpcNode(),
  ): Promise<ServicePlace> {
    const place = new ServicePlace(node, limits);
    const tools = newToolChain("agencyA");
    const { root, agency } = tools;
    const leaf = newLeaf(agency, "node");
    place.#server = await serveChannel({
      service: place.service,
      address: { host: "127.0.0.1", port: 0 },
      files: {
        kind: "secp256k1",
        ca: pemOf(root),
        cert: pemOf(leaf, agency, root),
        key: keyPem(leaf.key),
      },
      checkIssuer: true,
      log: place.log,
    });
    const { host, port } = place.#server;
    place.#address = { host, port, sdk: toolSdkFiles(tools) };
    return place;
  }

  /** Opens a session. */
  async connect(options: SessionOptions = {}): Promise<ChannelClient> {
    assert.ok(this.#address);
    const client = await ChannelClient.open(this.#address, options);
    this.#clients.push(client);
    return client;
  }

  /** Waits until the service has this many sessions. */
  untilSessions(count: number): Promise<void> {
    return this.until(() => this.service.counters().sessions === count);
  }

  /** Waits for what happens at once. */
  async until(holds: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!holds()) {
      assert.ok(performance.now() < end, "it did not happen");
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.untilSessions(0);
    await this.#server?.close();
  }
}
