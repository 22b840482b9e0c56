/** What is wrong with a statement, in words. */

/** A statement that is not sent: the message is for people. Source: console 4.6 */
export class SqlFault extends Error {
  override readonly name = "SqlFault";
}

/** The message that scripts look for when a statement is none. Source: console 4.6 */
export const UNREADABLE = "Could not parse SQL statement.";

/** A statement that cannot be read, and where. */
export function unreadable(detail: string): SqlFault {
  return new SqlFault(`${UNREADABLE} ${detail}`);
}
