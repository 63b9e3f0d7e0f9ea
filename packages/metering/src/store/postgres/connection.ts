/** Connects to PostgreSQL, or says which package is missing or why the server cannot be reached. */
import type * as PgModule from "pg";
import { MeterError } from "../../error.ts";

/** A pool of connections with the schema of the store. */
export interface Database {
  readonly pool: PgModule.Pool;
  /** The schema as an SQL identifier. */
  readonly schema: string;
  /** The server and database without a password, for errors. */
  readonly shown: string;
  /** Identifies the lock of the writer. */
  readonly lockKey: string;
}

const usualSchema = "capstan_meter";

/** Opens a pool. The URL may name the schema: `postgres://user@host/db?schema=acme`. */
export async function connect(url: string, pid: number): Promise<Database> {
  const { Pool } = await load();
  const place = parseUrl(url);
  const name = place.searchParams.get("schema") ?? usualSchema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name))
    throw new MeterError(
      "BadInput",
      `the schema ${JSON.stringify(name)} must be small letters, digits and underscores`,
    );
  place.searchParams.delete("schema");
  const pool = new Pool({
    connectionString: place.href,
    max: 4,
    application_name: `capstan-meter pid ${pid}`,
    connectionTimeoutMillis: 10_000,
  });
  // A connection that breaks while nothing uses it is replaced by the next use.
  pool.on("error", () => {});
  // One that breaks in use rejects its queries, too; an error that nothing listens to would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  const shown = `${place.host}${place.pathname}`;
  return { pool, schema: `"${name}"`, shown, lockKey: `capstan-meter ${name}` };
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new MeterError("BadInput", "--store is not a URL; write postgres://USER@HOST/DATABASE", { cause });
  }
}

async function load(): Promise<{ readonly Pool: typeof PgModule.Pool }> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new MeterError("MissingEngine", "a store on PostgreSQL needs the package pg; run: npm install pg", { cause });
  }
}

/** What the server refuses, as an error of metering. */
export function databaseError(cause: unknown, { shown }: Pick<Database, "shown">): MeterError {
  if (cause instanceof MeterError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  // Class 53 is about resources: a full disk is 53100. Classes 08 and 57 are lost connections and shutdowns.
  if (code === "53100") return new MeterError("Disk", `${shown}: ${message}; make room and import again`, { cause });
  if (/^(?:08|57|ECONN|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|28|3D)/.test(code) || /timeout|terminated/i.test(message))
    return new MeterError("Unreachable", `${shown} cannot be used: ${message}; what was committed is kept`, { cause });
  return new MeterError("Corrupt", `${shown}: ${message}`, { cause });
}
