/** `npm run simulate`: many schedules, or one again. */
import { drawOptions } from "./options.ts";
import { runSchedule } from "./schedule.ts";
import { addSights, noTotals } from "./sights.ts";
const args = process.argv.slice(2);
const get = (n: string, d: number) => { const i = args.indexOf(n); return i < 0 ? d : Number(args[i + 1]); };
const mi = args.indexOf("--mutate");
const mutation = mi < 0 ? undefined : args[mi + 1];
if (args.includes("--seed")) {
  const o = drawOptions(get("--seed", 1), mutation as never);
  console.log(o);
  const r = runSchedule(o, (l) => console.log(l));
  console.log(r);
} else {
  const totals = noTotals(); const from = get("--from", 1); const n = get("--seeds", 1000);
  const t0 = performance.now(); let fails = 0; let maxRec = 0;
  for (let s = from; s < from + n; s++) {
    const r = runSchedule(drawOptions(s, mutation as never));
    addSights(totals, r.sights);
    maxRec = Math.max(maxRec, r.recoveryMs);
    if (r.failure) { fails++; if (fails < 20) console.log(s, r.failure); if (args.includes("--stop")) break; }
  }
  const sec = (performance.now() - t0) / 1000;
  console.log(totals, { fails, maxRec, perSec: totals.schedules / sec, stepsPerSec: totals.steps / sec });
}
