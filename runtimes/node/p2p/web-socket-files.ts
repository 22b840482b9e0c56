/**
 * Certificate and key of the WebSocket port for peers (`p2p.ws_cert`, `p2p.ws_key`): read at the
 * start, and again when they are replaced. Browsers ask for a certificate that they trust, so it is
 * none of the chain's. Source: groups 8
 */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import type { WebSocketListener } from "../../formats/config/node-config.ts";
import type { WebSocketFiles } from "../../shared/p2p/p2p-options.ts";

/** Where the files are; absolute paths. */
interface WebSocketPaths {
  readonly cert: string;
  readonly key: string;
}

/** The files may be replaced at any time, by tools that know nothing of the node. */
const LOOK_MS = 30_000;

/** The paths of the files of a node; undefined when its port is plain or off. */
export function webSocketPaths(
  home: string,
  listener: WebSocketListener | undefined,
): WebSocketPaths | undefined {
  const { tls } = listener ?? {};
  return tls && { cert: resolve(home, tls.cert), key: resolve(home, tls.key) };
}

async function textOf(path: string, key: string): Promise<string> {
  return await readFile(path, "utf8").catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
    const next = `[p2p] ${key} names it; without ws_cert and ws_key the port speaks plain ws.`;
    throw new FolderFault("missing", `${path} cannot be read (${code}). ${next}`, { cause });
  });
}

/** Reads the files and tries them. @throws FolderFault that names the file and says what to do */
export async function readWebSocketFiles(paths: WebSocketPaths): Promise<WebSocketFiles> {
  const cert = await textOf(paths.cert, "ws_cert");
  const key = await textOf(paths.key, "ws_key");
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const next = "They must be a certificate with its chain and its key, both in PEM.";
    throw new FolderFault(
      "unusable",
      `${paths.cert} and ${paths.key} cannot serve wss: ${said}. ${next}`,
      { cause },
    );
  }
  return { cert, key };
}

interface WebSocketWatch {
  readonly paths: WebSocketPaths;
  /** Those that are served now. */
  readonly files: WebSocketFiles;
  readonly clock: Clock;
  readonly log: Log;
  renew(files: WebSocketFiles): void;
}

function warnOfEnd({ cert }: WebSocketFiles, { paths, clock, log }: WebSocketWatch): void {
  const end = Date.parse(new X509Certificate(cert).validTo);
  if (clock.now() <= end) return;
  const next = "browsers refuse it: replace the file, the node takes it over by itself";
  log.write("warning", `the certificate of the WebSocket port has ended: ${next}`, {
    file: paths.cert,
  });
}

/** Examines the files now and then and takes over what has changed. @returns what ends it */
export function watchWebSocketFiles(watch: WebSocketWatch): () => void {
  const { paths, clock, log } = watch;
  let served = watch.files;
  let refused = "";
  let cancel = () => {};
  let isOver = false;
  const look = async () => {
    const files = await readWebSocketFiles(paths).catch((cause: Error) => cause.message);
    if (isOver) return;
    if (typeof files === "string") {
      const fields = { cause: files };
      if (files !== refused) log.write("warning", "the WebSocket port keeps its files", fields);
      refused = files;
    } else if (files.cert !== served.cert || files.key !== served.key) {
      served = files;
      refused = "";
      watch.renew(files);
      log.write("info", "the WebSocket port has a new certificate", { file: paths.cert });
      warnOfEnd(files, watch);
    }
    cancel = clock.after(LOOK_MS, () => void look());
  };
  warnOfEnd(served, watch);
  cancel = clock.after(LOOK_MS, () => void look());
  return () => {
    isOver = true;
    cancel();
  };
}
