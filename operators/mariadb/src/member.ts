/** The programs of a member: how its data comes into being, how the server starts and how it stops. */
import { NO_DATA_EXIT } from "capstan/stateful";
import type { MemberInput, MemberProgram } from "capstan/stateful";
import { DUMP_HOST, seedData, SERVER } from "./copy.ts";
import { NEVER_MS, VOLUME_FILE } from "./report.ts";
import { OPERATOR_ACCOUNT, REPLICATION_ACCOUNT } from "./sql.ts";

/** User and group of MariaDB in the image. */
const USER = 999;
const SOCKET = "/run/mariadb.sock";
const PORT = 3306;

export function member(input: MemberInput): MemberProgram {
  const data = `${input.dataPath}/db`;
  return {
    user: USER,
    prepare: prepareScript(data, input),
    start: startScript(data, input),
    probe: ["mariadb-admin", "--no-defaults", `--socket=${SOCKET}`, "--user=mysql", "ping"],
  };
}

/** Data appears under its final name only when it is complete, so an interrupted start begins again. */
function prepareScript(data: string, input: MemberInput): string {
  const fresh = `${input.dataPath}/new`;
  return `set -eu
if [ -d ${data} ]; then exit 0; fi
if [ "$BOOT" = run ]; then echo "the volume has no data, but this member had some" > /dev/termination-log || true; exit ${NO_DATA_EXIT}; fi
rm -rf ${fresh} /run/failed
${SERVER}
install ${fresh}
if [ "$BOOT" = create ]; then
if [ -n "\${SEED:-}" ]; then
${seedData(fresh)}
fi
${createAccounts(fresh)}
else
${cloneData(fresh)}
fi
sync
mv ${fresh} ${data}
`;
}

/** The operator's accounts and the lineage are not in the binary log: every copy begins with them. Given data may have others. */
function createAccounts(fresh: string): string {
  const grants = "REPLICATION SLAVE, SELECT, SHOW VIEW, TRIGGER, EVENT, RELOAD, LOCK TABLES, PROCESS, BINLOG MONITOR";
  return `mariadbd --no-defaults --bootstrap --datadir=${fresh} > /tmp/create.log 2>&1 <<SQL || { cat /tmp/create.log; exit 1; }
FLUSH PRIVILEGES;
CREATE OR REPLACE USER ${OPERATOR_ACCOUNT}@'%' IDENTIFIED BY '$OPERATOR_PASSWORD';
GRANT ALL ON *.* TO ${OPERATOR_ACCOUNT}@'%' WITH GRANT OPTION;
CREATE OR REPLACE USER ${REPLICATION_ACCOUNT}@'%' IDENTIFIED BY '$REPLICATION_PASSWORD';
GRANT ${grants} ON *.* TO ${REPLICATION_ACCOUNT}@'%';
CREATE OR REPLACE USER mysql@localhost IDENTIFIED VIA unix_socket;
GRANT ALL ON *.* TO mysql@localhost WITH GRANT OPTION;
CREATE DATABASE IF NOT EXISTS capstan;
CREATE TABLE IF NOT EXISTS capstan.lineage (id VARCHAR(64) PRIMARY KEY) ENGINE=InnoDB;
DELETE FROM capstan.lineage;
INSERT INTO capstan.lineage VALUES ('$LINEAGE');
SQL`;
}

/** A consistent dump of a donor with its position, loaded into a server that has no network. */
function cloneData(fresh: string): string {
  return `${DUMP_HOST}
open_server ${fresh}
done=no
for donor in $DONORS; do
  rm -f /run/failed
  { dump_host $donor ${PORT} || touch /run/failed; } | load || touch /run/failed
  if [ ! -e /run/failed ]; then done=yes; break; fi
done
[ $done = no ] || keep_position
close_server
[ $done = yes ] || { echo "no donor of $DONORS could be copied" > /dev/termination-log || true; exit 1; }`;
}

/**
 * A primary that waits for acknowledgements is killed and not stopped: stopped in good order, it would complete writes that no replica
 * has. Recovery at the next start is safe, because every commit is synced.
 */
