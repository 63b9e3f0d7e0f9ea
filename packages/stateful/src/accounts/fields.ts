/** Fields of spec and status for accounts: databases, users with grants, and rotation of passwords. */
import { s } from "@capstan/schema";
import type { Fields } from "@capstan/schema";
import type { Accounts } from "./accounts.ts";

const duration = s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32);
const rotation = s.string().max(63).optional().describe("Any text: another text asks for another password");
const onDelete = (initial: "Retain" | "Delete") =>
  s.enum("Retain", "Delete").default(initial).describe("What happens to it when it is removed from the spec");

/** Names that quoting and the names of Secrets allow. */
const NAME = "^[a-zA-Z][a-zA-Z0-9_]*(-[a-zA-Z0-9_]+)*$";

const grant = s.object({
  privileges: s
    .array(s.string().pattern("^[A-Z][A-Z ]*$").max(64))
    .min(1)
    .max(32)
    .describe("Privileges as the server names them, such as SELECT or ALL PRIVILEGES"),
  database: s.string().min(1).max(64).describe("The database; * for all"),
  table: s.string().min(1).max(64).optional().describe("The table; left out: all of them"),
  withGrantOption: s.boolean().default(false).describe("Whether the user can pass the privileges on"),
});

function user(reserved: readonly string[]) {
  return s.object({
    name: s.string().pattern(NAME).max(48).rules(notReserved(reserved)).describe("Name of the user"),
    password: s
      .object({
        name: s.string().min(1).max(253).describe("The Secret"),
        key: s.string().min(1).max(253).default("password").describe("Its key"),
      })
      .optional()
      .describe("A given password. Left out: one is made. The Secret CLUSTER-user-NAME has it in any case"),
    rotation,
    grants: s.array(grant).max(32).default([]).describe("All rights of the user; others are revoked"),
    connections: s.int32().min(1).max(100_000).optional().describe("Connections at the same time; left out: no limit"),
    requireTls: s.boolean().default(false).describe("Refuse connections that are not encrypted"),
    onDelete: onDelete("Delete"),
  });
}

function notReserved(reserved: readonly string[]) {
  const names = reserved.map((name) => `'${name}'`).join(", ");
  return s.rule(`!(self in [${names}])`, `these names belong to the server and the operator: ${reserved.join(", ")}`);
}

/** The fields of the spec. */
export function accountFields({ reserved, reservedDatabases, databaseOptions }: AccountNames): Fields {
  const option = s.string().pattern("^[a-zA-Z0-9_]+$").max(64).optional();
  const options = Object.entries(databaseOptions).map(([name, describe]) => [name, option.describe(describe)] as const);
  const own = {
    name: s.string().pattern(NAME).max(48).rules(notReserved(reservedDatabases)).describe("Name of the database"),
    onDelete: onDelete("Retain"),
  };
  // The names of options are the adapter's, so the types here do not have them.
  const database = s.object({ ...own, ...Object.fromEntries(options) } as typeof own);
  return {
    databases: s.array(database).max(64).map("name").default([]).describe("Databases that exist"),
    users: s.array(user(reserved)).max(64).map("name").default([]).describe("Users that exist, with their rights"),
    accounts: s
      .object({
        rotation: rotation.describe("Any text: another text asks for other passwords of the operator and of replicas"),
        every: duration.optional().describe("Replace all made passwords when they are this old; left out: on request"),
        overlap: duration.default("1h").describe("How long the password before is accepted after a rotation"),
      })
      .default({})
      .describe("Rotation of passwords"),
  };
}

/** The part of an adapter that the schema depends on. */
export type AccountNames = Pick<Accounts<never>, "reserved" | "reservedDatabases" | "databaseOptions">;

const kept = s.object({
  name: s.string().describe("Its name"),
  state: s.string().optional().describe("What all members have; another value is not applied yet"),
  refused: s.string().optional().describe("What the server refused"),
  onDelete: s.enum("Retain", "Delete").describe("What happens when it is removed from the spec"),
  problem: s.string().optional().describe("Why the server does not have it as the spec asks"),
});

const status = s
  .object({
    system: s.string().optional().describe("The passwords of operator and replicas that all members accept"),
    problem: s.string().optional().describe("Why they could not be set"),
    users: s.array(kept).max(128).map("name").optional().describe("Users"),
    databases: s.array(kept).max(128).map("name").optional().describe("Databases"),
  })
  .optional()
  .describe("Accounts on the server");

/** The fields of the status. */
export function accountStatus(): Fields {
  return { accounts: status };
}
