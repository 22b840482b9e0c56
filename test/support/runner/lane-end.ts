/**
 * Set up for a worker of the runner, which is a process: what its tests started ends with it, also
 * when the runner, or a caller that ends that, does not wait.
 */
import { setUpLaneEnd } from "./own-children.ts";

setUpLaneEnd();
