/** Settings of MariaDB by class, and those that follow from the memory of a member. */
import type { SettingClass, Settings } from "capstan/stateful";
import type { Sql } from "./sql.ts";

const LIVE: ReadonlySet<string> = new Set([
  "connect_timeout",
  "expire_logs_days",
  "innodb_buffer_pool_size",
  "innodb_io_capacity",
  "innodb_lock_wait_timeout",
  "interactive_timeout",
  "long_query_time",
  "max_allowed_packet",
  "max_connections",
  "slow_query_log",
  "table_open_cache",
  "wait_timeout",
]);

const CREATION: ReadonlySet<string> = new Set(["innodb_page_size", "innodb_data_file_path", "lower_case_table_names"]);

/** Identity, durability and replication belong to the operator. */
const OPERATOR =
  /^(bind_address|binlog_format|datadir|gtid_.*|init_rpl_role|innodb_flush_log_at_trx_commit|log_bin.*|log_slave_updates|pid_file|port|read_only|relay_log.*|rpl_semi_sync_.*|server_id|skip_slave_start|socket|ssl_.*|sync_binlog)$/u;

const MEBIBYTE = 2 ** 20;

export const settings: Settings<Sql> = {
  classOf,
  sized: (memoryBytes) => ({
    innodb_buffer_pool_size: String(Math.max(32, Math.floor((memoryBytes * 0.5) / MEBIBYTE)) * MEBIBYTE),
    max_connections: String(Math.min(2_000, Math.max(50, Math.floor(memoryBytes / (8 * MEBIBYTE))))),
  }),
  set: async (sql, name, value) => {
    if (!/^[a-z_]+$/u.test(name)) throw new TypeError(`${name} is not the name of a setting`);
    await sql.query(`SET GLOBAL ${name} = ${/^\d+(\.\d+)?$/u.test(value) ? value : "?"}`, [value]);
    const [row] = await sql.query(`SELECT @@global.${name} AS value`);
    return row?.["value"] ?? "";
  },
};

function classOf(name: string): SettingClass {
  const plain = name.replaceAll("-", "_");
  if (OPERATOR.test(plain)) return "operator";
  if (CREATION.has(plain)) return "creation";
  return LIVE.has(plain) ? "live" : "restart";
}
