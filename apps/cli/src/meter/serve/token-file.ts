/** Callers from a file of tokens. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { CliError } from "../../errors.ts";
import type { Authenticator, Caller, Right, Scope } from "./caller.ts";

const roles = ["viewer", "writer", "admin"] as const;

/** What a token allows. */
export type Role = (typeof roles)[number];

interface Entry {
  readonly token: string;
  readonly user: string;
  readonly tenants: readonly string[];
  readonly role: Role;
}

/** Reads a file of tokens; one that every user of the machine can read is refused. */
export async function readTokenFile(path: string, name: string): Promise<Authenticator> {
  const { mode } = await stat(path).catch((cause: unknown) => {
    throw new CliError("BadInput", `there is no file ${name}; give the path of a token file with --tokens`, { cause });
  });
  if ((mode & 0o007) !== 0)
    throw new CliError("BadInput", `${name} can be read by other users of this machine; run: chmod 600 ${name}`);
  return tokenAuthenticator(parseTokens(await readFile(path, "utf8"), name));
}

/** The entries of a token file. */
export function parseTokens(text: string, name: string): readonly Entry[] {
  const value = parseJson(text, name);
  if (!Array.isArray(value)) throw bad(name, "it must be a JSON array of tokens");
  const entries = value.map((item: unknown, at) => parseEntry(item, `${name}: entry ${at + 1}`));
  if (new Set(entries.map(({ token }) => token)).size < entries.length) throw bad(name, "two entries have one token");
  return entries;
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own message would repeat a part of the file: tokens do not belong into a log.
    throw new CliError("BadInput", `${name} is not JSON`, { cause: cause instanceof Error ? cause.name : undefined });
  }
}

const fields = new Set(["token", "user", "tenants", "role"]);

function parseEntry(value: unknown, where: string): Entry {
  if (typeof value !== "object" || value === null) throw bad(where, "it must be an object");
  const { token, user, tenants = [], role } = value as { readonly [name: string]: unknown };
  const unknown = Object.keys(value).find((field) => !fields.has(field));
  if (unknown !== undefined) throw bad(where, `there is no field ${unknown}; there are ${[...fields].join(", ")}`);
  if (typeof token !== "string" || token === "") throw bad(where, "token must be a text that is not empty");
  if (typeof user !== "string" || user === "") throw bad(where, "user must be a text that is not empty");
  const known = roles.find((each) => each === role);
  if (known === undefined) throw bad(where, `role must be ${roles.join(", ")}`);
  if (!Array.isArray(tenants) || !tenants.every((tenant): tenant is string => typeof tenant === "string"))
    throw bad(where, "tenants must be an array of texts");
  return { token, user, tenants, role: known };
}

function bad(where: string, problem: string): CliError {
  return new CliError("BadInput", `${where}: ${problem}`);
}

/** Finds callers by the hash of their token: a comparison then takes the same time for every wrong one. */
export function tokenAuthenticator(entries: readonly Entry[]): Authenticator {
  const callers = new Map(entries.map((entry) => [hashOf(entry.token), callerOf(entry)]));
  return { callerOf: async (token) => callers.get(hashOf(token)) };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function callerOf({ user, role, tenants }: Entry): Caller {
  return { user, scopeOf: async (right) => scopeOf({ role, tenants }, right) };
}

function scopeOf({ role, tenants }: Pick<Entry, "role" | "tenants">, { verb }: Right): Scope {
  switch (role) {
    case "admin":
      return { kind: "all" };
    case "writer":
      return { kind: "tenants", tenants };
    case "viewer":
      return { kind: "tenants", tenants: verb === "get" ? tenants : [] };
  }
}
