/** Backups of MariaDB: a consistent dump with its GTID position, and closed files of the binary log. */
import type { Backups, CopyScanner } from "capstan/stateful";
import { DUMP_HOST, TLS_OPTIONS, TRIAL } from "./copy.ts";
import { comparePositions, formatPosition, parsePosition } from "./gtid.ts";
import type { Position } from "./gtid.ts";
import { REPLICATION_ACCOUNT } from "./sql.ts";
import type { Sql } from "./sql.ts";

export const backups: Backups<Sql, Position> = {
  formatPosition,
  parsePosition,
  dump: `${DUMP_HOST}
dump_host "$HOST" "$PORT"`,
  scan: scanDump,
  trial: TRIAL,
  log: {
    mark: async (primary) => {
      const [row = {}] = await primary.query(
        "SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ') AS time, @@global.gtid_current_pos AS position",
      );
      return { position: parsePosition(row["position"] ?? ""), time: row["time"] ?? "" };
    },
    next: nextPiece,
    fetch: `set -e
${TLS_OPTIONS}mkdir -p /scratch/piece
for file in $PIECE; do
  MYSQL_PWD="$REPLICATION_PASSWORD" mariadb-binlog --no-defaults $TLS --raw --read-from-remote-server --host="$HOST" --port="$PORT" \\
    --user=${REPLICATION_ACCOUNT} --result-file=/scratch/piece/ "$file" 1>&2
done
cd /scratch/piece
tar -c $PIECE`,
  },
};

/** Rows of the system tables differ between releases, and accounts are not compared. */
function scanDump(): CopyScanner {
  let database = "";
  let position: string | undefined;
  let isComplete = false;
  return {
    isRow: (line) => {
      const named = /^-- Current Database: `(?<name>.*)`$/u.exec(line)?.groups?.["name"];
      if (named !== undefined) database = named;
      const at = /^SET GLOBAL gtid_slave_pos='(?<at>[-0-9,]*)';$/u.exec(line)?.groups?.["at"];
      if (at !== undefined) position = formatPosition(parsePosition(at));
      isComplete = line.startsWith("-- Dump completed") || (isComplete && line === "");
      return database !== "mysql" && /^(INSERT INTO|\()/u.test(line);
    },
    position: () => (isComplete ? position : undefined),
  };
}

/** All closed files from the newest one that begins at or before a position. */
async function nextPiece(member: Sql, archived: Position) {
  await member.run("FLUSH LOCAL BINARY LOGS");
  const files = (await member.query("SHOW BINARY LOGS")).map((row) => row["Log_name"] ?? "");
  const open = files.at(-1) ?? "";
  const to = await positionAt(member, open);
  const pieces: string[] = [];
  for (const file of files.slice(0, -1).toReversed()) {
    const from = await positionAt(member, file);
    pieces.unshift(file);
    if (["same", "behind"].includes(comparePositions(from, archived))) {
      return { from: formatPosition(from), to: formatPosition(to), piece: pieces.join(" ") };
    }
  }
  return undefined;
}

async function positionAt(member: Sql, file: string): Promise<Position> {
  const [row] = await member.query("SELECT BINLOG_GTID_POS(?, 4) AS position", [file]);
  return parsePosition(row?.["position"] ?? "");
}
