/** A connection to one member, over the driver `mysql2`. */
import { connect } from "node:net";
import { createConnection } from "mysql2/promise";
import type { Connection, ConnectionOptions, RowDataPacket } from "mysql2/promise";
import type { ConnectTarget } from "capstan/stateful";

/** The account of the operator, with all privileges. */
export const OPERATOR_ACCOUNT = "capstan_operator";
/** The account of replicas, which also reads dumps. */
export const REPLICATION_ACCOUNT = "capstan_replication";

/** A row with text values. */
export type Row = { readonly [column: string]: string | undefined };

/** Statements that take longer fail, so that a member that hangs does not hold up the others. */
const STATEMENT_TIMEOUT_MS = 8_000;

/** A connection that runs statements. */
export class Sql implements AsyncDisposable {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async connect(target: ConnectTarget): Promise<Sql> {
    const { host, address, port, password, authority, dial, timeoutMs } = target;
    const signal = AbortSignal.timeout(timeoutMs);
    // The driver would dial the name by which it verifies the certificate.
    const stream =
      dial === undefined ? connect({ host: address, port }) : await dial({ host: address, port }, { signal });
    const options: ConnectionOptions = {
      host,
      port,
      user: OPERATOR_ACCOUNT,
      password,
      connectTimeout: timeoutMs,
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      stream,
      ...(authority === undefined ? {} : { ssl: { ca: authority, verifyIdentity: true } }),
    };
    try {
      const connection = await createConnection(options);
      // Without a listener, a connection that breaks later would end the process. The next statement fails instead.
      connection.on("error", () => undefined);
      return new Sql(connection);
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  /** Runs a statement and returns its rows; values are quoted by the driver. */
  async query(sql: string, values: readonly (string | number)[] = []): Promise<readonly Row[]> {
    const [rows] = await this.#connection.query<RowDataPacket[]>({
      sql,
      values: [...values],
      timeout: STATEMENT_TIMEOUT_MS,
    });
    return Array.isArray(rows) ? rows.map(toRow) : [];
  }

  /** Runs statements one after the other. */
  async run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.query(statement);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.destroy();
  }
}

function toRow(row: RowDataPacket): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]: [string, unknown]) => [column, toText(value)]));
}

/** The driver gives text, numbers and bytes. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Buffer.isBuffer(value)) return value.toString();
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}
