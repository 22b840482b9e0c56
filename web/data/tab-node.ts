/** The node of this browser, connected once for the whole page. */
import { useEffect, useState } from "preact/hooks";
import type { TabNode, TabStatus } from "../../runtimes/browser/link/api.ts";
import { connectTabNode } from "../../runtimes/browser/link/connect.ts";
import { guardLeaving } from "./leave-guard.ts";

let connecting: Promise<TabNode> | undefined;

/** Connects when it is first asked for. @throws InsecurePage where no page may run a node */
export function tabNode(): Promise<TabNode> {
  connecting ??= connectTabNode({ base: new URL(".", document.baseURI) })
    .then((node) => {
      guardLeaving(node);
      return node;
    })
    .catch((cause) => {
      // The next who asks tries again.
      connecting = undefined;
      throw cause;
    });
  return connecting;
}

/** What is known of the node of this browser. */
interface SeenTabNode {
  readonly node: TabNode | undefined;
  readonly status: TabStatus | undefined;
  /** Why there can be none: its name and text. */
  readonly failure: Error | undefined;
}

/** Follows the node of this browser. */
export function useTabNode(): SeenTabNode {
  const [seen, setSeen] = useState<SeenTabNode>({
    node: undefined,
    status: undefined,
    failure: undefined,
  });
  useEffect(() => {
    let isWanted = true;
    let stop: (() => void) | undefined;
    tabNode().then(
      (node) => {
        if (!isWanted) return;
        stop = node.onStatus((status) => setSeen({ node, status, failure: undefined }));
      },
      (failure: Error) => isWanted && setSeen({ node: undefined, status: undefined, failure }),
    );
    return () => {
      isWanted = false;
      stop?.();
    };
  }, []);
  return seen;
}
