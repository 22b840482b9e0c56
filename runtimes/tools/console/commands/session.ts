/** Help, leaving, the current group. Source: console 4.1 */
import { requireGroup } from "../arguments.ts";
import type { ConsoleCommand } from "../command.ts";
import { said } from "../print.ts";
import { commandList, findCommand, usageText } from "../usage.ts";

/** The name of the command that ends a session. */
export const QUIT = "quit";

/** The command that reports all, itself among them. */
export function helpCommand(table: () => readonly ConsoleCommand[]): ConsoleCommand {
  return {
    name: "help",
    aliases: ["h"],
    says: "List the commands, or show how one is used",
    parameters: [
      { name: "command", says: "the command to explain", isOptional: true, completes: "command" },
    ],
    run(_, [word]) {
      const commands = table();
      if (word !== undefined) return Promise.resolve(said(usageText(findCommand(word, commands))));
      const names = commands.map(({ name, says }) => ({ name, says }));
      return Promise.resolve(said(commandList(commands), names));
    },
  };
}

/** The commands of this family but help. */
export const SESSION_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: QUIT,
    aliases: ["q", "exit"],
    says: "Leave the console",
    parameters: [],
    isInteractiveOnly: true,
    run: () => Promise.resolve(said("")),
  },
  {
    name: "switch",
    aliases: ["s"],
    says: "Make another group the current one; the account stays",
    parameters: [{ name: "groupId", says: "the group, 1 to 32767", completes: "group" }],
    isInteractiveOnly: true,
    async run(session, [text = ""]) {
      const groupId = requireGroup(text);
      await session.switchGroup(groupId);
      return said(`Switched to group ${groupId}.`, { groupId });
    },
  },
];
