/** GET requests of monitors, and who asks. */
import type { Settings } from "../settings.ts";

/** Credentials of HTTP's basic scheme. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const PATIENCE_MS = 10_000;

/** Who asks, by `caliper-auth-...-username` and `-password`; undefined without a name. */
export function credentialsIn(
  settings: Settings,
  service: "prometheus" | "prometheus-push",
): Credentials | undefined {
  const [username = "", password = ""] = ["username", "password"].map((part) =>
    settings.find(`caliper-auth-${service}-${part}`),
  );
  return username === "" ? undefined : { username, password };
}

/** The header of credentials; empty without. */
export function authorization(credentials: Credentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
  const { username, password } = credentials;
  const text = Buffer.from(`${username}:${password}`, "utf8").toString("base64");
  return { authorization: `Basic ${text}` };
}

/** What a refusal says: Prometheus puts it into JSON. */
function refusalIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // It is a text.
  }
  return text.trim();
}

/** The answer's text. @throws Error why there is none */
export async function getText(url: string, credentials?: Credentials): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(url, { headers: authorization(credentials), signal });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${refusalIn(text).slice(0, 200)}`);
  return text;
}
