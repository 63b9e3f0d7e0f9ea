/** The file `.env` of a project: settings and secrets of the operator for `capstan dev`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The variables of the file; none if there is no file. */
export async function readEnvFile(root: string): Promise<{ readonly [name: string]: string }> {
  try {
    return parseEnv(await readFile(join(root, ".env"), "utf8")) as { readonly [name: string]: string };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}
