/** Shell functions that copy data: a dump of a server, and a server without network into which a dump is loaded. */
import { REPLICATION_ACCOUNT } from "./sql.ts";

/** Help tables, which are not dumped: they are large, and each installation of a release has the same. */
const SKIPPED = ["help_topic", "help_keyword", "help_relation", "help_category"];

/** The options of a consistent dump with its position. */
const DUMP = [
  "--all-databases --single-transaction --gtid --master-data=1 --routines --events --triggers --quick --skip-dump-date",
  ...SKIPPED.map((table) => `--ignore-table=mysql.${table}`),
].join(" ");

/** Sets `$TLS` to the options of client programs: members are verified by the file `$AUTHORITY`, if they serve TLS. */
export const TLS_OPTIONS = `TLS=--skip-ssl
[ -z "\${AUTHORITY:-}" ] || TLS="--ssl-ca=$AUTHORITY --ssl-verify-server-cert"
`;

/** `dump_host HOST PORT`: a dump of a member, over the network. */
export const DUMP_HOST = `${TLS_OPTIONS}dump_host() {
  MYSQL_PWD="$REPLICATION_PASSWORD" mariadb-dump --no-defaults $TLS --host="$1" --port="$2" --user=${REPLICATION_ACCOUNT} ${DUMP}
}
`;

/**
 * `install FOLDER` makes an empty data folder. `open_server FOLDER [FLAGS]` starts a server without network and accounts on it, and
 * `close_server` ends it. `load` reads a dump from its input; the position goes into the binary log too, because a dump of this server
 * would have none otherwise. Files are in `$RUN`.
 */
export const SERVER = `RUN=\${RUN:-/run}
install() {
  mkdir -p "$1"
  mariadb-install-db --no-defaults --force --datadir="$1" --auth-root-authentication-method=socket --auth-root-socket-user=mysql \\
    --skip-test-db --skip-name-resolve > $RUN/install.log 2>&1 || { cat $RUN/install.log >&2; return 1; }
}
sql() { mariadb --no-defaults --socket=$RUN/load.sock --binary-mode --init-command='SET SESSION sql_log_bin = 0' "$@"; }
open_server() {
  folder=$1
  shift
  mariadbd --no-defaults --datadir=$folder --skip-networking --socket=$RUN/load.sock --skip-grant-tables --log-bin=bin \\
    --relay-log=relay --innodb-flush-log-at-trx-commit=0 --sync-binlog=0 --pid-file=$RUN/load.pid "$@" > $RUN/load.log 2>&1 &
  server=$!
  until sql -e 'SELECT 1' > /dev/null 2>&1; do
    kill -0 $server 2> /dev/null || { tail -20 $RUN/load.log >&2; return 1; }
    sleep 0.1
  done
}
close_server() {
  kill $server
  wait $server || true
}
load() { sed '/^CHANGE MASTER TO/d' | sql; }
keep_position() {
  position=$(sql -N -e 'SELECT @@global.gtid_slave_pos')
  sql -e 'RESET MASTER'
  [ -z "$position" ] || sql -e "SET GLOBAL gtid_binlog_state = '$position'"
}
`;

/** Loads the copy `$SEED/content` into a server in `/scratch/db`, and dumps that. */
export const TRIAL = `
set -eu
RUN=/scratch
${SERVER}
install /scratch/db
open_server /scratch/db
load < "$SEED/content"
keep_position
mariadb-dump --no-defaults --socket=$RUN/load.sock ${DUMP}
close_server
`;

/** Shell function that writes its message to the termination log, where the operator reads it. */
const FAIL = `fail() { echo "$1" > /dev/termination-log || true; echo "$1" >&2; exit 1; }
`;

/**
 * Shell code that loads given data into a new data folder: the copy `$SEED/content`, or a dump of a running server; then the log up to a
 * point. The replay writes a binary log with the positions, which is removed at the end.
 */
export function seedData(fresh: string): string {
  return `${FAIL}
open_server ${fresh} || fail "the server that loads the data does not start"
if [ -n "\${SEED_HOST:-}" ]; then
  { MYSQL_PWD="$SEED_PASSWORD" mariadb-dump --no-defaults --skip-ssl --host="$SEED_HOST" --port="$SEED_PORT" --user="$SEED_USER" \\
      --all-databases --single-transaction --routines --events --triggers --quick 2> /run/errors || touch /run/failed; } | load 2>> /run/errors || touch /run/failed
else
  load < "$SEED/content" 2> /run/errors || touch /run/failed
fi
[ ! -e /run/failed ] || fail "the given data cannot be loaded: $(tail -c 400 /run/errors)"
keep_position
close_server
if ls "$SEED"/log/*.data > /dev/null 2>&1; then
  open_server ${fresh} --gtid-strict-mode=1 --server-id=4294967295 || fail "the server that replays the log does not start"
  ${REPLAY}
  close_server
fi`;
}

/** Shell code that replays the log. `here` prints the GTID position: for each domain, the later of the replicated and own entry. */
const REPLAY = `here() {
    sql -N -e "SELECT CONCAT_WS(',', NULLIF(@@global.gtid_slave_pos, ''), NULLIF(@@global.gtid_binlog_pos, ''))" | tr ',' '\\n' \\
      | awk -F- 'NF == 3 { if (!($1 in seq) || $3 + 0 >= seq[$1] + 0) { seq[$1] = $3; all[$1] = $0 } } END { for (d in all) print all[d] }' \\
      | sort -t- -k1,1n | tr '\\n' ',' | sed 's/,$//'
  }
  stop=
  [ -z "\${UNTIL_POSITION:-}" ] || stop="--stop-position=$UNTIL_POSITION"
  for data in "$SEED"/log/*.data; do
    rm -rf "$SEED/piece" && mkdir "$SEED/piece" && tar -x -C "$SEED/piece" -f "$data"
    position=$(here)
    { TZ=UTC mariadb-binlog --no-defaults \${position:+--start-position="$position"} $stop \${UNTIL_TIME:+--stop-datetime="$UNTIL_TIME"} "$SEED"/piece/* 2> /run/errors || touch /run/failed; } \\
      | mariadb --no-defaults --socket=$RUN/load.sock --binary-mode 2>> /run/errors || touch /run/failed
    [ ! -e /run/failed ] || fail "the log cannot be replayed from $position: $(tail -c 400 /run/errors)"
    [ "$(here)" = "$(cat "\${data%.data}.to")" ] || break
  done
  position=$(here)
  [ -z "\${UNTIL_POSITION:-}" ] || [ "$position" = "$(echo "$UNTIL_POSITION" | tr -d ' ')" ] || fail "the log leads to $position and not to $UNTIL_POSITION"
  sql -e 'RESET MASTER'
  sql -e "SET GLOBAL gtid_slave_pos = '$position'"
  [ -z "$position" ] || sql -e "SET GLOBAL gtid_binlog_state = '$position'"`;
