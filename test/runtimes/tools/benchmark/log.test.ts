/** The settings of the log. Source: benchmark 1 (logging) */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openLog, timeText } from "../../../../runtimes/tools/benchmark/log.ts";
import { Settings } from "../../../../runtimes/tools/benchmark/settings.ts";

const L = "caliper-logging";
let folder = "";
let told = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-log-"));
  told = "";
});
afterEach(() => rm(folder, { recursive: true }));

/** Logs a line of three levels; gives what the file has of it. */
async function logged(given: Readonly<Record<string, string>>): Promise<string> {
  const flags = new Map(Object.entries({ "caliper-workspace": folder, ...given }));
  const settings = new Settings({ flags, env: {}, cwd: folder });
  const write = (text: string): void => {
    told += text;
  };
  const log = openLog(settings, { module: "manager", write });
  log.say("error", "it broke");
  log.say("info", "it runs");
  log.say("debug", "it turns");
  await log.close();
  return await readFile(join(folder, "caliper.log"), "utf8").catch(() => "no file");
}

test("plain sentences on the terminal, and every line with time and place in the file", async () => {
  const file = await logged({});
  expect(told).toBe("error: it broke\nit runs\n");
  const time = "\\d{4}\\.\\d\\d\\.\\d\\d-\\d\\d:\\d\\d:\\d\\d\\.\\d{3} [+-]\\d{4}";
  const lines = [
    `${time} error   \\[caliper\\] \\[manager\\] it broke`,
    `${time} info    \\[caliper\\] \\[manager\\] it runs`,
    `${time} debug   \\[caliper\\] \\[manager\\] it turns`,
  ];
  expect(file).toMatch(new RegExp(`^${lines.join("\n")}\n$`));
});

describe("settings", () => {
  test("a template is that of both targets, with formats of its parts", async () => {
    const file = await logged({
      [`${L}-template`]: "%timestamp%%level%%label%%module%: %message%%metadata%",
      [`${L}-formats-timestamp`]: "YYYY",
      [`${L}-formats-label`]: "false",
      [`${L}-formats-pad`]: "false",
      [`${L}-formats-attributeformat-level`]: " <%attribute%>",
      [`${L}-formats-attributeformat-module`]: " [%attribute%]",
    });
    const year = new Date().getFullYear();
    expect(told).toBe(`${year} <error> [manager]: it broke\n${year} <info> [manager]: it runs\n`);
    expect(file.split("\n")[2]).toBe(`${year} <debug> [manager]: it turns`);
  });

  test("lines of JSON", async () => {
    await logged({ [`${L}-formats-json`]: "true", [`${L}-formats-timestamp`]: "false" });
    expect(JSON.parse(told.split("\n")[1] ?? "")).toEqual({
      level: "info",
      label: "caliper",
      module: "manager",
      message: "it runs",
    });
  });

  test("each target has its level, and can be switched off", async () => {
    const quiet = { [`${L}-targets-console-options-level`]: "error" };
    expect(await logged({ ...quiet, [`${L}-targets-file-enabled`]: "false" })).toBe("no file");
    expect(told).toBe("error: it broke\n");
    told = "";
    const other = {
      [`${L}-targets-console-enabled`]: "false",
      [`${L}-targets-file-options-filename`]: "own.log",
      [`${L}-targets-file-options-level`]: "info",
    };
    expect(await logged(other)).toBe("no file");
    expect(told).toBe("");
    expect((await readFile(join(folder, "own.log"), "utf8")).match(/\n/g)).toHaveLength(2);
  });

  test("a level that is none is refused; a file that cannot be written is reported once", async () => {
    await expect(logged({ [`${L}-targets-file-options-level`]: "loud" })).rejects.toThrow(
      'caliper-logging-targets-file-options-level is "loud": error, warn, info',
    );
    await logged({ [`${L}-targets-file-options-filename`]: "gone/x.log" });
    expect(told).toMatch(/warning: the log cannot be written: .*gone\/x\.log: ENOENT.*\n$/);
    expect(told.match(/cannot be written/g)).toHaveLength(1);
  });
});

test("a pattern of a time", () => {
  const date = new Date(2026, 0, 2, 3, 4, 5, 6);
  expect(timeText("YYYY.MM.DD-HH:mm:ss.SSS", date)).toBe("2026.01.02-03:04:05.006");
  expect(timeText("ZZ", date)).toMatch(/^[+-]\d{4}$/);
  expect(timeText("Z", date)).toMatch(/^[+-]\d\d:\d\d$/);
});
