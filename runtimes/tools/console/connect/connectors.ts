/** The two ways to nodes: the channel port with certificates, and JSON-RPC over HTTP. */
import { join } from "node:path";
import { readText } from "../../../folder/whole-files.ts";
import { channelTransport } from "../../../node/client/channel-transport.ts";
import { httpTransport } from "../../../shared/client/web-transports.ts";
import { requireEndpoint } from "../arguments.ts";
import { ConsoleFault } from "../command.ts";
import type { ConsoleConfig } from "../config.ts";
import { oneLine } from "../foreign-text.ts";
import type { CertificateTexts } from "./diagnosis.ts";
import type { NodeConnector, NodeLink } from "./node-pool.ts";

async function readCertificates(config: ConsoleConfig): Promise<CertificateTexts> {
  const { ca, cert, key } = config.certificates;
  const read = async (path: string): Promise<string> => {
    const text = await readText(path);
    if (text !== undefined) return text;
    const gm = await readText(join(path, "..", "gm", "gmsdk.crt"));
    const standard =
      gm === undefined
        ? ""
        : " The channel port of a chain with national algorithms is asked with these three " +
          "files too, not with those of gm.";
    throw new ConsoleFault(
      `${path} is missing. Copy ca.crt, sdk.crt and sdk.key from the folder sdk of an agency ` +
        `of the chain to where ${config.file} names them (cryptoMaterial).${standard}`,
    );
  };
  const [caText, certText, keyText] = await Promise.all([read(ca), read(cert), read(key)]);
  return { ca: caText, cert: certText, key: keyText };
}

/** Channel ports. @throws ConsoleFault when a certificate file or every endpoint is missing */
export async function channelConnector(config: ConsoleConfig): Promise<NodeConnector> {
  if (config.peers.length === 0)
    throw new ConsoleFault(
      `${config.file}: network.peers names no node: give ip:channel_listen_port of one at least.`,
    );
  const texts = await readCertificates(config);
  return {
    endpoints: config.peers.map(({ text }) => text),
    async linkTo(text) {
      const endpoint = requireEndpoint(text);
      const { closedPort, tcpProblem } = await import("./diagnosis.ts");
      // Tried first: a host that drops packets would cost the patience of TLS.
      const problem = await tcpProblem(endpoint);
      if (problem !== undefined) throw noConnection(closedPort(endpoint, problem));
      const { host, port } = endpoint;
      const channel = channelTransport({ host, port, ...texts });
      return { endpoint: text, transport: channel, channel };
    },
    async explain(text, cause) {
      const { tlsProblem } = await import("./diagnosis.ts");
      const attempt = { endpoint: requireEndpoint(text), paths: config.certificates, texts };
      return await tlsProblem(attempt, cause);
    },
  };
}

function noConnection(message: string): ConsoleFault {
  return new ConsoleFault(message, { exitCode: 3 });
}

/** `host:port` of a URL; the host alone where the port is the usual one. */
function endpointOf(url: string): string {
  return new URL(url).host;
}

/** RPC ports. */
export function httpConnector(urls: readonly string[], token: string | undefined): NodeConnector {
  const byEndpoint = new Map(urls.map((url) => [endpointOf(url), url]));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const urlOf = (endpoint: string): string =>
    byEndpoint.get(endpoint) ?? `http://${requireEndpoint(endpoint).text}`;
  return {
    endpoints: [...byEndpoint.keys()],
    linkTo(endpoint): Promise<NodeLink> {
      const transport = httpTransport(urlOf(endpoint), { headers });
      return Promise.resolve({ endpoint, transport, channel: undefined });
    },
    explain: (endpoint, cause) => Promise.resolve(httpProblem(urlOf(endpoint), cause)),
  };
}

function httpProblem(url: string, cause: unknown): string {
  const why = oneLine(cause instanceof Error ? cause.message : String(cause));
  const text = why.startsWith(url) ? why : `${url}: ${why}`;
  const hint = /ECONNREFUSED/.test(why)
    ? "Nothing listens there: start the node, and see its jsonrpc_listen_port."
    : "Does a node's JSON-RPC listen there, without TLS in front unless the URL says https?";
  return `${text}. ${hint}`;
}
