/** Finds the version of the package that a program belongs to. */
import { dirname, join } from "node:path";
import { isVersion } from "../crds/version.ts";

/** The version in the nearest package.json that has one. A file that cannot be read is skipped. */
export async function packageVersion(
  program: string,
  readFile: (path: string) => Promise<string>,
): Promise<string | undefined> {
  let folder = program;
  while (folder !== dirname(folder)) {
    folder = dirname(folder);
    const text = await readFile(join(folder, "package.json")).catch(() => "");
    const version = versionIn(text);
    if (version !== undefined) return version;
  }
  return undefined;
}

function versionIn(text: string): string | undefined {
  try {
    const { version } = JSON.parse(text) as { readonly version?: unknown };
    return typeof version === "string" && isVersion(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
