/** An observer of a network of servers on a durable object, as the entry of a worker. */
import type { ObjectNamespace } from "cloudflare:workers";
import { ObserverObject } from "./observer-object.ts";

export { ObserverObject };

/** Bindings of the worker. */
interface Environment {
  /** Durable object class {@link ObserverObject}. */
  readonly OBSERVER: ObjectNamespace<{ fetch(request: Request): Promise<Response> }>;
}

/** The one object of this name is the node. */
const OBSERVER_NAME = "observer";

export default {
  fetch(request: Request, { OBSERVER }: Environment): Promise<Response> {
    return OBSERVER.get(OBSERVER.idFromName(OBSERVER_NAME)).fetch(request);
  },
};
