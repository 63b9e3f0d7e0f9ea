/** Reads what package.json declares about an operator. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackageWords } from "@capstan/scaffold";
import { CliError } from "../errors.ts";

/** The fields of package.json that bundles use. */
export type Package = PackageWords & { readonly version?: string };

/** Reads the package.json of a folder; a missing file gives an empty object. */
export async function readPackage(root: string): Promise<Package> {
  const text = await readFile(join(root, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Package;
  } catch (cause) {
    throw new CliError("BadInput", "cannot read package.json: it is not JSON", { cause });
  }
}
