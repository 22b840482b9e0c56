/** Log files on a real disk: new ones in time, old ones removed, faults outlived. */
// rules: groups 8
import assert from "node:assert/strict";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, test } from "vitest";
import { LogFile, type LogFileOptions } from "../../../../runtimes/node/log/log-file.ts";
import {
  isLogName,
  logName,
  numberedName,
  numberOfName,
} from "../../../../runtimes/node/log/log-name.ts";
import { sleep } from "../../../support/process/dev-process.ts";

const HOURLY = "log_%Y%m%d%H.%M.log";
const HOUR_MS = 60 * 60 * 1000;
/** 2026-01-02 03:04 on the clock on the wall. */
const START = new Date(2026, 0, 2, 3, 4).getTime();
const NO_LIMITS = { compress: false, maxFiles: 0, maxBytes: 0, minFreeBytes: 0 };

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-log-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

interface Changes extends Partial<Omit<LogFileOptions, "archive">> {
  readonly archive?: Partial<LogFileOptions["archive"]>;
}

/** A log in a folder of its own, with a clock to move. */
async function arrange(changes: Changes = {}) {
  const folder = changes.folder ?? (await mkdtemp(join(home, "log-")));
  const time = { now: START };
  const troubles: unknown[] = [];
  const { archive, ...rest } = changes;
  const name = changes.name ?? HOURLY;
  const open = () =>
    new LogFile({
      folder,
      name,
      hourly: true,
      maxBytes: 1_000,
      flushAtOnce: true,
      now: () => time.now,
      onTrouble: (cause) => troubles.push(cause),
      lostLine: (count) => `lost ${count}\n`,
      ...rest,
      archive: { folder, name, ...NO_LIMITS, ...archive },
    });
  return { folder, time, troubles, open, names: () => readdirSync(folder).sort() };
}

function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** Until the lines of this turn are written. */
const turn = (): Promise<void> => new Promise((resume) => setImmediate(() => setImmediate(resume)));

test("lines are in the file in the next turn, and a later start goes on in it", async () => {
  const { folder, open, names } = await arrange();
  const log = open();
  log.write("one\n");
  log.write("two\n");
  await turn();
  assert.deepEqual(names(), ["log_2026010203.04.log"]);
  assert.equal(textOf(folder, "log_2026010203.04.log"), "one\ntwo\n");
  await log.close();
  utimesSync(join(folder, "log_2026010203.04.log"), START / 1000, START / 1000);
  const again = open();
  again.write("three\n");
  await again.close();
  assert.deepEqual(names(), ["log_2026010203.04.log"]);
  assert.equal(textOf(folder, "log_2026010203.04.log"), "one\ntwo\nthree\n");
});

test("a new file begins every hour and when the present one is full", async () => {
  const { time, open, names, folder } = await arrange();
  const log = open();
  for (const text of ["a", "b", "c"]) {
    log.write(`${text.repeat(599)}\n`);
    await turn();
  }
  time.now += HOUR_MS;
  log.write("later\n");
  await log.close();
  assert.deepEqual(names(), [
    "log_2026010203.04.1.log",
    "log_2026010203.04.2.log",
    "log_2026010203.04.log",
    "log_2026010204.04.log",
  ]);
  assert.equal(textOf(folder, "log_2026010203.04.1.log"), `${"b".repeat(599)}\n`);
});

test("without hours, patterns name the present and the finished files", async () => {
  const archive = { name: "old_%Y.log", folder: join(home, "archive") };
  const { folder, open, names } = await arrange({ name: "now.log", hourly: false, archive });
  const log = open();
  for (const text of ["a", "b", "c"]) {
    log.write(`${text.repeat(599)}\n`);
    await turn();
    await sleep(20);
  }
  await log.close();
  assert.deepEqual(names(), ["now.log"]);
  assert.equal(textOf(folder, "now.log")[0], "c");
  const year = new Date().getFullYear();
  assert.deepEqual(readdirSync(archive.folder).sort(), [`old_${year}.1.log`, `old_${year}.log`]);
});

test("finished files are bounded by number and by size; the oldest go, others stay", async () => {
  for (const archive of [{ maxFiles: 2 }, { maxBytes: 1_300 }]) {
    const { folder, open, names } = await arrange({ archive });
    writeFileSync(join(folder, "notes.txt"), "mine");
    const log = open();
    for (let i = 0; i < 6; i++) {
      log.write(`${i}${"x".repeat(598)}\n`);
      await turn();
      await sleep(15);
    }
    await log.close();
    assert.deepEqual(names(), [
      "log_2026010203.04.3.log",
      "log_2026010203.04.4.log",
      "log_2026010203.04.5.log",
      "notes.txt",
    ]);
  }
});

test("of finished files of one moment those with lower numbers go", async () => {
  const { folder, open, names } = await arrange({ archive: { maxFiles: 2 } });
  const stem = "log_2026010203.03";
  const finished = [`${stem}.10.log`, `${stem}.log`, `${stem}.9.log.gz`, `${stem}.2.log`];
  for (const name of finished) {
    writeFileSync(join(folder, name), "old");
    utimesSync(join(folder, name), 1_000, 1_000);
  }
  const log = open();
  log.write("one\n");
  await log.close();
  assert.deepEqual(names(), [`${stem}.10.log`, `${stem}.9.log.gz`, "log_2026010203.04.log"]);
});

