/** What a MariaDB server reports about itself. */
import type { MemberReport } from "capstan/stateful";
import { latest, parsePosition } from "./gtid.ts";
import type { Position } from "./gtid.ts";
import type { Row, Sql } from "./sql.ts";

/** The start script writes used bytes and size of the volume to this file. */
export const VOLUME_FILE = "/run/volume";

const VARIABLES = `SELECT @@version AS version, @@global.read_only AS readOnly, @@global.gtid_current_pos AS current,
  @@global.gtid_binlog_pos AS logged, @@global.rpl_semi_sync_master_enabled AS waits,
  @@global.rpl_semi_sync_master_wait_point AS waitPoint, @@global.rpl_semi_sync_master_timeout AS timeout,
  @@global.rpl_semi_sync_master_wait_no_slave AS waitsAlone, LOAD_FILE('${VOLUME_FILE}') AS volume`;

/** The status of this session: the certificate is the one that this connection got. */
const STATUS =
  "SHOW SESSION STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_wait_sessions', 'Ssl_server_not_after')";

export async function readReport(sql: Sql): Promise<MemberReport<Position>> {
  const [variables = {}] = await sql.query(VARIABLES);
  const [replica] = await sql.query("SHOW SLAVE STATUS");
  const status = new Map((await sql.query(STATUS)).map((row) => [row["Variable_name"], row["Value"]]));
  const acceptsWrites = variables["readOnly"] === "0";
  const applied = latest(positionOf(variables["current"]), positionOf(variables["logged"]));
  return {
    version: (variables["version"] ?? "").split("-")[0] ?? "",
    lineage: await readLineage(sql),
    acceptsWrites,
    applied,
    acknowledgements: isLossless(variables) ? 1 : 0,
    waitingForAcknowledgement: Number(status.get("Rpl_semi_sync_master_wait_sessions") ?? 0),
    certificateEnd: parseEnd(status.get("Ssl_server_not_after")),
    volume: parseVolume(variables["volume"]),
    ...(isConfigured(replica)
      ? readReplication(replica, applied)
      : { role: acceptsWrites ? "primary" : "detached", received: applied, isReceiving: false }),
  };
}

/** Reads a time such as `Nov  9 16:00:00 2027 GMT`; it is empty without TLS. */
export function parseEnd(text: string | undefined): number | undefined {
  const end = Date.parse(text ?? "");
  return Number.isNaN(end) ? undefined : end;
}

/** Reads `USED SIZE` in bytes. */
export function parseVolume(text: string | undefined): MemberReport<Position>["volume"] {
  const { used, size } = /^(?<used>\d+) (?<size>\d+)\s*$/u.exec(text ?? "")?.groups ?? {};
  return used === undefined || size === undefined ? undefined : { usedBytes: Number(used), sizeBytes: Number(size) };
}

function isConfigured(replica: Row | undefined): replica is Row {
  return replica?.["Master_Host"] !== undefined && replica["Master_Host"] !== "";
}

function readReplication(replica: Row, applied: Position) {
  return {
    role: "replica",
    received: latest(applied, positionOf(replica["Gtid_IO_Pos"])),
    isReceiving: replica["Slave_IO_Running"] === "Yes",
    upstream: replica["Master_Host"],
    replicationError: replicationError(replica),
  } as const;
}

function positionOf(text: string | undefined): Position {
  return parsePosition(text ?? "");
}

/** The primary waits before it commits, without end, and also without any replica. */
function isLossless({ waits, waitPoint, timeout, waitsAlone }: Row): boolean {
  const isForever = Number(timeout ?? 0) >= Number(NEVER_MS);
  return waits === "1" && waitPoint === "AFTER_SYNC" && isForever && waitsAlone === "1";
}

/** Milliseconds after which the primary would go on without acknowledgement: thirty thousand years. */
export const NEVER_MS = "1000000000000000";

/** The row that was written when the data was created. */
async function readLineage(sql: Sql): Promise<string | undefined> {
  try {
    const [row] = await sql.query("SELECT id FROM capstan.lineage");
    return row?.["id"];
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

function isMissingTable(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ER_NO_SUCH_TABLE" || code === "ER_BAD_DB_ERROR";
}

/** Errors that only a new copy repairs: what the replica asks for is gone or differs. */
const DIVERGED: ReadonlySet<string> = new Set(["1236", "1945", "1949", "1950", "1951", "1955"]);

function replicationError(replica: Row): MemberReport<Position>["replicationError"] {
  const [io = "0", sqlError = "0"] = [replica["Last_IO_Errno"], replica["Last_SQL_Errno"]];
  // A statement that fails on the replica alone shows that its data differs.
  if (sqlError !== "0") return { code: "Diverged", message: replica["Last_SQL_Error"] ?? sqlError };
  if (io === "0") return undefined;
  return { code: DIVERGED.has(io) ? "Diverged" : "Failed", message: replica["Last_IO_Error"] ?? io };
}
