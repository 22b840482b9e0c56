/**
 * sendRawTransactionAndGetProof: as sendRawTransaction; the channel pushes proofs with the receipt.
 */
import { submitMethod } from "../submission.ts";

const NAME = "sendRawTransactionAndGetProof";
const SUMMARY = "Submits a signed transaction; over the channel its receipt comes with proofs";

/** Over HTTP nothing is pushed. Source: rpc-semantics 8; interface 6 */
export const sendRawTransactionAndGetProof = submitMethod(NAME, SUMMARY, true);
