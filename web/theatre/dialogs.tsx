/** Dialogs of the theatre: how the nodes are split, and what links do. */
import { useState } from "preact/hooks";
import type { Frame } from "../../runtimes/shared/theatre/frame.ts";
import type { Action, Links } from "../../runtimes/shared/theatre/scenario.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField } from "../parts/fields.tsx";
import { text } from "../texts.ts";

interface ActDialogProps {
  readonly frame: Frame;
  readonly onAct: (action: Action) => void;
  readonly onClose: () => void;
}

/** Splits the nodes: each stands on the left or on the right. */
export function PartitionDialog({ frame, onAct, onClose }: ActDialogProps) {
  const [right, setRight] = useState<ReadonlySet<number>>(new Set());
  const [isOneWay, setOneWay] = useState(false);
  const numbers = frame.nodes.map(({ node }) => node);
  const sides = [numbers.filter((node) => !right.has(node)), numbers.filter((n) => right.has(n))];
  const toggle = (node: number) => {
    const next = new Set(right);
    if (!next.delete(node)) next.add(node);
    setRight(next);
  };
  return (
    <Dialog
      title={text("partition.title")}
      onClose={onClose}
      actions={
        <Button
          says="partition.do"
          tone="primary"
          isOff={sides.some(({ length }) => length === 0)}
          onClick={() => onAct({ kind: isOneWay ? "oneWay" : "partition", sides })}
        />
      }
    >
      <p>{text("partition.help")}</p>
      <fieldset>
        <legend>{text("partition.right")}</legend>
        {numbers.map((node) => (
          <label key={node}>
            <input type="checkbox" checked={right.has(node)} onChange={() => toggle(node)} />
            {text("stage.node.short", { node: node + 1 })}
          </label>
        ))}
      </fieldset>
      <label>
        <input type="checkbox" checked={isOneWay} onChange={() => setOneWay(!isOneWay)} />
        {text("partition.oneWay")}
      </label>
    </Dialog>
  );
}

const RULES = ["delay", "loss", "duplicate"] as const;
type Rule = (typeof RULES)[number];

/** Delay, loss or duplicates on all links, on those of a node, or on one. */
export function LinksDialog({ frame, onAct, onClose }: ActDialogProps) {
  const [rule, setRule] = useState<Rule>("delay");
  const [from, setFrom] = useState("all");
  const [to, setTo] = useState("all");
  const [value, setValue] = useState(200);
  const ends = [
    ["all", text("links.all")] as const,
    ...frame.nodes.map(
      ({ node }) => [`${node}`, text("stage.node.short", { node: node + 1 })] as const,
    ),
  ];
  const [least, most] = rule === "delay" ? [1, 60_000] : [0, 100];
  const isReady = value >= least && value <= most && (from !== to || from === "all");
  return (
    <Dialog
      title={text("links.title")}
      onClose={onClose}
      actions={
        <Button
          says="links.do"
          tone="primary"
          isOff={!isReady}
          onClick={() => onAct(ruleOf(rule, value, linksOf(from, to)))}
        />
      }
    >
      <ChoiceField
        title="links.rule"
        value={rule}
        onValue={(picked) => setRule(picked as Rule)}
        options={RULES.map((one) => [one, text(`links.${one}`)])}
      />
      <label>
        {text(rule === "delay" ? "links.ms" : "links.percent")}
        <input
          type="number"
          min={least}
          max={most}
          value={value}
          onInput={(event) => setValue(event.currentTarget.valueAsNumber)}
        />
      </label>
      <ChoiceField title="links.from" value={from} options={ends} onValue={setFrom} />
      <ChoiceField title="links.to" value={to} options={ends} onValue={setTo} />
    </Dialog>
  );
}

function linksOf(from: string, to: string): Links {
  if (from === "all" && to === "all") return { of: "all" };
  if (from === "all") return { of: "node", node: Number(to) };
  if (to === "all") return { of: "node", node: Number(from) };
  return { of: "link", from: Number(from), to: Number(to) };
}

function ruleOf(rule: Rule, value: number, links: Links): Action {
  const whole = Math.round(value);
  if (rule === "delay") return { kind: "delay", fromMs: whole, toMs: whole, links };
  return { kind: rule, percent: whole, links };
}
