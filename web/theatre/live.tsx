/** The running chain of the page, watched: read-only, and never with a key. */
import { useEffect, useState } from "preact/hooks";
import type { LiveMessage } from "../../runtimes/shared/theatre/api.ts";
import { useChain } from "../data/chain.ts";
import type { SourceKind } from "../data/source.ts";
import { useTabNode } from "../data/tab-node.ts";
import { Problem } from "../parts/problem.tsx";
import { text } from "../texts.ts";
import { watchLive } from "./play/live-feed.ts";
import { LivePlayer } from "./play/live-player.ts";
import { short } from "./row-words.ts";
import { Stage } from "./stage.tsx";

/** The page of the live view. */
export function Live() {
  const chain = useChain();
  const [node, setNode] = useState(0);
  if (!chain) return <p class="loading">{text("live.connecting")}</p>;
  const { source, groupId } = chain;
  return (
    <>
      <div class="live-head">
        <h1>{text("start.live")}</h1>
        <p class="soft">{text("live.watching", { name: source.name })}</p>
        {source.kind === "tab" && <NodeOfTab node={node} onPick={setNode} />}
      </div>
      <Watched
        key={`${source.kind} ${node} ${groupId}`}
        {...{ kind: source.kind, node, groupId }}
      />
    </>
  );
}

/** Which node of the chain in the tab. */
function NodeOfTab({ node, onPick }: { node: number; onPick: (node: number) => void }) {
  const { status } = useTabNode();
  return (
    <label>
      {text("live.node")}
      <select
        value={String(node)}
        onChange={({ currentTarget }) => onPick(Number(currentTarget.value))}
      >
        {(status?.nodes ?? []).map(({ index, nodeId }) => (
          <option key={index} value={String(index)}>
            {`${text("stage.node.short", { node: index + 1 })} · ${short(nodeId)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

interface WatchedProps {
  readonly kind: SourceKind;
  readonly node: number;
  readonly groupId: number;
}

function Watched({ kind, node, groupId }: WatchedProps) {
  const [player, setPlayer] = useState<LivePlayer>();
  const [failure, setFailure] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    let known: LivePlayer | undefined;
    const fail = (why: string) => {
      setFailure(why);
      known?.pause();
    };
    const take = (message: LiveMessage) => {
      if (message.type === "hello") {
        known = new LivePlayer(message.hello);
        setPlayer(known);
        setFailure(undefined);
        setWaiting(false);
      } else if (message.type === "frame") known?.add(message.frame);
      else fail(text(`live.end.${message.reason}`));
    };
    const failed = (why: string) => fail(why || text("live.end.closed"));
    const waiting = () => setWaiting(true);
    return watchLive({ kind, node, groupId }, { message: take, waiting, failed });
  }, [kind, node, groupId]);
  return (
    <>
      <Problem>{failure !== undefined && text("live.failed", { why: failure })}</Problem>
      {isWaiting && <p role="status">{text("live.waiting")}</p>}
      {!player && failure === undefined && <p class="loading">{text("live.connecting")}</p>}
      {player && (
        <div class={isWaiting || failure !== undefined ? "watched stale" : "watched"}>
          <Stage show={player} onCopy={leave} onLeave={leave} />
        </div>
      )}
    </>
  );
}

function leave(): void {
  location.hash = "#/theatre";
}
