/** What libp2p needs and Node 20 does not have; imported before anything of libp2p. */

/** A promise with its two ends. */
interface Resolvers {
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

function withResolvers(): Resolvers {
  let resolve: Resolvers["resolve"] = () => {};
  let reject: Resolvers["reject"] = () => {};
  const promise = new Promise<unknown>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

if (!("withResolvers" in Promise)) {
  Object.defineProperty(Promise, "withResolvers", {
    value: withResolvers,
    configurable: true,
    writable: true,
  });
}
