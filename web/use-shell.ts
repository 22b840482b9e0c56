/** The shell's statechart, running, for components. */
import { createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { type Actor, createActor, type SnapshotFrom } from "xstate";
import { type ShellEvent, shellMachine } from "./app.machine.ts";
import type { Chain } from "./data/chain.ts";
import { keepSource, keptSource, openSource, watchSource } from "./data/open-source.ts";

/** Whether the chain answers, in a word. */
export type Condition = "connecting" | "live" | "away" | "failed";

/** The shell as it stands. */
export interface Shell {
  readonly state: SnapshotFrom<typeof shellMachine>;
  readonly condition: Condition;
  readonly send: (event: ShellEvent) => void;
}

/** Parts tell the shell through it: another group, another source, a new attempt. */
export const ShellContext = createContext<Shell | undefined>(undefined);

/** The shell that a part is in. */
export function useShellOfPart(): Shell | undefined {
  return useContext(ShellContext);
}

function conditionOf(state: Shell["state"]): Condition {
  if (state.matches({ chain: "connecting" })) return "connecting";
  if (state.matches({ chain: "failed" })) return "failed";
  return state.matches({ chain: { connected: "away" } }) ? "away" : "live";
}

/** Runs the shell as long as the component is there. */
export function useShell(): Shell {
  const [actor] = useState<Actor<typeof shellMachine>>(() =>
    createActor(shellMachine, {
      input: { source: keptSource(), open: openSource, watch: watchSource },
    }),
  );
  const [state, setState] = useState(() => actor.getSnapshot());
  useEffect(() => {
    const { unsubscribe } = actor.subscribe(setState);
    actor.start();
    return () => {
      unsubscribe();
      actor.stop();
    };
  }, [actor]);
  const send = (event: ShellEvent) => {
    if (event.type === "source.choose") keepSource(event.kind);
    actor.send(event);
  };
  return { state, condition: conditionOf(state), send };
}

/** The chain that the shell shows, for the parts. */
export function useShownChain({ state }: Shell): Chain | undefined {
  const { opened, groupId, height, trouble } = state.context;
  return useMemo(() => {
    if (opened === undefined) return undefined;
    return { ...opened, groupId, height, trouble };
  }, [opened, groupId, height, trouble]);
}
