/** The files that are open: what is kept of them, and what the editor has made of them since. */
import { browserTexts } from "../../data/kept-texts.ts";
import { Observed } from "../observed.ts";
import type { Sources } from "../../../runtimes/shared/solidity/standard-json.ts";
import { EXAMPLES } from "./examples.ts";
import { FileFault, FileStore } from "./file-store.ts";

/** A file. */
export interface OpenFile {
  readonly name: string;
  /** As it is kept; undefined while it was never saved. */
  readonly saved: string | undefined;
  /** As the editor has it. */
  readonly text: string;
  /** How often something else than the editor has given it another text. */
  readonly replaced?: number;
}

/** All files, and the one that is edited. */
interface WorkspaceState {
  readonly files: readonly OpenFile[];
  readonly current: string;
}

/** Whether a file was changed since it was saved. */
export function isChanged({ saved, text }: OpenFile): boolean {
  return saved !== text;
}

/** Whether somebody's work is gone when the page closes now; an untouched example is nobody's. */
export function wouldBeLost(file: OpenFile): boolean {
  const isExample = EXAMPLES.some(({ files }) => files.some(({ text }) => text === file.text));
  return isChanged(file) && !isExample;
}

/** Whether a file is marked as one whose text is not kept: an untouched example is none. */
export function isMarked(file: OpenFile): boolean {
  return file.saved === undefined ? wouldBeLost(file) : isChanged(file);
}

/** The files of the workbench. */
export class Workspace {
  readonly state: Observed<WorkspaceState>;
  readonly #store: FileStore;
  /** Told when another tab saved a file that was changed here: where the text of here is now. */
  onConflict: (name: string, beside: string) => void = () => undefined;

  constructor(store: FileStore) {
    this.#store = store;
    const kept = [...store.all()].map(([name, text]) => ({ name, saved: text, text }));
    const first = EXAMPLES[0]?.files.map((file) => ({ ...file, saved: undefined })) ?? [];
    const files = kept.length > 0 ? kept : first;
    this.state = new Observed<WorkspaceState>({ files, current: files[0]?.name ?? "" });
    store.onOutsideChange((name) => {
      const names = name === undefined ? this.state.value.files.map((it) => it.name) : [name];
      for (const it of names) this.#hear(it);
    });
  }

  /** The file that is edited. */
  get current(): OpenFile | undefined {
    return this.find(this.state.value.current);
  }

  find(name: string): OpenFile | undefined {
    return this.state.value.files.find((it) => it.name === name);
  }

  /** What compilers see: the texts of the editor. */
  sources(): Sources {
    return new Map(this.state.value.files.map(({ name, text }) => [name, text]));
  }

  open(name: string): void {
    if (this.find(name)) this.state.change({ current: name });
  }

  /** The editor has another text. */
  edit(name: string, text: string): void {
    this.#replace(name, (file) => ({ ...file, text }));
  }

  /** Keeps a file. @throws FileFault */
  save(name: string): void {
    const file = this.find(name);
    if (file === undefined) return;
    this.#store.save(name, file.text);
    this.#replace(name, (it) => ({ ...it, saved: it.text }));
  }

  /** Adds a file, keeps and opens it. @throws FileFault when the name is taken */
  add(name: string, text: string): void {
    if (this.find(name)) throw new FileFault("taken");
    this.#store.save(name, text);
    this.#set([...this.state.value.files, { name, saved: text, text }], name);
  }

  /** Adds a file under this name, or under the next one that is free. @throws FileFault */
  addBeside(name: string, text: string): void {
    this.add(this.#freeBeside(name), text);
  }

  #freeBeside(name: string): string {
    let free = name;
    for (let count = 2; this.find(free) || this.#store.read(free) !== undefined; count++)
      free = name.replace(/\.sol$/, `${count}.sol`);
    return free;
  }

  /** Another tab has saved or removed a file. What was changed here is never replaced by it. */
  #hear(name: string): void {
    const kept = this.#store.read(name);
    const { files, current } = this.state.value;
    const here = files.find((it) => it.name === name);
    const others = files.filter((it) => it !== here);
    if (kept === here?.saved) return;
    if (kept === undefined) {
      // A text that is not saved stays; an untouched file goes as it went there.
      if (here && isChanged(here)) this.#replace(name, (it) => ({ ...it, saved: undefined }));
      else this.#set(others, current === name ? (others[0]?.name ?? "") : current);
      return;
    }
    const theirs = { name, saved: kept, text: kept, replaced: (here?.replaced ?? 0) + 1 };
    if (here === undefined || !isChanged(here) || here.text === kept) {
      this.#set([...others, theirs], current === "" ? name : current);
      return;
    }
    const beside = this.#freeBeside(name);
    const ours = { name: beside, saved: undefined, text: here.text };
    this.#set([...others, theirs, ours], current === name ? beside : current);
    this.onConflict(name, beside);
  }

  /** Gives a file another name. @throws FileFault */
  rename(name: string, wanted: string): void {
    const file = this.find(name);
    if (file === undefined || name === wanted) return;
    if (this.find(wanted)) throw new FileFault("taken");
    this.#store.save(wanted, file.text);
    this.#store.remove(name);
    const renamed = { name: wanted, saved: file.text, text: file.text };
    const others = this.state.value.files.filter((it) => it !== file);
    this.#set([...others, renamed], wanted);
  }

  /** Removes a file for good. */
  remove(name: string): void {
    this.#store.remove(name);
    const files = this.state.value.files.filter((it) => it.name !== name);
    const { current } = this.state.value;
    this.#set(files, current === name ? (files[0]?.name ?? "") : current);
  }

  #replace(name: string, change: (file: OpenFile) => OpenFile): void {
    const files = this.state.value.files.map((it) => (it.name === name ? change(it) : it));
    this.state.change({ files });
  }

  #set(files: readonly OpenFile[], current: string): void {
    const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.state.set({ files: sorted, current });
  }
}

let opened: Workspace | undefined;

/** The files of this browser; they outlive a visit of another part of the page. */
export function workspace(): Workspace {
  opened ??= new Workspace(new FileStore(browserTexts()));
  return opened;
}
