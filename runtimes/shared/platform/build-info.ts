/** Facts about this build, injected by the bundler. Source: interface 2.6 (getClientVersion) */
import type { BuildInfo } from "../../../core/api/node-api.ts";

declare const __BUILD_INFO__: BuildInfo | undefined;

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
    : __BUILD_INFO__;
