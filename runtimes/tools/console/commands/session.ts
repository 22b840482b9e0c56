/** Help, leaving, the current group. Source: console 4.1 */
import { requireGroup } from "../arguments.ts";
import type { ConsoleCommand } from "../command.ts";
import { said } from "../print.ts";

/** The name of the command that ends a session. */
export const QUIT = "quit";

/** The commands of this family. */
export const SESSION_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "help",
    aliases: ["h"],
    says: "List the commands, or show how one is used",
    parameters: [
      { name: "command", says: "the command to explain", isOptional: true, completes: "command" },
    ],
    async run(_, [word]) {
      // The table lists this command too: it is there when the command runs.
      const [{ COMMANDS }, { commandList, findCommand, usageText }] = await Promise.all([
        import("./all.ts"),
        import("../usage.ts"),
      ]);
      if (word !== undefined) return said(usageText(findCommand(word, COMMANDS)));
      const names = COMMANDS.map(({ name, says }) => ({ name, says }));
      return { text: commandList(COMMANDS), data: names };
    },
  },
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
