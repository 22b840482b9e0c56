/** What `chain-node --version` prints. */
import type { BuildInfo } from "../../../core/api/node-api.ts";

/** The lines of a version, the product's first. Source: generator 11 */
export function versionText(info: BuildInfo): string {
  return [
    `chain-node Version : ${info.version}`,
    `Build Time         : ${info.buildTime}`,
    `Build Type         : ${info.buildType}`,
    `Git Branch         : ${info.gitBranch}`,
    `Git Commit Hash    : ${info.gitCommit}`,
  ].join("\n");
}
