/** Signal files in a real folder. */
// rules: groups 1
import assert from "node:assert/strict";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, rmdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { watchSignals } from "../../../../runtimes/node/process/signal-files.ts";
import { collectLog } from "../../../support/collected-log.ts";
import { sleep } from "../../../support/process/dev-process.ts";
import { tookMs, untilQuick } from "../../../support/runner/until-quick.ts";

const FILE = "config.ini.something";
const LIMIT_MS = 240_000;
const LATE_MS = 1_000;
/** A few looks. */
const SOME_LOOKS_MS = 450;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-signals-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!holds()) {
    assert.ok(performance.now() < end, "it happens in time");
    await sleep(10);
  }
}

test.concurrent("a signal file is removed and obeyed once", async () => {
  const folder = await mkdtemp(join(home, "once-"));
  const log = collectLog();
  let obeyed = 0;
  const close = watchSignals(folder, [{ file: FILE, obey: async () => void obeyed++ }], log);
  for (const times of [1, 2]) {
    await writeFile(join(folder, FILE), "");
    await until(() => obeyed === times);
    assert.ok(!existsSync(join(folder, FILE)));
  }
  await sleep(SOME_LOOKS_MS);
  await close();
  assert.deepEqual([obeyed, log.lines], [2, []]);
});

test.concurrent("what cannot be removed is obeyed and reported once, and again when it comes back", async () => {
  const folder = await mkdtemp(join(home, "stuck-"));
  const log = collectLog();
  let obeyed = 0;
  // A folder of that name is something that unlink does not remove, no matter who runs this.
  await mkdir(join(folder, FILE));
  const close = watchSignals(folder, [{ file: FILE, obey: async () => void obeyed++ }], log);
  await until(() => obeyed === 1);
  await sleep(SOME_LOOKS_MS);
  assert.equal(obeyed, 1);
  assert.equal(log.messages("error").length, 1);
  assert.equal(log.lines[0]?.fields["file"], FILE);
  // On a busy machine a look may come later than some looks usually take.
  while (obeyed < 2) {
    await rmdir(join(folder, FILE));
    await sleep(SOME_LOOKS_MS);
    await mkdir(join(folder, FILE));
    await sleep(SOME_LOOKS_MS);
  }
  assert.equal(obeyed, 2);
  await close();
});

test.concurrent("a file that comes long after the folder was searched is found at once", async () => {
  const folder = await mkdtemp(join(home, "later-"));
  let obeyed = 0;
  const signal = { file: FILE, obey: async () => void obeyed++ };
  const close = watchSignals(folder, [signal], collectLog());
  // Longer than a folder that has not changed is searched; what keeps its time waits 1.5 s here.
  let tries = 0;
  await untilQuick(LATE_MS, async () => {
    tries++;
    await sleep(2_500);
    return tookMs(async () => {
      await writeFile(join(folder, FILE), "");
      await until(() => obeyed === tries);
    });
  });
  await close();
});

test.concurrent("a file is found whose folder keeps its time", async () => {
  const folder = await mkdtemp(join(home, "same-time-"));
  const then = new Date(1_000_000_000_000);
  await utimes(folder, then, then);
  let obeyed = 0;
  const close = watchSignals(
    folder,
    [{ file: FILE, obey: async () => void obeyed++ }],
    collectLog(),
  );
  await sleep(2_500);
  writeFileSync(join(folder, FILE), "");
  utimesSync(folder, then, then);
  await until(() => obeyed === 1);
  await close();
});

test.concurrent("what a signal asks for may fail: it is logged, and the next signal is obeyed", async () => {
  const folder = await mkdtemp(join(home, "fails-"));
  const log = collectLog();
  let asked = 0;
  const obey = async () => {
    asked += 1;
    if (asked === 1) throw new Error("no such list");
  };
  const close = watchSignals(folder, [{ file: FILE, obey }], log);
  await writeFile(join(folder, FILE), "");
  await until(() => log.lines.length === 1);
  assert.deepEqual(log.lines[0]?.fields, { file: FILE, cause: "no such list" });
  await writeFile(join(folder, FILE), "");
  await until(() => asked === 2);
  await close();
});

test.concurrent("close waits for what is under way and looks no more", async () => {
  const folder = await mkdtemp(join(home, "close-"));
  const steps: string[] = [];
  let go = () => {};
  const gate = new Promise<void>((resume) => {
    go = resume;
  });
  const obey = async () => {
    steps.push("begun");
    await gate;
    steps.push("done");
  };
  const close = watchSignals(folder, [{ file: FILE, obey }], collectLog());
  await writeFile(join(folder, FILE), "");
  await until(() => steps.length === 1);
  const closed = close().then(() => void steps.push("closed"));
  go();
  await closed;
  assert.deepEqual(steps, ["begun", "done", "closed"]);
  await writeFile(join(folder, FILE), "");
  await sleep(SOME_LOOKS_MS);
  assert.ok(existsSync(join(folder, FILE)));
});
