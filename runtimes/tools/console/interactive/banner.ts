/** What a session begins with. Source: console 1 */
import { DOUBLE_RULE } from "../print.ts";

const LOGO = String.raw`
       _           _                             _
   ___| |__   __ _(_)_ __        _ __   ___   __| | ___
  / __| '_ \ / _' | | '_ \ _____| '_ \ / _ \ / _' |/ _ \
 | (__| | | | (_| | | | | |_____| | | | (_) | (_| |  __/
  \___|_| |_|\__,_|_|_| |_|     |_| |_|\___/ \__,_|\___|
`;

/** Welcome, how to get help and out, logo. */
export function bannerText(version: string): string {
  return [
    DOUBLE_RULE,
    `Welcome to Chain-Node console(${version})!`,
    "Type 'help' or 'h' for help. Type 'quit' or 'q' to quit console.",
    LOGO,
    DOUBLE_RULE,
    "",
  ].join("\n");
}

/** `[group:1]> `. */
export function promptText(groupId: number): string {
  return `[group:${groupId}]> `;
}
