/** Facts about this build, injected by the bundler. Source: interface 2.6 (getClientVersion) */
import type { BuildInfo } from "../../../core/api/node-api.ts";

/** Its JSON: the bundler puts a text where it is read, but an object into each chunk. */
declare const __BUILD_INFO__: string | undefined;

/** What the bundler injects; a run from sources says so. */
export const BUILD_INFO: BuildInfo =
  typeof __BUILD_INFO__ === "undefined"
    ? {
        version: "2.12.0",
        buildTime: "unknown",
        buildType: "source",
        gitBranch: "unknown",
        gitCommit: "unknown",
      }
    : (JSON.parse(__BUILD_INFO__) as BuildInfo);
