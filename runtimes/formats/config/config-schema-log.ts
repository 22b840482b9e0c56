/** Keys of the section log of config.ini. Source: groups 8 */
import { BOOLEAN, integer, LOG_NAME, oneOf, TEXT } from "./config-kinds.ts";
import { key } from "./config-schema.ts";

/** Section log. */
export const LOG_KEYS = {
  enable: key(BOOLEAN, true, { en: "Write log files.", zh: "写日志文件。", written: "true" }),
  log_path: key(TEXT, "log", { en: "Folder of log files.", zh: "日志目录。", written: "./log" }),
  level: key(oneOf("trace", "debug", "info", "warning", "error"), "info", {
    en: "Least severe lines that are written.",
    zh: "最低日志级别。",
    written: "info",
  }),
  max_log_file_size: key(integer(100), 1024, {
    en: "Size in MB at which a new log file begins.",
    zh: "日志文件达到该 MB 数时新建文件。",
    written: "200",
  }),
  flush: key(BOOLEAN, true, {
    en: "Write every line at once; otherwise lines may wait for a second.",
    zh: "每行立即写入，否则最多等待一秒。",
    written: "true",
  }),
  log_flush_threshold: key(integer(1), 100, {
    en: "Lines that are gathered before they are written.",
    zh: "写入前累积的行数。",
    noEffect: true,
  }),
  format: key(TEXT, "", { en: "Format of a line.", zh: "行格式。", noEffect: true }),
  enable_console_output: key(BOOLEAN, false, {
    en: "Write all lines to the terminal as well, not only warnings and errors.",
    zh: "所有日志同时输出到终端，而不仅是警告和错误。",
  }),
  enable_rotate_by_hour: key(BOOLEAN, true, {
    en: "A new file every hour; otherwise the patterns below hold.",
    zh: "每小时一个新文件，否则使用以下模式。",
  }),
  log_name_pattern: key(LOG_NAME, "log_%Y%m%d_%H%M.log", {
    en: "Name of the current file.",
    zh: "当前文件名。",
  }),
  rotate_name_pattern: key(LOG_NAME, "log_%Y%m%d%H.%M.log", {
    en: "Name of a finished file.",
    zh: "归档文件名。",
  }),
  archive_path: key(TEXT, "", {
    en: "Folder of finished files.",
    zh: "归档目录。",
    shown: { en: "log_path", zh: "log_path" },
  }),
  compress_archive_file: key(BOOLEAN, false, {
    en: "Compress finished files.",
    zh: "压缩归档文件。",
  }),
  max_archive_files: key(integer(0), 0, {
    en: "Most finished files; the oldest are removed; 0 is unlimited.",
    zh: "归档文件数上限，超出时删除最旧的，0 表示不限。",
  }),
  max_archive_size: key(integer(0), 0, {
    en: "Most MB of finished files in all; the oldest are removed; 0 is unlimited.",
    zh: "归档文件总 MB 上限，超出时删除最旧的，0 表示不限。",
    written: "4096",
  }),
  min_free_space: key(integer(0), 0, {
    en: "MB that stay free on the disk; 0 is no limit.",
    zh: "磁盘保留的 MB 数，0 表示不限。",
  }),
  enable_statistic: key(BOOLEAN, false, {
    en: "Write figures of the network to a log of their own.",
    zh: "将网络统计写入单独的日志。",
    noEffect: true,
    written: "false",
  }),
  stat_flush_interval: key(integer(1), 60, {
    en: "Seconds between such lines.",
    zh: "统计输出间隔（秒）。",
    noEffect: true,
    written: "60",
  }),
} as const;
