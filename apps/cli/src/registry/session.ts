/** Opens registry sessions with the logins of the user. */
import { setTimeout as wait } from "node:timers/promises";
import { type Fetch, type Reference, RegistrySession } from "@capstan/oci";
import type { FlagOption } from "../command/define.ts";
import type { Terminal } from "../terminal.ts";
import { loginsOf } from "./logins.ts";

/** The option of every command that talks to a registry. */
export const insecureOption = {
  type: "flag",
  describe: "speak plain HTTP to the registry (loopback always may)",
} as const satisfies FlagOption;

/** Runs a callback later; it can be cancelled. */
export function after(milliseconds: number, run: () => void): { cancel(): void } {
  const timer = setTimeout(run, milliseconds);
  return { cancel: () => clearTimeout(timer) };
}

/** Opens a session with the registry of a reference. */
export async function openSession(
  { registry }: Reference,
  { terminal, insecure = false }: { readonly terminal: Terminal; readonly insecure?: boolean },
): Promise<RegistrySession> {
  return new RegistrySession(registry, {
    // The session uses only options that fetch has.
    fetch: fetch as Fetch,
    credentials: await loginsOf(terminal.env),
    wait: async (milliseconds) => wait(milliseconds),
    after,
    ...(insecure ? { insecure: [registry] } : {}),
  });
}
