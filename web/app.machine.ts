/** The shell: which chain it shows and whether that answers, its theme, its language, its help. */
import { assign, fromCallback, fromPromise, setup } from "xstate";
import { type ChainFacts, readFacts, readGroups } from "./data/chain.ts";
import { followHead } from "./data/live.ts";
import type { ChainSource, SourceKind } from "./data/source.ts";
import { failureText } from "./failure.ts";
import { chooseTheme, type Theme, theme } from "./theme.ts";
import { chooseLanguage, type Language, language } from "./texts.ts";

/** What was found behind a source. */
interface Opened {
  readonly source: ChainSource;
  readonly facts: ChainFacts;
  readonly groups: readonly number[];
}

interface Context {
  /** The kind that is wanted; undefined for whichever there is. */
  readonly source: SourceKind | undefined;
  readonly opened: Opened | undefined;
  readonly groupId: number;
  readonly height: number | undefined;
  readonly trouble: string | undefined;
  readonly theme: Theme;
  readonly language: Language;
  readonly open: OpenSource;
  readonly watch: WatchSource;
}

/** What people and the chain tell the shell. */
export type ShellEvent =
  | { readonly type: "source.choose"; readonly kind: SourceKind }
  | { readonly type: "source.retry" }
  | { readonly type: "group.choose"; readonly groupId: number }
  | { readonly type: "groups.read"; readonly groups: readonly number[] }
  | { readonly type: "head.seen"; readonly height: number }
  | { readonly type: "head.missed"; readonly why: string }
  | { readonly type: "theme.choose"; readonly theme: Theme }
  | { readonly type: "language.choose"; readonly language: Language }
  | { readonly type: "help.toggle" }
  | { readonly type: "help.close" };

/** Opens a source of a kind, or the best that there is. */
export type OpenSource = (kind: SourceKind | undefined) => Promise<ChainSource>;

/** Waits for a source that is not there yet; gives what ends the wait. */
export type WatchSource = (kind: SourceKind | undefined, onReady: () => void) => () => void;

/** What the shell starts with. */
interface ShellInput {
  readonly source: SourceKind | undefined;
  readonly open: OpenSource;
  readonly watch: WatchSource;
}

const FIRST_GROUP = 1;
/** Groups are made and stopped while the page is open. */
const GROUPS_EVERY_MS = 15_000;

const connect = fromPromise<Opened, Pick<Context, "source" | "open">>(async ({ input }) => {
  const source = await input.open(input.source);
  const [facts, groups] = await Promise.all([readFacts(source), readGroups(source)]);
  return { source, facts, groups };
});

const follow = fromCallback<ShellEvent, Pick<Context, "opened" | "groupId">>(
  ({ input: { opened, groupId }, sendBack }) => {
    if (opened === undefined) return undefined;
    const { source } = opened;
    const stop = followHead(source, groupId, {
      onHeight: (height) => sendBack({ type: "head.seen", height }),
      onTrouble: (cause) => sendBack({ type: "head.missed", why: failureText(cause) }),
    });
    const look = () =>
      readGroups(source).then(
        (groups) => sendBack({ type: "groups.read", groups }),
        () => undefined,
      );
    const timer = setInterval(() => void look(), GROUPS_EVERY_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
  },
);

const watch = fromCallback<ShellEvent, Pick<Context, "source" | "watch">>(({ input, sendBack }) =>
  input.watch(input.source, () => sendBack({ type: "source.retry" })),
);

/** The group that is shown: the wanted one, else the first that runs. */
function groupAmong(groups: readonly number[], wanted: number): number {
  return groups.includes(wanted) ? wanted : (groups[0] ?? wanted);
}

/** The statechart of the shell. */
export const shellMachine = setup({
  types: {
    context: {} as Context,
    events: {} as ShellEvent,
    input: {} as ShellInput,
  },
  actors: { connect, follow, watch },
  actions: {
    closeSource: ({ context }) => void context.opened?.source.close().catch(() => undefined),
    keepTheme: ({ context }) => chooseTheme(context.theme),
    keepLanguage: ({ context }) => chooseLanguage(context.language),
  },
}).createMachine({
  id: "shell",
  type: "parallel",
  context: ({ input }) => ({
    ...input,
    opened: undefined,
    groupId: FIRST_GROUP,
    height: undefined,
    trouble: undefined,
    theme: theme(),
    language: language(),
  }),
  on: {
    "theme.choose": { actions: [assign({ theme: ({ event }) => event.theme }), "keepTheme"] },
    "language.choose": {
      actions: [assign({ language: ({ event }) => event.language }), "keepLanguage"],
    },
  },
  states: {
    chain: {
      initial: "connecting",
      on: {
        "source.choose": {
          target: ".connecting",
          actions: [
            "closeSource",
            assign({ source: ({ event }) => event.kind, opened: undefined, height: undefined }),
          ],
        },
      },
      states: {
        connecting: {
          invoke: {
            src: "connect",
            input: ({ context: { source, open } }) => ({ source, open }),
            onDone: {
              target: "connected",
              actions: assign(({ event, context }) => ({
                opened: event.output,
                groupId: groupAmong(event.output.groups, context.groupId),
                height: undefined,
                trouble: undefined,
              })),
            },
            onError: {
              target: "failed",
              actions: assign({ trouble: ({ event }) => failureText(event.error) }),
            },
          },
        },
        connected: {
          invoke: {
            src: "follow",
            input: ({ context: { opened, groupId } }) => ({ opened, groupId }),
          },
          initial: "live",
          states: {
            live: {},
            // Who comes back may be another chain: everything is asked for anew.
            away: {
              on: { "head.seen": { target: "#shell.chain.connecting", actions: "closeSource" } },
            },
          },
          on: {
            "head.seen": {
              target: ".live",
              actions: assign({ height: ({ event }) => event.height, trouble: undefined }),
            },
            "head.missed": {
              target: ".away",
              actions: assign({ trouble: ({ event }) => event.why }),
            },
            "groups.read": {
              actions: assign(({ context: { opened }, event: { groups } }) => ({
                opened: opened && { ...opened, groups },
              })),
            },
            "group.choose": {
              guard: ({ context, event }) => context.groupId !== event.groupId,
              target: "connected",
              reenter: true,
              actions: assign({
                groupId: ({ event }) => event.groupId,
                height: undefined,
                trouble: undefined,
              }),
            },
            "source.retry": { target: "connecting", actions: "closeSource" },
          },
        },
        failed: {
          invoke: {
            src: "watch",
            input: ({ context }) => ({ source: context.source, watch: context.watch }),
          },
          on: {
            "source.retry": "connecting",
            "group.choose": { actions: assign({ groupId: ({ event }) => event.groupId }) },
          },
        },
      },
    },
    help: {
      initial: "closed",
      states: {
        closed: { on: { "help.toggle": "open" } },
        open: { on: { "help.toggle": "closed", "help.close": "closed" } },
      },
    },
  },
});