function startScript(data: string, input: MemberInput): string {
  return `set -u
if [ ! -d ${data} ]; then echo "the volume is empty" > /dev/termination-log || true; exit ${NO_DATA_EXIT}; fi
if [ "$ROLE" = primary ]; then role=MASTER; readonly=0; else role=SLAVE; readonly=1; fi
${input.tlsPath === undefined ? "" : `loaded=$(cat ${input.tlsPath}/tls.crt ${input.tlsPath}/ca.crt | cksum)\n`}mariadbd ${serverFlags(data, input).join(" ")} --init-rpl-role=$role --read-only=$readonly &
server=$!
# Tables of an older release are brought up to date on each member; a release that did it already does nothing.
(
  until mariadb-admin --no-defaults --socket=${SOCKET} --user=mysql ping > /dev/null 2>&1; do
    kill -0 $server 2> /dev/null || exit 0
    sleep 0.2
  done
  mariadb-upgrade --no-defaults --socket=${SOCKET} --user=mysql --upgrade-system-tables > /tmp/upgrade.log 2>&1 || cat /tmp/upgrade.log
) &
${measureVolume(input.dataPath)}${input.tlsPath === undefined ? "" : reloadCertificates(input.tlsPath)}stop() {
  waits=$(timeout 3 mariadb --no-defaults --socket=${SOCKET} --user=mysql -N -e 'SELECT @@rpl_semi_sync_master_enabled' 2> /dev/null || echo 1)
  if [ "$waits" = 0 ]; then kill -TERM $server; else kill -KILL $server; fi
}
trap stop TERM INT
while kill -0 $server 2> /dev/null; do wait $server; code=$?; done
exit $code
`;
}

/** SQL does not say how full a volume is, so the server reads it from a file. */
function measureVolume(folder: string): string {
  return `(
  while kill -0 $server 2> /dev/null; do
    df -Pk ${folder} | awk 'NR == 2 { printf "%.0f %.0f\\n", $3 * 1024, ($3 + $4) * 1024 }' > ${VOLUME_FILE}.new && mv ${VOLUME_FILE}.new ${VOLUME_FILE}
    sleep 10
  done
) &
`;
}

/** The kubelet replaces the files of a changed Secret at once; the server loads them by itself, also while the operator is away. */
function reloadCertificates(folder: string): string {
  return `(
  while kill -0 $server 2> /dev/null; do
    sleep 2
    present=$(cat ${folder}/tls.crt ${folder}/ca.crt | cksum)
    [ "$present" != "$loaded" ] || continue
    mariadb --no-defaults --socket=${SOCKET} --user=mysql -e 'FLUSH LOCAL SSL' && loaded=$present
  done
) &
`;
}

function serverFlags(data: string, { serial, settings, tlsPath }: MemberInput): readonly string[] {
  const own = {
    datadir: data,
    socket: SOCKET,
    "pid-file": "/run/mariadb.pid",
    "server-id": String(serial + 10),
    "log-bin": "bin",
    "relay-log": "relay",
    "log-slave-updates": "1",
    "binlog-format": "ROW",
    "gtid-strict-mode": "1",
    "sync-binlog": "1",
    "innodb-flush-log-at-trx-commit": "1",
    "skip-name-resolve": "1",
    "skip-slave-start": "1",
    "rpl-semi-sync-slave-enabled": "1",
    "rpl-semi-sync-master-wait-point": "AFTER_SYNC",
    "rpl-semi-sync-master-timeout": NEVER_MS,
    "rpl-semi-sync-master-wait-no-slave": "1",
    ...(tlsPath === undefined
      ? {}
      : { "ssl-cert": `${tlsPath}/tls.crt`, "ssl-key": `${tlsPath}/tls.key`, "ssl-ca": `${tlsPath}/ca.crt` }),
    "rpl-semi-sync-master-enabled": "$([ $role = MASTER ] && echo 1 || echo 0)",
  };
  const user = Object.entries(settings).map(([name, value]) => `--${name.replaceAll("_", "-")}=${quote(value)}`);
  return ["--no-defaults", ...user, ...Object.entries(own).map(([name, value]) => `--${name}=${value}`)];
}

/** A value as one word of the shell. */
function quote(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
