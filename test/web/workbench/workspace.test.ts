/** Files that are kept in the browser, and their bounds. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  FileStore,
  FileFault,
  isFileName,
  MOST_FILE_CHARS,
  MOST_FILES,
} from "../../../web/workbench/files/file-store.ts";
import { isChanged, Workspace, wouldBeLost } from "../../../web/workbench/files/workspace.ts";
import { keptTexts } from "../kept-texts.ts";

function trouble(action: () => void): string | undefined {
  try {
    action();
    return undefined;
  } catch (cause) {
    assert.ok(cause instanceof FileFault);
    return cause.trouble;
  }
}

test("a browser that has no files yet begins with an example that is not saved", () => {
  const files = new Workspace(new FileStore(keptTexts()));
  assert.equal(files.current?.name, "HelloWorld.sol");
  assert.equal(files.current && isChanged(files.current), true);
  assert.equal(files.current && wouldBeLost(files.current), false);
  files.edit("HelloWorld.sol", "contract Mine {}");
  assert.equal(files.current && wouldBeLost(files.current), true);
});

test("what was saved is there again, what was only edited is not", () => {
  const texts = keptTexts();
  const files = new Workspace(new FileStore(texts));
  files.add("dir/A.sol", "one");
  files.edit("dir/A.sol", "two");
  files.save("dir/A.sol");
  files.edit("dir/A.sol", "three");
  const again = new Workspace(new FileStore(texts));
  assert.deepEqual(again.state.value.files, [{ name: "dir/A.sol", saved: "two", text: "two" }]);
});

test("a file moves to its new name, and names are not taken twice", () => {
  const texts = keptTexts();
  const files = new Workspace(new FileStore(texts));
  files.add("A.sol", "a");
  files.addBeside("A.sol", "b");
  assert.equal(files.state.value.current, "A2.sol");
  assert.equal(
    trouble(() => files.rename("A2.sol", "A.sol")),
    "taken",
  );
  files.rename("A2.sol", "B.sol");
  files.remove("A.sol");
  assert.deepEqual([...new FileStore(texts).all().keys()], ["B.sol"]);
});

test("what another tab saves is taken over, and what was changed here is kept next to it", () => {
  const texts = keptTexts();
  const other = new FileStore(texts);
  let tell: (key: string | null) => void = () => undefined;
  const own = new FileStore(texts, (listener) => {
    tell = listener;
  });
  other.save("A.sol", "a");
  other.save("B.sol", "b");
  const files = new Workspace(own);
  const conflicts: string[] = [];
  files.onConflict = (name, beside) => conflicts.push(`${name} ${beside}`);
  const outside = (name: string, text: string) => {
    other.save(name, text);
    tell(`chain-node.file.${name}`);
  };
  outside("A.sol", "theirs");
  assert.equal(files.find("A.sol")?.text, "theirs");
  files.open("A.sol");
  files.edit("A.sol", "ours");
  outside("A.sol", "theirs again");
  assert.deepEqual(conflicts, ["A.sol A2.sol"]);
  assert.equal(files.find("A.sol")?.text, "theirs again");
  assert.deepEqual(files.current, { name: "A2.sol", saved: undefined, text: "ours" });
  outside("C.sol", "new");
  other.remove("B.sol");
  tell(null);
  tell("something else");
  const names = files.state.value.files.map(({ name }) => name);
  assert.deepEqual(names, ["A.sol", "A2.sol", "C.sol"]);
});

test("names, sizes and the number of files are bounded", () => {
  const store = new FileStore(keptTexts());
  assert.deepEqual(
    ["A.sol", "a/b-c/D_1.sol", "../A.sol", "a/../A.sol", "A.txt", "/A.sol", ".sol"].map(isFileName),
    [true, true, false, false, false, false, false],
  );
  assert.equal(
    trouble(() => store.save("A.sol", "x".repeat(MOST_FILE_CHARS + 1))),
    "tooLarge",
  );
  for (let i = 0; i < MOST_FILES; i++) store.save(`F${i}.sol`, "");
  assert.equal(
    trouble(() => store.save("more.sol", "")),
    "tooMany",
  );
});

test("a browser without room says so and keeps what it had", () => {
  const texts = keptTexts(30);
  const store = new FileStore(texts);
  store.save("A.sol", "a");
  assert.equal(
    trouble(() => store.save("A.sol", "a".repeat(100))),
    "noRoom",
  );
  assert.equal(store.all().get("A.sol"), "a");
});
