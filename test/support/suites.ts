/** Both suites with the engines of Node: the bytes of noble in a small part of its time. */
import { createChainSuite } from "../../runtimes/node/machine/chain-suite.ts";

/** Made once for all files of a worker. */
export const STANDARD_SUITE = await createChainSuite("standard");
/** Made once for all files of a worker. */
export const NATIONAL_SUITE = await createChainSuite("national");
