/**
 * `chain-node gateway`, `chain-node edge dev`, `chain-node edge build`: one gateway, three places.
 */
import type { LogLevel } from "../../../core/ports/log.ts";
import { PROOF_HEADER } from "../../../core/gateway/proof-label.ts";
import type { TrustedBlock } from "../../../core/gateway/follower.ts";
import { shownUrls } from "../../../core/gateway/upstream-names.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { workerText, workerVariables, writeWorker } from "../gateway/edge-files.ts";
import {
  type ChainChoice,
  isOwnHost,
  ofArgument,
  requireSuite,
  trustedBlock,
} from "../gateway/first-block.ts";
import { serveGateway } from "../gateway/serve-gateway.ts";
import { startWorker } from "../gateway/workerd.ts";
import { createLog } from "../log/log.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { outliveReaders, untilAsked } from "../process/ending.ts";

/** What all of them are told. */
interface ChainOptions extends ChainChoice {
  readonly sm: boolean;
}

interface GatewayOptions extends ChainOptions {
  readonly host: string;
  readonly port: number;
  readonly cors: string | undefined;
  readonly allowHost?: readonly string[];
  readonly keep: number;
  readonly staleAfter: number;
  readonly json: boolean;
  readonly logLevel: LogLevel;
}

const MIB = 1024 * 1024;
/** Of a request to a gateway: clients of a consortium chain send no more. */
const MAX_BODY_BYTES = 10 * MIB;

/** What is shown when a gateway listens. */
interface Shown {
  readonly url: string;
  readonly where: string;
  readonly choice: ChainChoice;
  readonly trusted: { readonly number: number; readonly hash: string };
}

const ONE_UPSTREAM =
  "  warning   one upstream: only what blocks prove is answered; add others to --upstream";

function screenText({ url, where, choice, trusted }: Shown): string {
  const call = `{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[${choice.group}]}`;
  const asked = choice.trust === undefined ? " (as the upstreams of this host say)" : "";
  return [
    `chain-node gateway ${where}, group ${choice.group}`,
    `  listens   ${url}`,
    `  asks      ${shownUrls(choice.upstream).join(", ")}`,
    `  trusts    block ${trusted.number}, ${trusted.hash}${asked}`,
    ...(choice.upstream.length > 1 ? [] : [ONE_UPSTREAM]),
    `try       curl -si ${url} -d '${call}' | grep -i -e ${PROOF_HEADER} -e result`,
    "stop      Ctrl-C",
    "",
  ].join("\n");
}

function readyLine({ url, choice, trusted }: Shown): string {
  const { upstream, group } = choice;
  const trust = `${trusted.number}:${trusted.hash}`;
  const upstreams = shownUrls(upstream);
  return `${JSON.stringify({ ready: true, rpc: url, upstreams, group, trust })}\n`;
}

/** Runs a gateway until a signal; resolves with the exit code. */
export async function runGateway(options: GatewayOptions): Promise<number> {
  const { end } = untilAsked("server");
  outliveReaders();
  const log = createLog({ level: options.logLevel, target: process.stderr });
  const trusted = await chosenChain(options);
  const suite = await createChainSuite(options.sm ? "national" : "standard", log);
  const { host, port, cors, allowHost = [], upstream } = options;
  const settings = {
    upstreams: upstream,
    groupId: options.group,
    trusted,
    suite,
    build: BUILD_INFO,
    hidesHosts: !isOwnHost(host),
    maxKeptBytes: options.keep * MIB,
    staleMs: options.staleAfter * 1_000,
  };
  const lists = {
    allowedHosts: [...allowHost, host],
    allowedOrigins: cors === undefined ? [] : [cors],
  };
  const serving = { settings, address: { host, port }, lists, maxBodyBytes: MAX_BODY_BYTES, log };
  // A number of upstreams, or a URL, that cannot be.
  const served = await serveGateway(serving).catch((cause: unknown) => {
    throw ofArgument(cause);
  });
  const shown = { url: served.server.url, where: "on Node", choice: options, trusted };
  process.stdout.write(options.json ? readyLine(shown) : screenText(shown));
  const code = await end;
  await served.close();
  sayStopped(options);
  return code;
}

/** Runs the worker of a gateway in workerd until a signal; resolves with the exit code. */
export async function runEdgeDev(
  options: ChainOptions & Pick<GatewayOptions, "port" | "json">,
): Promise<number> {
  const { end } = untilAsked("session");
  outliveReaders();
  const trusted = await chosenChain(options);
  // It listens for this host alone.
  const variables = { ...workerVariables({ ...options, trusted }), UPSTREAM_NAMES: "hosts" };
  const text = await workerText();
  const address = { host: "127.0.0.1", port: options.port };
  const worker = await startWorker(text, variables, address);
  const shown = { url: worker.url, where: "in workerd", choice: options, trusted };
  process.stdout.write(options.json ? readyLine(shown) : screenText(shown));
  const code = await end;
  await worker.close();
  sayStopped(options);
  return code;
}

/** Who pressed Ctrl-C sees that it was heard. */
function sayStopped({ json }: { readonly json: boolean }): void {
  if (!json) process.stdout.write("\nstopped; a gateway keeps nothing\n");
}

/** What the gateway begins with. @throws FolderFault */
async function chosenChain(options: ChainOptions): Promise<TrustedBlock> {
  const trusted = await trustedBlock(options);
  await requireSuite(options.upstream, options.sm);
  return trusted;
}

function sizeText(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** Writes the folder of a worker. */
export async function runEdgeBuild(
  folder: string,
  options: ChainOptions & { readonly name: string; readonly json: boolean },
): Promise<void> {
  const trusted = await chosenChain(options);
  const written = await writeWorker(folder, options.name, { ...options, trusted });
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ files: written })}\n`);
    return;
  }
  for (const { file, bytes, gzipBytes } of written)
    process.stdout.write(`${file}  ${sizeText(bytes)}, ${sizeText(gzipBytes)} compressed\n`);
  process.stdout.write("deploy it with wrangler, in that folder: npx wrangler deploy\n");
}
