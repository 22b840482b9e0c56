/** A configuration file whose faults name line and key. YAML; JSON is read as such. */
import { readFile } from "node:fs/promises";
import { isMap, isNode, isPair, isSeq, LineCounter, parseDocument } from "yaml";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import {
  type FilePath,
  keyText,
  type Refuse,
  type Section,
  sectionOf,
} from "../../../shared/benchmark/section.ts";

/** A file that was read. */
export interface PlacedFile {
  /** As messages name it. */
  readonly name: string;
  readonly data: Section;
  /** As it was parsed. */
  readonly value: unknown;
  /** Throws the fault of a place. */
  readonly refuse: Refuse;
  /** Where a key stands: `bench.yaml:12: test.rounds[0].label`. */
  place(path: FilePath): string;
}

/** The offset of the key, or of the nearest one above it that is there. */
function offsetOf(root: unknown, path: FilePath): number | undefined {
  let node = root;
  let offset = isNode(root) ? root.range?.[0] : undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isNode(key) && String(key) === String(part));
      if (!isPair(pair)) return offset;
      offset = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = isNode(node) ? (node.range?.[0] ?? offset) : offset;
    } else return offset;
  }
  return offset;
}

/** Reads a text. @throws BenchmarkFault `usage` with the line of what is wrong */
export function parsePlaced(name: string, text: string): PlacedFile {
  const counter = new LineCounter();
  // JSON may be indented by tabs, which YAML takes for a mistake.
  const source = /^\s*\{/.test(text) ? text.replaceAll("\t", " ") : text;
  const document = parseDocument(source, { lineCounter: counter, merge: true });
  const [error] = document.errors;
  if (error) {
    const { line } = counter.linePos(error.pos[0]);
    const [first = ""] = error.message.split("\n");
    throw new BenchmarkFault("usage", `${name}:${line}: ${first.replace(/ at line \d+.*$/, "")}`);
  }
  const place = (path: FilePath): string => {
    const offset = offsetOf(document.contents, path);
    const line = offset === undefined ? "" : `:${counter.linePos(offset).line}`;
    return path.length === 0 ? `${name}${line}` : `${name}${line}: ${keyText(path)}`;
  };
  const refuse: Refuse = (path, sentence) => {
    throw new BenchmarkFault("usage", `${place(path)} ${sentence}`);
  };
  const value: unknown = document.toJS();
  return { name, data: sectionOf(value, [], refuse), value, refuse, place };
}

/** What the system says of a file, without its path: a user who says it names the file. */
export function fileReason(cause: unknown): string {
  return faultText(cause).replace(/, \w+ '.*'$/, "");
}

/** Reads a file. @throws BenchmarkFault `usage` when it cannot be read */
export async function readPlaced(what: string, path: string): Promise<PlacedFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const why = `the ${what} ${path} cannot be read: ${fileReason(cause)}`;
    throw new BenchmarkFault("usage", why, { cause });
  }
  return parsePlaced(path, text);
}
