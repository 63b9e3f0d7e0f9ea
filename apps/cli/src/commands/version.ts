/** `capstan version`: prints the versions of Capstan, Kubernetes and Node, and the platform. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, defineCommand } from "../command/define.ts";
import { outputOption, print } from "../output/print.ts";
import { ownFolder } from "../place.ts";

/** The Kubernetes release of the built-in kinds and rules. */
const kubernetes = "1.36";

/** The version of this program. */
export async function ownVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(ownFolder, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

/** Prints versions. */
export const version: Command = defineCommand({
  options: { output: outputOption },
  examples: [
    { line: "capstan version", does: "Print a table" },
    { line: "capstan version -o json", does: "Print JSON, for a report or a script" },
  ],
  run: async ({ options: { output }, terminal }) => {
    const parts = {
      capstan: await ownVersion(),
      kubernetes,
      node: process.versions.node,
      platform: `${process.platform}/${process.arch}`,
    };
    await print(
      { terminal, output },
      { value: parts, table: { titles: ["PART", "VERSION"], rows: Object.entries(parts) } },
    );
  },
});
