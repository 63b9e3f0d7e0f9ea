/** MariaDB as an application: a replica has every commit before it is acknowledged, and the operator decides which member is primary. */
import { application } from "capstan/stateful";
import type { Application } from "capstan/stateful";
import type { Position } from "./gtid.ts";
import { accounts } from "./accounts.ts";
import { backups } from "./backups.ts";
import { member } from "./member.ts";
import { readReport } from "./report.ts";
import { settings } from "./settings.ts";
import { Sql } from "./sql.ts";
import { topology } from "./topology.ts";

/** Releases that the tests run. */
const VERSIONS = ["10.11.19", "11.8.6"] as const;

export const mariadb: Application<Sql, Position> = application({
  name: "mariadb",
  port: 3306,
  image: "docker.io/library/mariadb:{version}",
  connect: (target) => Sql.connect(target),
  report: readReport,
  topology,
  member,
  settings,
  hasTls: true,
  accounts,
  backups,
  versions: {
    known: VERSIONS,
    // Data of a newer series cannot be read by an older one.
    canGo: (from, to) => seriesOf(to) >= seriesOf(from),
  },
});

/** A series such as 10.11 as a number that can be compared. */
function seriesOf(version: string): number {
  const [major = "0", minor = "0"] = version.split(".");
  return Number(major) * 1_000 + Number(minor);
}
