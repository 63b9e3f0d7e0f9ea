/** Opens DuckDB with limits, or says which package is missing. */
import type * as EngineModule from "@duckdb/node-api";
import { MeterError } from "../error.ts";

/** A connection with what it needs to stay open. */
export interface Engine {
  readonly module: typeof EngineModule;
  readonly instance: EngineModule.DuckDBInstance;
  readonly connection: EngineModule.DuckDBConnection;
}

/** Where spilled data goes, and how much memory the engine may take. */
export interface EngineOptions {
  readonly temporary: string;
  readonly memory?: string;
}

/** Opens an engine without files of its own. */
export async function openEngine({ temporary, memory = "512MB" }: EngineOptions): Promise<Engine> {
  const module = await load();
  const instance = await module.DuckDBInstance.create(":memory:", {
    memory_limit: memory,
    threads: "2",
    temp_directory: temporary,
    preserve_insertion_order: "true",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  return { module, instance, connection: await instance.connect() };
}

async function load(): Promise<typeof EngineModule> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    throw new MeterError(
      "MissingEngine",
      "metering needs DuckDB, which is not installed; run: npm install @duckdb/node-api",
      {
        cause,
      },
    );
  }
}

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
