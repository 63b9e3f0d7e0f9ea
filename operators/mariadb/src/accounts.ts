/** Users, databases and passwords of MariaDB. An account accepts two passwords at once while they are rotated. */
import { createHash } from "node:crypto";
import type { Accounts, DatabaseAccount, UserAccount } from "capstan/stateful";
import { grantStatements, parseGrants, quoteName } from "./grants.ts";
import { OPERATOR_ACCOUNT, REPLICATION_ACCOUNT } from "./sql.ts";
import type { Sql } from "./sql.ts";

export const accounts: Accounts<Sql> = {
  reserved: [OPERATOR_ACCOUNT, REPLICATION_ACCOUNT, "root", "mysql", "PUBLIC"],
  reservedDatabases: ["capstan", "information_schema", "mysql", "performance_schema", "sys"],
  databaseOptions: {
    characterSet: "The default character set, such as utf8mb4",
    collation: "The default collation, such as utf8mb4_unicode_ci",
  },
  keepUser,
  dropUser: (primary, name) => primary.run(`DROP USER IF EXISTS ${userName(name)}`),
  keepDatabase,
  dropDatabase: (primary, name) => primary.run(`DROP DATABASE IF EXISTS ${quoteName(name)}`),
  setPasswords: async (primary, account, passwords) => {
    const name = account === "operator" ? OPERATOR_ACCOUNT : REPLICATION_ACCOUNT;
    const shown = await showUser(primary, name);
    if (sameTexts(hashesOf(shown), passwords.map(hashPassword))) return;
    await primary.run(`ALTER USER ${userName(name)} ${identification(passwords)}`);
  },
};

function userName(name: string): string {
  return `${quoteName(name)}@'%'`;
}

/** The hash of `mysql_native_password`: the password itself is in no statement, and so in no log. */
export function hashPassword(password: string): string {
  const once = createHash("sha1").update(password).digest();
  return `*${createHash("sha1").update(once).digest("hex").toUpperCase()}`;
}

/** The newest password is tried first. */
function identification(passwords: readonly string[]): string {
  const ways = passwords.toReversed().map((password) => `mysql_native_password USING '${hashPassword(password)}'`);
  return `IDENTIFIED VIA ${ways.join(" OR ")}`;
}

async function showUser(primary: Sql, name: string): Promise<string> {
  const [row = {}] = await primary.query(`SHOW CREATE USER ${userName(name)}`);
  return Object.values(row)[0] ?? "";
}

function hashesOf(shown: string): readonly string[] {
  return [...shown.matchAll(/'(?<hash>\*[0-9A-F]{40})'/gu)].map(({ groups }) => groups?.["hash"] ?? "").toReversed();
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

async function keepUser(primary: Sql, user: UserAccount): Promise<void> {
  const { name, passwords, grants, connections = 0, requireTls } = user;
  const wanted = `${identification(passwords)} REQUIRE ${requireTls ? "SSL" : "NONE"} WITH MAX_USER_CONNECTIONS ${connections} ACCOUNT UNLOCK`;
  const [exists] = await primary.query("SELECT 1 FROM mysql.global_priv WHERE Host = '%' AND User = ?", [name]);
  if (exists === undefined) await primary.run(`CREATE USER ${userName(name)} ${wanted}`);
  else if (!isAsWanted(await showUser(primary, name), user))
    await primary.run(`ALTER USER ${userName(name)} ${wanted}`);
  const shown = await primary.query(`SHOW GRANTS FOR ${userName(name)}`);
  const present = parseGrants(shown.map((row) => Object.values(row)[0] ?? ""));
  await primary.run(...grantStatements(userName(name), { present, wanted: grants }));
}

function isAsWanted(shown: string, { passwords, connections = 0, requireTls }: UserAccount): boolean {
  const limit = Number(/ MAX_USER_CONNECTIONS (?<limit>\d+)/u.exec(shown)?.groups?.["limit"] ?? 0);
  return (
    sameTexts(hashesOf(shown), passwords.map(hashPassword)) &&
    limit === connections &&
    / REQUIRE SSL\b/u.test(shown) === requireTls &&
    !/ ACCOUNT LOCK\b/u.test(shown)
  );
}

async function keepDatabase(primary: Sql, { name, options }: DatabaseAccount): Promise<void> {
  const { characterSet, collation } = options;
  const wanted = [
    ...(characterSet === undefined ? [] : [`CHARACTER SET ${characterSet}`]),
    ...(collation === undefined ? [] : [`COLLATE ${collation}`]),
  ].join(" ");
  const [present] = await primary.query(
    `SELECT default_character_set_name AS characterSet, default_collation_name AS collation
      FROM information_schema.schemata WHERE schema_name = ?`,
    [name],
  );
  if (present === undefined) return await primary.run(`CREATE DATABASE IF NOT EXISTS ${quoteName(name)} ${wanted}`);
  const isSame =
    (characterSet === undefined || characterSet === present["characterSet"]) &&
    (collation === undefined || collation === present["collation"]);
  if (!isSame) await primary.run(`ALTER DATABASE ${quoteName(name)} ${wanted}`);
}
