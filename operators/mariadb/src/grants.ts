/** Rights of a MariaDB account: read from `SHOW GRANTS`, compared, and changed by the fewest statements. */
import type { Grant } from "capstan/stateful";

/** Rights on one target, such as `*.*` or `` `shop`.* ``. */
interface Rights {
  readonly privileges: ReadonlySet<string>;
  readonly withGrantOption: boolean;
}

export type RightsByTarget = ReadonlyMap<string, Rights>;

export function quoteName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** In a grant on a whole database, `_` and `%` are wildcards, so they are escaped. */
function targetOf({ database, table }: Pick<Grant, "database" | "table">): string {
  if (database === "*") return "*.*";
  if (table !== undefined) return `${quoteName(database)}.${quoteName(table)}`;
  return `${quoteName(database.replaceAll(/[_%]/gu, String.raw`\$&`))}.*`;
}

/** Privileges that `SHOW GRANTS` prints with another name than the one in the grant. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ["ALL", "ALL PRIVILEGES"],
  ["REPLICATION CLIENT", "BINLOG MONITOR"],
  ["REPLICA MONITOR", "SLAVE MONITOR"],
  ["REPLICATION REPLICA", "REPLICATION SLAVE"],
  ["REPLICATION REPLICA ADMIN", "REPLICATION SLAVE ADMIN"],
  ["DELETE VERSIONING ROWS", "DELETE HISTORY"],
]);

const ALL = "ALL PRIVILEGES";

function privilegesOf(names: readonly string[]): ReadonlySet<string> {
  const shown = names.map((name) => SHOWN.get(name) ?? name).filter((name) => name !== "USAGE");
  return new Set(shown.includes(ALL) ? [ALL] : shown);
}

/** Reads the lines of `SHOW GRANTS`. Grants of roles and proxies are skipped. */
export function parseGrants(lines: readonly string[]): RightsByTarget {
  const found = lines.flatMap((line): [string, Rights][] => {
    const match = /^GRANT (?<names>.+?) ON (?<target>(?:\*|`(?:[^`]|``)*`)\.(?:\*|`(?:[^`]|``)*`)) TO /u.exec(line);
    const { names = "", target = "" } = match?.groups ?? {};
    if (match === null) return [];
    const rest = line.slice(match[0].length);
    return [[target, { privileges: privilegesOf(split(names)), withGrantOption: /WITH .*GRANT OPTION/u.test(rest) }]];
  });
  return merge(found);
}

/** Commas inside of parentheses separate columns. */
function split(names: string): readonly string[] {
  const parts: string[] = [""];
  let isInside = false;
  for (const letter of names) {
    if (letter === "(" || letter === ")") isInside = letter === "(";
    if (letter === "," && !isInside) parts.push("");
    else parts.push((parts.pop() ?? "") + letter);
  }
  return parts.map((name) => name.trim());
}

function merge(entries: readonly (readonly [string, Rights])[]): RightsByTarget {
  const merged = new Map<string, Rights>();
  for (const [target, { privileges, withGrantOption }] of entries) {
    const before = merged.get(target);
    merged.set(target, {
      privileges: privilegesOf([...(before?.privileges ?? []), ...privileges]),
      withGrantOption: withGrantOption || before?.withGrantOption === true,
    });
  }
  return merged;
}

/** Revokes come first: to revoke `ALL PRIVILEGES` on a target also revokes the wanted ones, which are then granted again. */
export function grantStatements(
  account: string,
  { present, wanted }: { readonly present: RightsByTarget; readonly wanted: readonly Grant[] },
): readonly string[] {
  const asked = merge(
    wanted.map(({ privileges, withGrantOption, ...place }) => [
      targetOf(place),
      { privileges: privilegesOf(privileges), withGrantOption },
    ]),
  );
  const targets = new Set([...present.keys(), ...asked.keys()]);
  return [...targets].flatMap((target) => {
    const [now = NONE, then = NONE] = [present.get(target), asked.get(target)];
    return [...revoke(account, { target, now, then }), ...grant(account, { target, now, then })];
  });
}

const NONE: Rights = { privileges: new Set(), withGrantOption: false };

interface Difference {
  readonly target: string;
  readonly now: Rights;
  readonly then: Rights;
}

function revoke(account: string, { target, now, then }: Difference): readonly string[] {
  const excess = then.privileges.has(ALL) ? [] : [...now.privileges].filter((name) => !then.privileges.has(name));
  return [
    ...(excess.length === 0 ? [] : [`REVOKE ${excess.join(", ")} ON ${target} FROM ${account}`]),
    ...(now.withGrantOption && !then.withGrantOption ? [`REVOKE GRANT OPTION ON ${target} FROM ${account}`] : []),
  ];
}

function grant(account: string, { target, now, then }: Difference): readonly string[] {
  const isReset = now.privileges.has(ALL) && !then.privileges.has(ALL);
  const missing = [...then.privileges].filter((name) => isReset || !now.privileges.has(name));
  const mayPassOn = then.withGrantOption && !now.withGrantOption;
  if (missing.length === 0 && !mayPassOn) return [];
  const names = missing.length === 0 ? "USAGE" : missing.join(", ");
  return [`GRANT ${names} ON ${target} TO ${account}${then.withGrantOption ? " WITH GRANT OPTION" : ""}`];
}
