/** The sealers that the user was given, entered by hand. */
import { useState } from "preact/hooks";
import { ProofFault } from "../../core/client/client-fault.ts";
import { type ChainTrust, pastedIds, type Standing } from "../data/trust.ts";
import { failureText } from "../failure.ts";
import { nodeName } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/fields.tsx";
import { Problem } from "../parts/problem.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import "./trust-texts.ts";

/** Who is on one list only. */
function differences(entered: readonly string[], standing: Standing): string {
  const { sealers } = standing.trail;
  const names = (ids: readonly string[]) => ids.map(nodeName).join(", ") || "–";
  return text("explorer.trust.enter.other", {
    missing: names(entered.filter((id) => !sealers.includes(id))),
    more: names(sealers.filter((id) => !entered.includes(id))),
  });
}

interface EnterFormProps {
  readonly trust: ChainTrust;
  readonly standing: Standing;
  readonly onDone: () => void;
}

/** The form. */
export function EnterForm({ trust, standing, onDone }: EnterFormProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const enter = async (event: Event) => {
    event.preventDefault();
    const ids = pastedIds(typed);
    if (ids === undefined) return setProblem(text("explorer.trust.enter.bad"));
    try {
      await trust.enter(ids);
      toast(text("explorer.trust.entered"));
      onDone();
    } catch (cause) {
      const isOther = cause instanceof ProofFault && cause.reason === "sealers";
      setProblem(isOther ? differences(ids, standing) : failureText(cause));
    }
  };
  return (
    <form class="form" onSubmit={enter}>
      <TextField
        title="explorer.trust.enter.label"
        rows={5}
        spellcheck={false}
        value={typed}
        onValue={setTyped}
      />
      <Problem>{problem}</Problem>
      <div class="buttons">
        <Button says="explorer.trust.enter.do" tone="primary" />
      </div>
    </form>
  );
}
