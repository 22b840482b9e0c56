/** Whether a text is an IP address. Pure: genesis files are read in browsers too. */

const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IP4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);
/** What names an interface behind an address of version 6. */
const ZONE = /%[0-9a-zA-Z-.:]+$/;
/** Groups of four digits and, at the end, the dotted form; shorter than any text of them. */
const IP6_LETTERS = /^[0-9a-fA-F:.]{2,45}$/;

/** The version of the address: 4, 6, or 0 for another text. */
export function ipVersion(text: string): 0 | 4 | 6 {
  if (IP4.test(text)) return 4;
  const plain = text.replace(ZONE, "");
  const dotted = plain.includes(".") ? plain.slice(plain.lastIndexOf(":") + 1) : "";
  if (!IP6_LETTERS.test(plain) || !plain.includes(":") || (dotted !== "" && !IP4.test(dotted)))
    return 0;
  try {
    return new URL(`http://[${plain}]/`).hostname === "" ? 0 : 6;
  } catch {
    return 0;
  }
}
