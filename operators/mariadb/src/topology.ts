/** How MariaDB replicates: GTIDs and lossless semi-synchronous acknowledgement by one replica. */
import type { PrimaryAndReplicas, Upstream } from "capstan/stateful";
import { comparePositions, formatPosition } from "./gtid.ts";
import type { Position } from "./gtid.ts";
import { NEVER_MS } from "./report.ts";
import { OPERATOR_ACCOUNT, REPLICATION_ACCOUNT } from "./sql.ts";
import type { Sql } from "./sql.ts";

/** Seconds for which a switchover waits for the candidate, and for writes that are under way. */
const WAIT_SECONDS = 5;

export const topology: PrimaryAndReplicas<Sql, Position> = {
  compare: comparePositions,
  // MariaDB waits for one replica, and has no setting to wait for more.
  acknowledgements: (size) => (size > 1 ? 1 : 0),
  fence: (replica) => replica.run("STOP SLAVE IO_THREAD"),
  freeze,
  waitFor: async (replica, position) => {
    await replica.query("SELECT MASTER_GTID_WAIT(?, ?)", [formatPosition(position), WAIT_SECONDS]);
  },
  promote: async (member, { acknowledgements }) => {
    await member.run("STOP SLAVE", "RESET SLAVE ALL", ...acknowledged(acknowledgements), "SET GLOBAL read_only = 0");
  },
  setAcknowledgements: (primary, count) => primary.run(...acknowledged(count)),
  follow,
};

/** Setting `read_only` waits for commits that are under way. Then the connections of clients end, so that they find the new primary. */
async function freeze(primary: Sql): Promise<void> {
  await primary.run(`SET SESSION lock_wait_timeout = ${WAIT_SECONDS}`, "SET GLOBAL read_only = 1");
  const clients = await primary.query(
    "SELECT id FROM information_schema.processlist WHERE user NOT IN (?, ?, 'system user', 'event_scheduler') AND command <> 'Binlog Dump'",
    [OPERATOR_ACCOUNT, REPLICATION_ACCOUNT],
  );
  for (const { id = "" } of clients) await primary.query("KILL ?", [Number(id)]).catch(() => undefined);
}

function acknowledged(count: number): readonly string[] {
  return [
    "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
    `SET GLOBAL rpl_semi_sync_master_timeout = ${NEVER_MS}`,
    `SET GLOBAL rpl_semi_sync_master_enabled = ${count > 0 ? 1 : 0}`,
  ];
}

/**
 * A replica does not wait for acknowledgements itself: its own SQL thread would wait for ever. It continues from its own position, which
 * includes transactions that it wrote as a primary.
 */
async function follow(member: Sql, { host, port, password, authority }: Upstream): Promise<void> {
  await member.run("SET GLOBAL rpl_semi_sync_master_enabled = 0", "SET GLOBAL read_only = 1", "STOP SLAVE");
  const [place = {}] = await member.query(
    "SELECT @@global.gtid_current_pos AS current, @@global.gtid_slave_pos AS replicated",
  );
  if (place["current"] !== place["replicated"])
    await member.query("SET GLOBAL gtid_slave_pos = ?", [place["current"] ?? ""]);
  await member.query(
    `CHANGE MASTER TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?, MASTER_USE_GTID = slave_pos,
      MASTER_CONNECT_RETRY = 1, MASTER_HEARTBEAT_PERIOD = 2, MASTER_SSL = ?${authority === undefined ? "" : ", MASTER_SSL_CA = ?, MASTER_SSL_VERIFY_SERVER_CERT = 1"}`,
    [
      host,
      port,
      REPLICATION_ACCOUNT,
      password,
      authority === undefined ? 0 : 1,
      ...(authority === undefined ? [] : [authority]),
    ],
  );
  await member.run("START SLAVE");
}
