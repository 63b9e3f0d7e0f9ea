/** What package.json says about an operator. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackageWords } from "@capstan/scaffold";
import { CliError } from "../errors.ts";

/** A package as far as bundles care. */
export type Package = PackageWords & { readonly version?: string };

/** The package of a folder; one without says nothing. */
export async function readPackage(root: string): Promise<Package> {
  const text = await readFile(join(root, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Package;
  } catch (cause) {
    throw new CliError("BadInput", "cannot read package.json: it is not JSON", { cause });
  }
}
