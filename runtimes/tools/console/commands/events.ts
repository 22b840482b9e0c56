/** Events of contracts, as they come. Source: channel-protocol 7.3 */
import { HIGHEST_NUMBER, requireNumber } from "../arguments.ts";
import type { ConsoleCommand, GivenFlags, Outcome } from "../command.ts";
import { said } from "../print.ts";
import type { Session } from "../session.ts";
import { CONTRACT } from "./contracts.ts";

function givenNumber(flags: GivenFlags, name: string, least: number): number | undefined {
  const text = flags.get(name);
  return text === undefined ? undefined : requireNumber(text, name, least, HIGHEST_NUMBER);
}

async function listenEvents(
  session: Session,
  [contract = "", word = "", event]: readonly string[],
  flags: GivenFlags,
): Promise<Outcome> {
  const { knownContract } = await import("../contracts/known-abi.ts");
  const { listen, requireEvent } = await import("../contracts/listen.ts");
  const count = givenNumber(flags, "--count", 1);
  const fromBlock = givenNumber(flags, "--from", 0);
  const place = await knownContract(session, contract, word);
  await session.channel();
  requireEvent({ abi: place.abi, event });
  const stopsBy = count === undefined ? "; Ctrl+C ends it" : "";
  const says = `Listening to events of ${contract} at ${place.address}${stopsBy}.`;
  const onOpen = () => session.progress(says);
  const found = await listen(session, { ...place, event, count, fromBlock, onOpen });
  return said(`${found} ${found === 1 ? "event" : "events"}.`, { count: found });
}

/** The commands of this family. */
export const EVENT_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "listenEvents",
    says: "Print the events of a contract as blocks bring them",
    parameters: [
      CONTRACT,
      {
        name: "address",
        says: "its address, or latest for the last one deployed from here",
        completes: "contractAddress",
      },
      { name: "event", says: "only events of this name", isOptional: true },
    ],
    flags: [
      { name: "--count", value: "n", says: "ends after this many events" },
      { name: "--from", value: "block", says: "begins with this block instead of the next one" },
    ],
    endsBySignal: true,
    run: listenEvents,
  },
];
