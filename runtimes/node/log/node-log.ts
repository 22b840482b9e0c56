/** The log of a node from the section `log` of its config.ini. Source: groups 8 (log) */
import { resolve } from "node:path";
import type { Log } from "../../../core/ports/log.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { createLog, logToAll } from "./log.ts";
import { LogFile } from "./log-file.ts";

/** Name of files that begin every hour, as the reference's. Source: groups 8 (log) */
const HOURLY_NAME = "log_%Y%m%d%H.%M.log";
const MEBIBYTE = 1024 * 1024;

/** A log and the files behind it. */
export interface NodeLog {
  readonly log: Log;
  /** Goes to the files only: for what the terminal is told in another way. */
  readonly files: Log;
  /** The file that is written now; undefined without log files. */
  file(): string | undefined;
  /** Writes what waits. */
  close(): Promise<void>;
}

interface NodeLogOptions {
  readonly home: string;
  readonly settings: NodeConfig["log"];
  /** Where the operator looks: the terminal. */
  readonly terminal: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

function fileOf({ home, settings, terminal, now }: NodeLogOptions): LogFile {
  const folder = resolve(home, settings.log_path);
  const hourly = settings.enable_rotate_by_hour;
  const name = hourly ? HOURLY_NAME : settings.log_name_pattern;
  const archive = {
    folder: settings.archive_path === "" ? folder : resolve(home, settings.archive_path),
    name: hourly ? HOURLY_NAME : settings.rotate_name_pattern,
    compress: settings.compress_archive_file,
    maxFiles: settings.max_archive_files,
    maxBytes: settings.max_archive_size * MEBIBYTE,
    minFreeBytes: settings.min_free_space * MEBIBYTE,
  };
  return new LogFile({
    folder,
    name,
    hourly,
    maxBytes: settings.max_log_file_size * MEBIBYTE,
    archive,
    flushAtOnce: settings.flush,
    now,
    onTrouble: (cause) => {
      const fields = { folder, cause: reasonOf(cause) };
      terminal.write("error", "log files cannot be written; the node goes on", fields);
    },
    lostLine(lost) {
      const time = new Date(now()).toISOString();
      return `${JSON.stringify({ level: "warning", time, lost, msg: "log lines were lost" })}\n`;
    },
  });
}

/** Opens the log files of a node; without them, what is logged goes to the terminal only. */
export function openNodeLog(options: NodeLogOptions): NodeLog {
  const { settings, terminal } = options;
  if (!settings.enable) {
    const files: Log = { write: () => {} };
    return { log: terminal, files, file: () => undefined, close: async () => {} };
  }
  const file = fileOf(options);
  file.open();
  const files = createLog({ level: settings.level, target: file, readable: false });
  const log = logToAll([files, terminal]);
  return { log, files, file: () => file.path, close: () => file.close() };
}
