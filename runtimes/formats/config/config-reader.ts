/** Reads and writes a file by its schema. Source: groups 6-8 */
import {
  ConfigFault,
  type ConfigPlace,
  type ConfigProblem,
  type ConfigReason,
  type ConfigWarning,
  type Reading,
  shownValue,
} from "./config-fault.ts";
import {
  type Key,
  LIST_ENDING,
  type Schema,
  type SomeValues,
  type Values,
} from "./config-schema.ts";
import { nearestName } from "./nearest-name.ts";
import { TEXT } from "./config-kinds.ts";
import { type IniEntry, type IniText, parseIni } from "./ini-text.ts";

/** What is found on the way through a file. */
export class Findings {
  readonly file: string;
  readonly problems: ConfigProblem[] = [];
  readonly warnings: ConfigWarning[] = [];
  readonly #lines = new Map<string, IniEntry>();
  readonly #idle: string[] = [];

  constructor(file: string) {
    this.file = file;
  }

  /** Remembers that the key was set. */
  saw(section: string, key: string, entry: IniEntry): void {
    this.#lines.set(`${section}.${key}`, entry);
  }

  /** The line that set the key; undefined when the default holds. Of a list, the last. */
  entry(section: string, key: string): IniEntry | undefined {
    return this.#lines.get(`${section}.${key}`);
  }

  refuse(reason: ConfigReason, place: Omit<ConfigProblem, "file" | "reason">): void {
    const value = place.value === undefined ? undefined : shownValue(place.value);
    this.problems.push({ ...place, value, file: this.file, reason });
  }

  /** Adds an error about the line that set a key, or about its absence. */
  refuseKey(reason: ConfigReason, section: string, key: string, allowed: string): void {
    const entry = this.entry(section, key);
    const found = { line: entry?.line, section, key: entry?.key ?? key, value: entry?.value };
    this.refuse(reason, { ...found, allowed });
  }

  warn(place: Omit<ConfigPlace, "file">, message: string): void {
    this.warnings.push({ ...place, file: this.file, level: "warning", message });
  }

  /** Adds a line for the log about a key. */
  inform(section: string, key: string, message: string): void {
    const line = this.entry(section, key)?.line;
    this.warnings.push({ file: this.file, line, section, key, level: "info", message });
  }

  /** Remembers a key that nothing depends on. */
  idle(section: string, key: string): void {
    this.#idle.push(`${section}.${key}`);
  }

  /** The value with all warnings. @throws ConfigFault when there is an error */
  finish<T>(value: () => T): Reading<T> {
    if (this.problems.length > 0) throw new ConfigFault(this.file, this.problems);
    const warnings = [...this.warnings];
    if (this.#idle.length > 0) {
      const message = `read, but without effect in this node: ${this.#idle.join(", ")}`;
      const nowhere = { line: undefined, section: "", key: "" };
      warnings.push({ file: this.file, ...nowhere, level: "info", message });
    }
    return { value: value(), warnings };
  }
}

/** Entries of a section under its name or its older name. */
function entriesOf(schema: Schema, text: IniText, findings: Findings): Map<string, IniEntry[]> {
  const found = new Map<string, IniEntry[]>();
  const owner = new Map<string, string>();
  for (const [name, { legacy }] of Object.entries(schema)) {
    owner.set(name, name);
    if (legacy === undefined || !text.sections.has(legacy)) continue;
    const place = { line: text.sections.get(legacy), section: legacy, key: "" };
    if (text.sections.has(name)) {
      owner.set(legacy, "");
      findings.warn(place, `ignored, because [${name}] is there; [${legacy}] is its older name`);
    } else {
      owner.set(legacy, name);
      findings.warn(place, `an older name; write [${name}]`);
    }
  }
  for (const [section, line] of text.sections) {
    if (owner.has(section)) continue;
    const hint = hintOf(section, Object.keys(schema), "[]");
    const place = { line, section: shownValue(section), key: "" };
    findings.warn(place, `unknown section, ignored${hint}`);
  }
  for (const entry of text.entries) {
    const section = owner.get(entry.section);
    if (entry.section === "" && !owner.has("")) warnUnknown(entry, schema, findings);
    if (section === undefined || section === "") continue;
    const entries = found.get(section) ?? [];
    entries.push(entry);
    found.set(section, entries);
  }
  return found;
}

/** `; did you mean x?` when one of the names is close. */
function hintOf(word: string, names: readonly string[], around: "" | "[]"): string {
  const close = nearestName(word, names);
  if (close === undefined) return "";
  return around === "" ? `; did you mean ${close}?` : `; did you mean [${close}]?`;
}

/** Where else a key stands that has this very name. */
function elsewhere(key: string, schema: Schema): string {
  const home = Object.entries(schema).find(([, { keys }]) => Object.hasOwn(keys, key));
  return home === undefined ? "" : `; it belongs to [${home[0]}]`;
}

function warnUnknown(entry: IniEntry, schema: Schema, findings: Findings): void {
  const { line, section, key } = entry;
  const names = Object.keys(schema[section]?.keys ?? {});
  const hint = hintOf(key, names, "") || elsewhere(key, schema);
  const message =
    section === "" ? "stands above the first section, ignored" : "unknown key, ignored";
  findings.warn({ line, section, key: shownValue(key) }, message + hint);
}

