/** Texts that a kubeconfig contains or names a file for. */
import { ConfigError } from "../error/config-error.ts";
import type { Host } from "../host/host.ts";
import type { Fields } from "./fields.ts";
import type { Source } from "./kubeconfig.ts";

/** The location of an entry, for relative paths and errors. */
export interface Origin {
  readonly file: string;
  /** The entry: `the user "admin"`. */
  readonly owner: string;
  /** Resolves a path relative to the file's folder. */
  path(name: string): string;
}

/** `name-data` in base64 wins over the file `name`. */
export function sourceOf(fields: Fields, name: string, origin: Origin): Source | undefined {
  const data = fields.text(`${name}-data`);
  if (data !== undefined && data !== "") return { data: decodePem(data, `${name}-data`, origin) };
  const file = fields.text(name);
  return file === undefined || file === "" ? undefined : { file: origin.path(file) };
}

function decodePem(data: string, field: string, { file, owner }: Origin): string {
  const text = Buffer.from(data, "base64").toString("utf8");
  if (text.includes("-----BEGIN ")) return text;
  throw new ConfigError(
    "Malformed",
    `Cannot use ${file}: ${field} of ${owner} is not a PEM text in base64. Correct it there.`,
  );
}

/** The current text of a source. */
export async function readSource({ readFile }: Pick<Host, "readFile">, source: Source): Promise<string> {
  if ("data" in source) return source.data;
  try {
    return await readFile(source.file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(
      "Unreadable",
      `Cannot read ${source.file}, which the configuration names: ${why}. Put the file there, or correct the configuration.`,
      cause,
    );
  }
}
