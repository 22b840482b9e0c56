/** Options that npm took for its own: `npm start --port 1234` hands on `1234` alone. */
/** Options of npm too, which a file of npm's settings may have set for other reasons. */
const OF_NPM = new Set(["json", "quiet", "help", "version"]);

/** What it has to know of a command. */
interface Command {
  readonly name: string;
  /** Flags as `--port <port>`. */
  readonly options: readonly { readonly flags: string }[];
}

/**
 * The sentence that says how to pass options which npm kept; undefined when it kept none.
 * @param args what npm handed on
 * @param env npm leaves each option that it kept as `npm_config_NAME`
 */
export function swallowedOptions(
  { name, options }: Command,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (name !== "dev" || env["npm_lifecycle_event"] !== "start") return undefined;
  const kept = options.flatMap(({ flags }) => {
    const [, word = "", place] = /^--(\S+)(?: (\S+))?/.exec(flags) ?? [];
    const value = env[`npm_config_${word.replaceAll("-", "_")}`];
    return OF_NPM.has(word) || !value ? [] : [{ word, place, value }];
  });
  if (kept.length === 0) return undefined;
  // Which of several values is whose, npm does not tell.
  const lacking = kept.filter(({ place, value }) => place && value === "true");
  const only = lacking.length === 1 && args.length === 1 ? args[0] : undefined;
  const typed = kept.map(({ word, place, value }) => {
    if (!place) return `--${word}`;
    return `--${word} ${value === "true" ? (only ?? place) : value}`;
  });
  const words = kept.map(({ word }) => `--${word}`).join(", ");
  return `npm took ${words} for its own; put two dashes in front: npm start -- ${typed.join(" ")}`;
}
