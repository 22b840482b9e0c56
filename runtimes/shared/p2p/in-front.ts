/**
 * An object in front of one of a library's: what is given answers in its place, everything else is
 * its own. Methods of its class are called on itself, because it may have private fields; functions
 * that it holds stay what they are, as a log is one with members.
 */
export function inFrontOf<Target extends object>(target: Target, own: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name);
      const isMethod = typeof value === "function" && !Object.hasOwn(target, name);
      return isMethod ? value.bind(target) : value;
    },
    set: (_, name, value) => Reflect.set(target, name, value),
  });
}
