/**
 * A dev chain that looks far longer than it is: numbers above its head are answered with blocks of
 * its own under other numbers, and the head goes up by itself. For measuring pages, not nodes.
 */
import { type WebSocket, WebSocketServer } from "ws";
import { type HttpServer, serve } from "../../runtimes/node/server/http-server.ts";
import { createPage } from "../../runtimes/node/server/page.ts";

/** How long it looks, and how fast it grows. */
export interface LongChainOptions {
  /** RPC URL of the real chain. */
  readonly url: string;
  readonly height: number;
  readonly blocksPerSecond: number;
  /** dist/web. */
  readonly folder: string;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const BY_NUMBER =
  /^get(Block|BlockHeader)ByNumber$|^getBlockHashByNumber$|^getBatchReceiptsByBlock/;
const MESSAGE_BYTES = 1024 * 1024;

/** The page and the interface of the long chain on a port of its own. */
export class LongChain {
  readonly #request: LongChainOptions;
  readonly #began = performance.now();
  readonly #sockets = new Set<WebSocket>();
  readonly #answers = new Map<string, string>();
  #realHeight = 1;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LongChainOptions) {
    this.#request = options;
  }

  /** The number of its latest block now. */
  get height(): number {
    const { height, blocksPerSecond } = this.#request;
    return height + Math.floor(((performance.now() - this.#began) / 1_000) * blocksPerSecond);
  }

  /** Starts it. */
  async start(): Promise<HttpServer> {
    const { folder, blocksPerSecond } = this.#request;
    const answer = await this.#forward({ id: 1, method: "getBlockNumber", params: [1] });
    this.#realHeight = Number((JSON.parse(answer) as { result: string }).result);
    const page = createPage({ folder, dev: true });
    const upgrades = new WebSocketServer({
      noServer: true,
      maxPayload: MESSAGE_BYTES,
      perMessageDeflate: false,
      clientTracking: false,
    });
    this.#timer = setInterval(() => void this.#notify(), 1_000 / blocksPerSecond);
    return await serve(
      async (request: Request) => {
        if (request.method !== "POST") {
          return (await page(request)) ?? new Response(null, { status: 404 });
        }
        return new Response(await this.#answer((await request.json()) as Call));
      },
      { host: "127.0.0.1", port: 0 },
      undefined,
      {
        upgrade: ({ request, socket, head }) => {
          upgrades.handleUpgrade(request, socket, head, (open) => this.#take(open));
          return true;
        },
        close: async () => {
          clearInterval(this.#timer);
          for (const socket of this.#sockets) socket.terminate();
        },
      },
    );
  }

  #take(socket: WebSocket): void {
    socket.on("message", (data: Buffer) => {
      const { id } = JSON.parse(String(data)) as Call;
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
      this.#sockets.add(socket);
    });
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async #notify(): Promise<void> {
    const params = [1, String(this.height), false];
    const told = await this.#answer({ id: 1, method: "getBlockHeaderByNumber", params });
    const { result } = JSON.parse(told) as { result: unknown };
    const message = { jsonrpc: "2.0", method: "subscription", params: { id: "0x1", result } };
    for (const socket of this.#sockets) socket.send(JSON.stringify(message));
  }

  async #forward(call: Call): Promise<string> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...call });
    return await (await fetch(this.#request.url, { method: "POST", body })).text();
  }

  async #answer(call: Call): Promise<string> {
    const { id, method, params } = call;
    if (method === "getBlockNumber") {
      return JSON.stringify({ jsonrpc: "2.0", id, result: `0x${this.height.toString(16)}` });
    }
    const number = Number(params[1]);
    if (!BY_NUMBER.test(method) || number <= this.#realHeight) return await this.#forward(call);
    return await this.#stretched(call, number);
  }

  /** The answer about a real block, under the wanted number and a hash of its own. */
  async #stretched({ id, method, params }: Call, number: number): Promise<string> {
    const real = 1 + (number % this.#realHeight);
    const [group, , ...rest] = params;
    const asked = [group, String(real), ...rest];
    const key = JSON.stringify([method, asked]);
    const known = this.#answers.get(key);
    const text = known ?? (await this.#forward({ id, method, params: asked }));
    this.#answers.set(key, text);
    const answer = JSON.parse(text) as { result: unknown };
    const hash = `0x${number.toString(16).padStart(64, "a")}`;
    const isHeader = method === "getBlockHeaderByNumber";
    const shown = { number: isHeader ? number : `0x${number.toString(16)}`, hash };
    const { result } = answer;
    const isBlock = typeof result === "object" && result !== null && "parentHash" in result;
    return JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: isBlock ? { ...result, ...shown } : result,
    });
  }
}
