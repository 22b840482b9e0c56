/**
 * A chain on durable objects, as the entry of a worker. A request goes to one of the objects: to
 * the first, or to the one that its path names, as `/sealers/2`.
 */
import { type GroupEnvironment, GroupObject } from "./group-object.ts";
import { memberName, sealerCount } from "./object-settings.ts";

export { GroupObject };

const OF_SEALER = /^\/sealers\/(\d)(?=\/|$)/;

export default {
  fetch(request: Request, environment: GroupEnvironment): Promise<Response> {
    const { GROUP } = environment;
    const url = new URL(request.url);
    const index = Number(OF_SEALER.exec(url.pathname)?.[1] ?? 0);
    if (index >= sealerCount(environment))
      return Promise.resolve(new Response("there is no such sealer\n", { status: 404 }));
    url.pathname = url.pathname.replace(OF_SEALER, "") || "/";
    return GROUP.get(GROUP.idFromName(memberName(index))).fetch(new Request(url, request));
  },
};
