/** sendRawTransaction: hands a signed transaction to the pool. */
import { submitMethod } from "../submission.ts";

const SUMMARY = "Submits a signed transaction";

/** Answers after admission, before consensus. Source: rpc-semantics 8 */
export const sendRawTransaction = submitMethod("sendRawTransaction", SUMMARY, false);
