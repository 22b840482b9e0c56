/**
 * Where the page reads a chain from: the node whose RPC port served the page, or the node in a
 * worker of this browser. Parts ask a source and never know which of both it is.
 */
import type { RpcCall, Transport } from "../../core/client/transport.ts";
import { httpTransport, webSocketTransport } from "../../runtimes/shared/client/web-transports.ts";

/** Kinds of sources. */
export type SourceKind = "node" | "tab";

/** A way to a chain; its failures are NodeFault and TransportFault of core/client. */
export interface ChainSource extends Pick<Transport, "request"> {
  /** Where it is, for people: `127.0.0.1:8545`. */
  readonly name: string;
  readonly kind: SourceKind;
  /** For `createClient` of chain-node/client: signing, contracts, waiting for receipts. */
  readonly transport: Transport;
  /** The parameters are those of `subscribe`: `[group, "blocks" | "receipts" | "logs", filter]`. */
  readonly subscribe: NonNullable<Transport["subscribe"]>;
  /** What the newest height rests on, where a gateway answers: the text of its header. */
  proof?(): string | undefined;
  /** What the answer to a call rests on, once it is there: asked for by the very object. */
  proofOf?(call: RpcCall): string | undefined;
  /** Closes connections; the chain goes on. */
  close(): Promise<void>;
}

/** A source over a transport that pushes. */
export function sourceOver(
  { name, kind }: Pick<ChainSource, "name" | "kind">,
  transport: Transport & Required<Pick<Transport, "subscribe">>,
): ChainSource {
  return {
    name,
    kind,
    transport,
    request: (call, signal) => transport.request(call, signal),
    subscribe: (params, listener) => transport.subscribe(params, listener),
    close: async () => await transport.close?.(),
  };
}

/** Gateways say in it what an answer rests on. */
const PROOF_HEADER = "x-chain-node-proof";
/** Longer than any call of a contract takes; a page that waits longer seems dead. */
const TIMEOUT_MS = 20_000;

/**
 * The node at the RPC port `base`: requests over HTTP, subscriptions over one WebSocket, which is
 * opened by the first of them.
 */
export function nodeSource(base: URL): ChainSource {
  const timing = { timeoutMs: TIMEOUT_MS };
  let proof: string | undefined;
  const proofs = new WeakMap<RpcCall, string>();
  const askFor = (call: RpcCall) =>
    httpTransport(base.href, {
      ...timing,
      fetch: async (url, request) => {
        const answer = await fetch(url, request);
        const told = answer.headers.get(PROOF_HEADER);
        if (told !== null) proofs.set(call, told);
        if (told !== null && call.method === "getBlockNumber") proof = told;
        return answer;
      },
    });
  const webSocketUrl = new URL(base);
  webSocketUrl.protocol = base.protocol === "https:" ? "wss:" : "ws:";
  const pushes = webSocketTransport(webSocketUrl.href, timing);
  const subscribe = pushes.subscribe?.bind(pushes);
  const source = sourceOver(
    { name: base.host + base.pathname.replace(/\/$/, ""), kind: "node" },
    {
      request: (call, signal) => askFor(call).request(call, signal),
      subscribe: async (params, listener) => {
        if (subscribe === undefined) throw new TypeError("this transport pushes nothing");
        return await subscribe(params, listener);
      },
      close: async () => await pushes.close?.(),
    },
  );
  return { ...source, proof: () => proof, proofOf: (call) => proofs.get(call) };
}

/** The folder that the page was loaded from: the RPC port that served it. */
export function servingNode(): URL {
  const base = new URL(".", document.baseURI);
  base.hash = "";
  base.search = "";
  return base;
}
