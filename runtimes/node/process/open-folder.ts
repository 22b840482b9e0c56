/** The folder that a node is started from: held, its settings read, its log open. */
import { dirname, resolve } from "node:path";
import type { Log } from "../../../core/ports/log.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { type NodeLog, openNodeLog } from "../log/node-log.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { createNodeClock } from "../machine/clock.ts";
import type { Undo } from "../machine/undo.ts";
import { holdFolder } from "../store/node-folder.ts";
import { logWarnings, readSettings } from "./node-settings.ts";

/** Which folder is opened. */
export interface FolderStart {
  /** Path of config.ini. */
  readonly config: string;
  /** What the operator sees at once; the log files of config.ini come next to it. */
  terminal(settings: NodeConfig["log"]): Log;
}

/** A folder that is held. */
export interface OpenFolder {
  /** Path of config.ini, absolute. */
  readonly path: string;
  /** The folder, absolute. */
  readonly home: string;
  readonly config: NodeConfig;
  readonly lines: NodeLog;
}

/** Opens it; `undo` lets it go. @throws ConfigFault, FolderFault, StoreFault */
export async function openFolder(start: FolderStart, undo: Undo): Promise<OpenFolder> {
  const { now } = createNodeClock();
  const path = resolve(start.config);
  const home = dirname(path);
  const { value: config, warnings } = await readSettings(path);
  const folder = await holdFolder(path, config, now());
  undo.add(() => folder.close());
  const terminal = start.terminal(config.log);
  const lines = openNodeLog({ home, settings: config.log, terminal, now });
  undo.add(() => lines.close());
  const { version } = BUILD_INFO;
  lines.log.write("info", "the node starts", { version, pid: process.pid, config: path });
  logWarnings(warnings, lines.log);
  return { path, home, config, lines };
}
