/**
 * What an application does with the client, from reading to a proved receipt; the same module runs
 * on Node, in Chromium and in workerd against a chain that runs elsewhere.
 */
import {
  accountFromPrivateKey,
  CallFault,
  createClient,
  httpTransport,
  nationalSuite,
  ProofFault,
  ReceiptFault,
  standardSuite,
  type Transport,
} from "../../runtimes/shared/client/client.ts";
import { greeter } from "../../docs/examples/greeter.ts";

/** Where and how. */
export interface ClientPlace {
  readonly url: string;
  readonly sealers: readonly string[];
  readonly suite: "standard" | "national";
  /** 0x and digits; each place has its own, so that their counts do not mix. */
  readonly privateKey: string;
}

/** What each step told; over HTTP when no other transport is given. */
export async function clientScenario(
  place: ClientPlace,
  transport: Transport = httpTransport(place.url),
): Promise<Record<string, unknown>> {
  const suite = place.suite === "national" ? nationalSuite : standardSuite;
  const account = accountFromPrivateKey(place.privateKey, suite);
  // The compiler of the contract wrote its selectors with Keccak-256.
  const client = createClient({ transport, suite, account, selectorSuite: standardSuite });
  const { contract } = await client.deploy({ ...greeter, args: ["hello 你好"] });
  const first = await contract.call.greeting();
  const { result, events, receipt } = await contract.send.greet(["good morning"]);
  const reverted = await contract.send.greet([""]).catch((cause: unknown) => cause);
  const tooLong = await contract.send.greet(["a".repeat(101)]).catch((cause: unknown) => cause);
  const nobody = client.contract({ abi: greeter.abi, address: `0x${"77".repeat(20)}` });
  const absent = await nobody.call.greeting().catch((cause: unknown) => cause);
  const { sealers } = place;
  const proved = await client.getVerifiedReceipt(receipt.transactionHash, { sealers });
  const trail = await client.followSealers({ sealers });
  const followed = await client.getVerifiedReceipt(receipt.transactionHash, trail);
  const outsiders = { sealers: ["ab".repeat(64)] };
  const untrusted = await client
    .getVerifiedReceipt(receipt.transactionHash, outsiders)
    .catch((cause: unknown) => cause);
  const [event] = events;
  const visit = await contract.call.lastVisit();
  return {
    first,
    result: String(result),
    event: event && [event.eventName, event.args.by === account.address, event.args.text],
    about: (await contract.call.about([account.address])).map(String),
    visit: [visit.by === account.address, visit.text],
    reverted: reverted instanceof ReceiptFault && [reverted.status, reverted.reason],
    tooLong: tooLong instanceof ReceiptFault && tooLong.reason,
    absent: absent instanceof CallFault && absent.status,
    followed: followed && [followed.receipt.status, trail.steps[0]?.number],
    proved: proved && [proved.receipt.status, proved.transaction.from === account.address],
    untrusted: untrusted instanceof ProofFault && untrusted.reason,
  };
}

/** What every place tells. */
export const TOLD = {
  first: "hello 你好",
  result: "1",
  event: ["Greeted", true, "good morning"],
  about: ["good morning", "1"],
  visit: [true, "good morning"],
  reverted: ["RevertInstruction", "say something"],
  tooLong: "TooLong(101, 100)",
  absent: "CallAddressError",
  followed: ["0x0", 0],
  proved: ["0x0", true],
  untrusted: "sealers",
};
