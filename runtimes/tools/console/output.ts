/** Where the console prints: results on one stream, the rest on the other. Source: console 6 */
import type { Writable } from "node:stream";
import { ConsoleFault } from "./command.ts";
import { harmless } from "./foreign-text.ts";
import { jsonText } from "./print.ts";
import type { Person } from "./console-session.ts";

const RED = "\u001b[31m";
const DIM = "\u001b[2m";
const PLAIN = "\u001b[0m";

/** How to print. */
export interface OutputTerms {
  readonly json: boolean;
  /** Unless the stream is no terminal. */
  readonly isColored: boolean;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Asks for a password without showing it. */
  askSecret(prompt: string): Promise<string>;
}

function writeTo(stream: OutputTerms["stdout"], text: string): void {
  stream.write(stream.isTTY === true ? harmless(text) : text);
}

/** The two streams of a console. */
export class Output implements Person {
  readonly json: boolean;
  readonly #terms: OutputTerms;

  constructor(terms: OutputTerms) {
    this.#terms = terms;
    this.json = terms.json;
  }

  out(text: string): void {
    writeTo(this.#terms.stdout, text);
  }

  err(text: string): void {
    writeTo(this.#terms.stderr, text);
  }

  /** Whether colours are shown where results are printed. */
  get isColored(): boolean {
    return this.#terms.isColored && this.#terms.stdout.isTTY === true;
  }

  /** A sentence about what failed, on standard error. */
  complain(text: string): void {
    this.err(`${this.#paint(RED, text)}\n`);
  }

  /** An aside, on standard error. */
  aside(text: string): void {
    this.err(`${this.#paint(DIM, text)}\n`);
  }

  progress(line: string): void {
    this.aside(line);
  }

  tell(text: string, data: unknown): void {
    this.out(`${this.json ? jsonText(data) : text}\n`);
  }

  async askSecret(prompt: string): Promise<string> {
    return await this.#terms.askSecret(prompt);
  }

  #paint(color: string, text: string): string {
    const isShown = this.#terms.isColored && this.#terms.stderr.isTTY === true;
    return isShown ? `${color}${text}${PLAIN}` : text;
  }
}

/** @throws ConsoleFault: there is nobody to ask */
export function nobodyToAsk(): Promise<string> {
  return Promise.reject(
    new ConsoleFault(
      "a password is wanted, but standard input is no terminal: set account.password in " +
        "config.toml, or use a PEM file.",
    ),
  );
}
