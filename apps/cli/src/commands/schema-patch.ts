/** `capstan generate schema-patch`: writes the program's schemas into hand-written CRDs. */
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { patchSchemas, ScaffoldError } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { report } from "../project/apply.ts";
import { writeChanges } from "../project/write.ts";
import { entryOption, loadProgram } from "../project/program.ts";

/** Patches CRDs. */
export const schemaPatch: Command = defineCommand({
  describe:
    "Only the schemas of the program's own kinds change: columns, annotations, comments and other objects stay.",
  arguments: [{ name: "DIR", describe: "the folder with the CRDs, in YAML", presence: "required" }],
  options: { entry: entryOption },
  examples: [
    { line: "capstan generate schema-patch config/crd/bases", does: "Bring the schemas of these CRDs up to date" },
  ],
  run: async ({ args: [folder = ""], options, terminal }) => {
    const { program } = await loadProgram(terminal.cwd, options.entry);
    const root = resolve(terminal.cwd, folder);
    const names = (await readdir(root)).filter((name) => /\.ya?ml$/.test(name)).sort();
    const patches = await Promise.all(
      names.map(async (path) => {
        const old = await readFile(join(root, path), "utf8");
        return { path, old, ...patch(join(folder, path), () => patchSchemas(old, program)) };
      }),
    );
    if (patches.every(({ patched }) => patched.length === 0))
      throw new CliError("BadInput", `${folder} has no CRD of this program; write them with capstan generate crds`);
    const changes = patches
      .filter(({ old, text }) => old !== text)
      .map(({ path, text }) => ({ path, action: "update" as const, text }));
    await writeChanges(root, changes);
    for (const lacking of patches.flatMap((one) => one.lacking))
      terminal.err(`${lacking} is in none of the CRDs: add the version by hand\n`);
    return report(
      changes.map((change) => ({ ...change, path: join(folder, change.path) })),
      terminal,
    );
  },
});

/** Adds the file name to errors. */
function patch<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof ScaffoldError)) throw cause;
    throw new CliError("BadInput", `cannot patch ${path}: ${cause.message}`, { cause });
  }
}
