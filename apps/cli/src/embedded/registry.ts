/** Opens registry sessions of clusters with the logins of the user. */
import { setTimeout as wait } from "node:timers/promises";
import { RegistrySession } from "@capstan/oci";
import { loginsOf } from "../registry/logins.ts";
import { after } from "../registry/session.ts";
import type { Terminal } from "../terminal.ts";

/** Opens sessions. The logins are read for each one, because the user may log in while a cluster runs. */
export function registrySessions({ env }: Pick<Terminal, "env">): (registry: string) => Promise<RegistrySession> {
  return async (registry) =>
    new RegistrySession(registry, { fetch, credentials: await loginsOf(env), wait: (delay) => wait(delay), after });
}