function matches(name: string, key: string): boolean {
  if (!name.endsWith(LIST_ENDING)) return name === key;
  const stem = name.slice(0, -LIST_ENDING.length);
  return key.startsWith(stem) && key.length > stem.length;
}

/** What a key's checks need. */
interface Asked {
  readonly section: string;
  readonly name: string;
  readonly key: Key<unknown>;
  readonly findings: Findings;
}

function readItems(asked: Asked, entries: readonly IniEntry[]): unknown[] {
  const { section, key, findings } = asked;
  const items: unknown[] = [];
  for (const { line, key: name, value } of entries) {
    const item = key.item?.read(value);
    const allowed = key.kind.allowed;
    if (item !== undefined) items.push(item);
    else if (key.notes.forgiving)
      findings.warn({ line, section, key: name }, `"${shownValue(value)}" skipped: ${allowed}`);
    else findings.refuse("notAllowed", { line, section, key: name, value, allowed });
  }
  return items;
}

function readOne(asked: Asked, entry: IniEntry): unknown {
  const { section, name, key, findings } = asked;
  const { kind, fallback, notes } = key;
  // An empty value is an absent one: templates leave keys without a value.
  if (entry.value === "") return fallback;
  const value = kind.read(entry.value);
  const place = { line: entry.line, section, key: name };
  const shown = shownValue(entry.value);
  if (value === undefined) {
    const allowed = kind.allowed;
    if (notes.forgiving) {
      const used = kind.write(fallback);
      findings.warn(place, `"${shown}" is not allowed (${allowed}); the default ${used} is used`);
    } else findings.refuse("notAllowed", { ...place, value: entry.value, allowed });
    return fallback;
  }
  if (notes.notOffered?.when(value))
    findings.refuse("notOffered", { ...place, value: entry.value, allowed: notes.notOffered.help });
  const corrected = notes.correct?.(value) ?? value;
  if (corrected !== value) findings.warn(place, `"${shown}" acts as ${kind.write(corrected)}`);
  if (notes.noEffect && corrected !== fallback) findings.idle(section, name);
  return corrected;
}

/** All values of a text, defaults included. Errors and warnings are in the findings. */
export function readValues<S extends Schema>(
  schema: S,
  text: string,
  findings: Findings,
): Values<S> {
  const ini = parseIni(text);
  for (const { line, section, key, text: value, allowed } of ini.flaws)
    findings.refuse("syntax", { line, section, key, value, allowed });
  const bySection = entriesOf(schema, ini, findings);
  const values: Record<string, Record<string, unknown>> = {};
  for (const [section, { keys }] of Object.entries(schema)) {
    const entries = bySection.get(section) ?? [];
    const names = Object.keys(keys);
    for (const entry of entries) {
      const name = names.find((each) => matches(each, entry.key));
      if (name === undefined) warnUnknown({ ...entry, section }, schema, findings);
      else if (entry.value !== "" || keys[name]?.item) findings.saw(section, name, entry);
    }
    const own: Record<string, unknown> = {};
    for (const [name, key] of Object.entries(keys)) {
      const asked = { section, name, key, findings };
      const set = entries.filter((entry) => matches(name, entry.key));
      const [first] = set;
      if (key.item) own[name] = readItems(asked, set);
      else own[name] = first ? readOne(asked, first) : key.fallback;
    }
    values[section] = own;
  }
  // The loops above go over the very keys of the schema, each read by its own kind.
  return values as Values<S>;
}

/** What a key is for, and in brackets what may stand there; one line. */
function commentOf({ kind, notes }: Key<unknown>): string {
  const allowed = kind.allowed;
  return allowed === TEXT.allowed ? notes.help : `${notes.help.replace(/\.$/, "")} (${allowed}).`;
}

function keyLines(name: string, key: Key<unknown>, given: unknown): string[] {
  const { kind, item, notes } = key;
  const comment = `    ; ${commentOf(key)}`;
  if (given !== undefined && item !== undefined) {
    const stem = name.slice(0, -LIST_ENDING.length);
    const items = (given as readonly unknown[]).map((each) => item.write(each));
    if (items.length > 0) return [comment, ...items.map((text, i) => `    ${stem}${i}=${text}`)];
  } else if (given !== undefined) return [comment, `    ${name}=${kind.write(given)}`];
  const written = notes.written === true ? kind.write(key.fallback) : notes.written;
  if (written !== undefined) return [comment, `    ${name}=${written}`];
  if (notes.commented === undefined) return [];
  return [comment, `    ;${name.replace(LIST_ENDING, "0")}=${notes.commented}`];
}

/**
 * The text of a file: what is given, and of the rest what files are written with. An undefined
 * value is one that is not given.
 */
export function writeValues<S extends Schema>(schema: S, given: SomeValues<S>): string {
  const lines: string[] = [];
  for (const [section, { help, keys }] of Object.entries(schema)) {
    const own: Readonly<Record<string, unknown>> = given[section] ?? {};
    const body = Object.entries(keys).flatMap(([name, key]) => keyLines(name, key, own[name]));
    if (body.length > 0) lines.push(`[${section}]`, `    ; ${help}`, ...body);
  }
  return `${lines.join("\n")}\n`;
}