test("finished files are compressed when asked", async () => {
  const { folder, open, names } = await arrange({ archive: { compress: true } });
  const log = open();
  log.write(`${"a".repeat(900)}\n`);
  await turn();
  log.write(`${"b".repeat(900)}\n`);
  await log.close();
  assert.deepEqual(names(), ["log_2026010203.04.1.log", "log_2026010203.04.log.gz"]);
  const text = gunzipSync(readFileSync(join(folder, "log_2026010203.04.log.gz"))).toString();
  assert.equal(text, `${"a".repeat(900)}\n`);
});

test("drafts that a crash left are removed at the first tidying; other files stay", async () => {
  const { folder, open, names } = await arrange({ archive: { compress: true } });
  const outsiders = ["mine.gz.new", "notes.new"];
  for (const name of ["log_2026010203.03.log.gz.new", "log_2026010203.02.log.new", ...outsiders]) {
    writeFileSync(join(folder, name), "half");
  }
  const log = open();
  log.write("one\n");
  await log.close();
  assert.deepEqual(names(), ["log_2026010203.04.log", ...outsiders]);
});

const { dev: ownDisk } = statSync(tmpdir());
const otherDisk = ["/dev/shm", "/tmp", "/var/tmp"].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== ownDisk,
);

test.skipIf(otherDisk === undefined)(
  "finished files go to another disk behind the lines that are written",
  async () => {
    const there = await mkdtemp(join(otherDisk ?? "", "chain-log-"));
    try {
      const archive = { name: "old_%Y.log", folder: there };
      const { folder, open, names } = await arrange({ name: "now.log", hourly: false, archive });
      // On its way when the process ended.
      writeFileSync(join(folder, "now.log.leaving"), "left\n");
      utimesSync(join(folder, "now.log.leaving"), START / 1000, START / 1000);
      const log = open();
      for (const text of ["a", "b", "c"]) {
        log.write(`${text.repeat(599)}\n`);
        await turn();
      }
      assert.equal(textOf(folder, "now.log")[0], "c", "the name is free at once");
      await log.close();
      assert.deepEqual(names(), ["now.log"]);
      const texts = readdirSync(there).map((name) => textOf(there, name)[0]);
      assert.deepEqual(texts.sort(), ["a", "b", "l"]);
      assert.ok(readdirSync(there).every((name) => /^old_\d{4}(\.\d)?\.log$/.test(name)));
    } finally {
      await rm(there, { recursive: true });
    }
  },
);

test("a folder that is removed comes back with the next line after a second", async () => {
  const { folder, open, names, troubles } = await arrange();
  const log = open();
  log.write("one\n");
  await turn();
  rmSync(folder, { recursive: true });
  await sleep(1_050);
  log.write("two\n");
  await log.close();
  assert.equal(textOf(folder, names()[0] ?? ""), "two\n");
  assert.deepEqual(troubles, []);
});

test("a disk that refuses costs no line until it takes them again, and one report", async () => {
  const blocked = join(home, "blocked");
  writeFileSync(blocked, "a file where the folder should be");
  const { troubles, open } = await arrange({ folder: blocked });
  const log = open();
  for (let i = 0; i < 5; i++) {
    log.write(`${i}\n`);
    await turn();
  }
  assert.equal(troubles.length, 1);
  rmSync(blocked);
  await sleep(1_050);
  log.write("5\n");
  await log.close();
  assert.equal(textOf(blocked, "log_2026010203.04.log"), "0\n1\n2\n3\n4\n5\n");
});

test("what waits for a disk is bounded, and the file says what is missing", async () => {
  const blocked = join(home, "bounded");
  writeFileSync(blocked, "");
  const { open } = await arrange({ folder: blocked, maxBytes: 1e9 });
  const log = open();
  const line = `${"x".repeat(9_999)}\n`;
  for (let i = 0; i < 200; i++) log.write(line);
  rmSync(blocked);
  await log.close();
  const text = textOf(blocked, "log_2026010203.04.log");
  assert.match(text, /\nlost (9\d)\n$/);
  const lost = Number(/lost (\d+)/.exec(text)?.[1]);
  assert.equal(text.length, (200 - lost) * 10_000 + "lost 00\n".length);
});

test("names follow their patterns, and only such names are taken for log files", () => {
  assert.equal(logName(HOURLY, START), "log_2026010203.04.log");
  assert.equal(logName("100%%_%q_%S.log", START), "100%_q_00.log");
  assert.equal(numberedName("a.b.log", 3), "a.b.3.log");
  for (const number of [0, 1, 12]) {
    assert.equal(numberOfName("a.b.log", numberedName("a.b.log", number)), number);
    assert.equal(numberOfName("a.b.log", `${numberedName("a.b.log", number)}.gz`), number);
    assert.equal(numberOfName("log", numberedName("log", number)), number);
  }
  for (const name of ["a.log", "a.b.x.log", "b.a.b.log"])
    assert.equal(numberOfName("a.b.log", name), undefined);
  const isLog = isLogName(HOURLY);
  for (const name of [
    "log_2026010203.04.log",
    "log_2026010203.04.7.log",
    "log_2026010203.04.log.gz",
  ])
    assert.ok(isLog(name), name);
  for (const name of ["log_20260102.04.log", "xlog_2026010203.04.log", "log_2026010203.04.log.bak"])
    assert.ok(!isLog(name), name);
});
