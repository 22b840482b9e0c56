/** Values of a YAML text by the network file's schema, each with its line. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from "yaml";
import type { FileFindings } from "./file-findings.ts";
import { ALL_MEMBERS, type FileKey, type FileSection, NETWORK_SCHEMA } from "./network-schema.ts";

/** A value and where it stands. */
export interface Found<T> {
  readonly value: T;
  readonly line: number | undefined;
  /** As `nodes[2].host`. */
  readonly key: string;
}

/** One map of a section. */
export interface FoundMap {
  readonly line: number | undefined;
  /** As `nodes[2]`. */
  readonly key: string;
  /** Single values that are there, already of their kind. */
  readonly values: ReadonlyMap<string, Found<unknown>>;
  /** Lists that are there. */
  readonly lists: ReadonlyMap<string, readonly Found<string>[]>;
}

/** A file as far as it could be read. */
export interface FoundFile {
  readonly chain: FoundMap | undefined;
  readonly agencies: readonly Found<string>[];
  readonly nodes: readonly FoundMap[];
  /** Undefined when the section is absent. */
  readonly groups: readonly FoundMap[] | undefined;
}

/** A node of the tree, with what is needed to say where it stands. */
interface Place {
  readonly node: unknown;
  readonly key: string;
}

class YamlReader {
  readonly #doc: Document;
  readonly #lines: LineCounter;
  readonly #findings: FileFindings;

  constructor(doc: Document, lines: LineCounter, findings: FileFindings) {
    this.#doc = doc;
    this.#lines = lines;
    this.#findings = findings;
  }

  line(node: unknown): number | undefined {
    const offset = (node as Partial<Node> | null)?.range?.[0];
    return offset === undefined ? undefined : this.#lines.linePos(offset).line;
  }

  /** What an alias stands for. */
  #behind(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#doc) : node;
  }

  /** The text of a value; undefined for none, which stands for an absent key. */
  #text(node: unknown): string | undefined {
    if (!isScalar(node) || node.value === null) return undefined;
    if (typeof node.value === "string") return node.value;
    return node.source ?? String(node.value);
  }

  #isNothing(node: unknown): boolean {
    return node === undefined || node === null || (isScalar(node) && node.value === null);
  }

  /** The entries of a map by name; unknown ones are refused. */
  #entries({ node, key }: Place, names: readonly string[]): Map<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key: name, value } of (node as YAMLMap).items) {
      const word = this.#text(name) ?? "";
      const place = { line: this.line(name), key: key === "" ? word : `${key}.${word}` };
      if (!names.includes(word)) this.#findings.unknown(place, word, names);
      else entries.set(word, this.#behind(value));
    }
    return entries;
  }

  #value({ node, key }: Place, { kind }: FileKey): Found<unknown> | undefined {
    const line = this.line(node);
    const text = this.#text(node);
    if (text === undefined) {
      this.#findings.say({ line, key }, `is no single value: ${kind.allowed.replaceAll("`", "")}`);
      return undefined;
    }
    const value = kind.read(text);
    if (value === undefined) this.#findings.refuse({ line, key }, text, kind.allowed);
    return value === undefined ? undefined : { value, line, key };
  }

  /** Undefined for the word `all`. */
  #list({ node, key }: Place, row: FileKey): Found<string>[] | undefined {
    const line = this.line(node);
    if (row.many === "all" && this.#text(node) === ALL_MEMBERS) return undefined;
    if (!isSeq(node)) {
      const all = row.many === "all" ? `${ALL_MEMBERS}, or ` : "";
      this.#findings.say({ line, key }, `is no list: ${all}[name, name] is wanted`);
      return undefined;
    }
    const items = node.items.map((item, index) =>
      this.#value({ node: this.#behind(item), key: `${key}[${index}]` }, row),
    );
    return items.filter((item): item is Found<string> => item !== undefined);
  }

  map({ node, key }: Place, keys: FileSection["keys"]): FoundMap | undefined {
    if (!isMap(node)) {
      const wanted = Object.keys(keys).join(", ");
      this.#findings.say({ line: this.line(node), key }, `is no map: of the keys ${wanted}`);
      return undefined;
    }
    const values = new Map<string, Found<unknown>>();
    const lists = new Map<string, readonly Found<string>[]>();
    const entries = this.#entries({ node, key }, Object.keys(keys));
    for (const [name, row] of Object.entries(keys)) {
      const place = { node: entries.get(name), key: `${key}.${name}` };
      if (this.#isNothing(place.node)) {
        if (row.required)
          this.#findings.miss({ line: this.line(node), key: place.key }, row.kind.allowed);
      } else if (row.many) {
        const list = this.#list(place, row);
        if (list) lists.set(name, list);
      } else {
        const value = this.#value(place, row);
        if (value) values.set(name, value);
      }
    }
    return { line: this.line(node), key, values, lists };
  }

  maps({ node, key }: Place, keys: FileSection["keys"]): readonly FoundMap[] {
    if (!isSeq(node)) {
      this.#findings.say({ line: this.line(node), key }, "is no list: one - for each");
      return [];
    }
    return node.items.flatMap(
      (item, index) => this.map({ node: this.#behind(item), key: `${key}[${index}]` }, keys) ?? [],
    );
  }

  file(): FoundFile {
    const root = this.#doc.contents;
    const names = Object.keys(NETWORK_SCHEMA);
    if (!isMap(root)) {
      this.#findings.say({ line: undefined, key: "" }, `holds no sections: ${names.join(", ")}`);
      return { chain: undefined, agencies: [], nodes: [], groups: undefined };
    }
    const entries = this.#entries({ node: root, key: "" }, names);
    for (const [name, { help, ...section }] of Object.entries(NETWORK_SCHEMA)) {
      const isMissing = "required" in section && this.#isNothing(entries.get(name));
      if (isMissing) this.#findings.miss({ line: undefined, key: name }, help);
    }
    const at = (key: keyof typeof NETWORK_SCHEMA): Place | undefined => {
      const node = entries.get(key);
      return this.#isNothing(node) ? undefined : { node, key };
    };
    const { chain, agencies, nodes, groups } = NETWORK_SCHEMA;
    const [chainAt, agenciesAt, nodesAt] = [at("chain"), at("agencies"), at("nodes")];
    const groupsAt = at("groups");
    return {
      chain: chainAt && this.map(chainAt, chain.keys),
      agencies: (agenciesAt && this.#list(agenciesAt, agencies.keys["<i>"])) ?? [],
      nodes: nodesAt ? this.maps(nodesAt, nodes.keys) : [],
      groups: groupsAt && this.maps(groupsAt, groups.keys),
    };
  }
}

/** Reads a text; what is wrong with it goes to the findings. */
export function readYaml(text: string, findings: FileFindings): FoundFile {
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines });
  for (const error of doc.errors) {
    const [said = ""] = error.message.split(/ at line \d+, column \d+/);
    const line = error.linePos?.[0].line ?? lines.linePos(error.pos[0]).line;
    findings.say({ line, key: "" }, `cannot be read as YAML: ${said.replace(/\s+/g, " ")}`);
  }
  // What stands behind a flaw of the form would be refused for reasons that are none.
  findings.finish();
  return new YamlReader(doc, lines, findings).file();
}
