/** The form of a schema: sections and keys of a configuration file as data. */
import type { Kind } from "./config-kinds.ts";

/** What holds for a key besides its kind and default. */
export interface KeyNotes<T> {
  /** What the key is for: a sentence. */
  readonly help: string;
  /** Default as documentation shows it, where the value itself says too little. */
  readonly shown?: string;
  /** A value that is not allowed gives the default and a warning, not a fault. */
  readonly forgiving?: true;
  /** What the reference makes of an extreme value; a change is warned about. */
  correct?(value: T): T;
  /** Values that are understood and refused, and why. */
  readonly notOffered?: { readonly help: string; when(value: T): boolean };
  /** Read and checked for compatibility; nothing here depends on it. */
  readonly noEffect?: true;
  /** A change is taken over without a restart. */
  readonly reloadable?: true;
  /** Unknown to the reference node. */
  readonly ours?: true;
  /** Value in a file that we write; true for the default. */
  readonly written?: string | true;
  /** Value in a comment of a file that we write. */
  readonly commented?: string;
}

/** A key. A key whose name ends in `.<i>` is a list: one line for each item, in file order. */
export interface Key<T> {
  readonly kind: Kind<T>;
  /** Kind of each item of a list; undefined for a single value. */
  readonly item: Kind<unknown> | undefined;
  readonly fallback: T;
  readonly notes: KeyNotes<T>;
}

/** A section. */
export interface Section {
  readonly help: string;
  readonly legacy?: string;
  readonly keys: Readonly<Record<string, Key<unknown>>>;
}

/** All sections of a kind of file, in the order in which they are written. */
export type Schema = Readonly<Record<string, Section>>;

/** Values of a file, by section and key. */
export type Values<S extends Schema> = {
  readonly [N in keyof S]: {
    readonly [K in keyof S[N]["keys"]]: S[N]["keys"][K] extends Key<infer T> ? T : never;
  };
};

/** Some values of a file. */
export type SomeValues<S extends Schema> = {
  readonly [N in keyof S]?: Partial<Values<S>[N]>;
};

/** A key with a default. */
export function key<T>(kind: Kind<T>, fallback: NoInfer<T>, notes: KeyNotes<NoInfer<T>>): Key<T> {
  return { kind, item: undefined, fallback, notes };
}

/** A key that is read and checked for compatibility, and that nothing here depends on. */
export function idle<T>(kind: Kind<T>, fallback: NoInfer<T>, notes: KeyNotes<NoInfer<T>>): Key<T> {
  return key(kind, fallback, { ...notes, noEffect: true });
}

/** A key that the reference node does not know. */
export function ours<T>(kind: Kind<T>, fallback: NoInfer<T>, notes: KeyNotes<NoInfer<T>>): Key<T> {
  return key(kind, fallback, { ...notes, ours: true });
}

/** A key that may be unset. */
export function unset<T>(kind: Kind<T>, notes: KeyNotes<T | undefined>): Key<T | undefined> {
  const some: Kind<T | undefined> = {
    allowed: kind.allowed,
    read: (text) => kind.read(text),
    write: (value) => (value === undefined ? "" : kind.write(value)),
  };
  return { kind: some, item: undefined, fallback: undefined, notes };
}

/** A key with a number in place of `<i>`. A bad item is a fault, or skipped when forgiving. */
export function list<T>(item: Kind<T>, notes: KeyNotes<readonly T[]>): Key<readonly T[]> {
  const joined: Kind<readonly T[]> = {
    allowed: item.allowed,
    read: () => undefined,
    write: (value) => value.map((each) => item.write(each)).join(" "),
  };
  return { kind: joined, item, fallback: [], notes };
}

/** Ending of the names of lists. */
export const LIST_ENDING = "<i>";
