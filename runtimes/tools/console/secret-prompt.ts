/** Passwords: typed on a terminal without being shown. */
import { emitKeypressEvents } from "node:readline";
import type { ReadStream } from "node:tty";
import { ConsoleFault } from "./command.ts";

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly sequence?: string;
}

type Listener = (text: string | undefined, key: Key) => void;

/** What a key does to the text so far. */
function afterKey(so: string, text: string | undefined, { name, ctrl }: Key): string {
  if (name === "backspace") return [...so].slice(0, -1).join("");
  if (ctrl && name === "u") return "";
  return ctrl || text === undefined || name === "escape" ? so : so + text;
}

/**
 * Asks on a terminal; nobody else hears the keys meanwhile.
 * @throws ConsoleFault when it is cancelled by Ctrl+C or Ctrl+D
 */
export function askOnTerminal(input: ReadStream, prompt: string): Promise<string> {
  emitKeypressEvents(input);
  const others = input.listeners("keypress") as Listener[];
  input.removeAllListeners("keypress");
  const wasRaw = input.isRaw;
  input.setRawMode(true);
  input.resume();
  process.stderr.write(prompt);
  return new Promise((resolve, reject) => {
    let secret = "";
    const end = (): void => {
      input.removeListener("keypress", onKey);
      input.setRawMode(wasRaw);
      for (const other of others) input.on("keypress", other);
      // A reader of lines would be the one to go on reading.
      if (others.length === 0) input.pause();
      process.stderr.write("\n");
    };
    const onKey: Listener = (text, key) => {
      if (key.ctrl && (key.name === "c" || key.name === "d")) {
        end();
        return reject(new ConsoleFault("cancelled: no password was given."));
      }
      if (key.name === "return" || key.name === "enter") {
        end();
        return resolve(secret);
      }
      secret = afterKey(secret, text, key);
    };
    input.on("keypress", onKey);
  });
}
