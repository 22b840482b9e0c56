/** What the command line of the console says. */
// rules: console 1, 6
import assert from "node:assert/strict";
import { test } from "vitest";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { readStart } from "../../../../runtimes/tools/console/start-options.ts";

const read = (line: string) => readStart(line.split(" ").filter(Boolean), {});

test("without words it is a session of group 1", () => {
  const options = read("");
  assert.deepEqual([options.groupId, options.words, options.isPlain], [1, [], false]);
  assert.deepEqual([options.json, options.isColored, options.keepsGoing], [false, true, false]);
});

test("a first word of digits is the group, what follows the command", () => {
  assert.deepEqual([read("3").groupId, read("3").words], [3, []]);
  const { groupId, words } = read("2 getBlockByNumber 5 true");
  assert.deepEqual([groupId, words], [2, ["getBlockByNumber", "5", "true"]]);
  assert.deepEqual(read("getBlockByNumber 5").groupId, 1);
});

test("the account and plain lines stand in front of a command", () => {
  assert.deepEqual(read("1 -pem a.pem").named, { format: "pem", path: "a.pem" });
  assert.deepEqual(read("-p12 a.p12 1").named, { format: "p12", path: "a.p12" });
  assert.deepEqual(read("-p12 a.p12 1").groupId, 1);
  assert.equal(read("1 -l").isPlain, true);
  assert.deepEqual(read("addSealer -l").words, ["addSealer", "-l"]);
});

test("the other options stand anywhere", () => {
  const options = read(
    "--url http://a:1 getBlockNumber --json --time --keep-going --legacy-retcode " +
      "--no-color --token-file t --config c",
  );
  assert.deepEqual(options.words, ["getBlockNumber"]);
  assert.deepEqual([options.url, options.tokenFile, options.configFile], ["http://a:1", "t", "c"]);
  assert.deepEqual(
    [options.json, options.isTimed, options.keepsGoing, options.legacyRetcode],
    [true, true, true, true],
  );
  assert.equal(options.isColored, false);
  assert.equal(readStart([], { NO_COLOR: "1" }).isColored, false);
});

test("version and help are asked for in front; behind a command they are its own", () => {
  for (const word of ["-v", "--version"]) assert.equal(read(word).asks, "version");
  for (const word of ["-h", "--help"]) assert.equal(read(word).asks, "help");
  assert.deepEqual(
    [read("switch -h").asks, read("switch -h").words],
    [undefined, ["switch", "-h"]],
  );
});

/** Words that cannot be, and what is reported. */
const WRONG: readonly (readonly [line: string, said: RegExp])[] = [
  ["0", /"0" is no group: a number from 1 to 32767/],
  ["32768 getBlockNumber", /"32768" is no group/],
  ["1 -pme a.pem", /"-pme" is no option of the console/],
  ["1 -pem", /-pem wants a value/],
  ["-p12 --json", /-p12 wants a value/],
  ["getBlockNumber --url", /--url wants a value/],
  ["--colour", /"--colour" is no option/],
];
for (const [line, said] of WRONG) {
  test(`"${line}" is refused`, () => {
    assert.throws(
      () => read(line),
      (cause) => cause instanceof ConsoleFault && cause.exitCode === 2 && said.test(cause.message),
    );
  });
}
