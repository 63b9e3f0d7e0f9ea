/** `capstan import crd`: converts a CRD to a file with `defineResource`. */
import { join, resolve } from "node:path";
import { compareCrds, importCrd, type Imported } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { withProgress } from "../output/progress.ts";
import { report } from "../project/apply.ts";
import { crdOfSource } from "../project/definition.ts";
import { exists, readText } from "../project/disk.ts";
import { writeChanges } from "../project/write.ts";
import { readYaml } from "../project/yaml.ts";

/** Imports CRDs. */
export const importCrds: Command = defineCommand({
  describe:
    "The definition is loaded and compared with the CRD before it is written. What it cannot say is told, and noted at the top of the file.",
  arguments: [
    { name: "FILE", describe: "a file with one or more CRDs, or - for standard input", presence: "required" },
  ],
  options: {
    out: { type: "text", value: "DIR", default: "src", describe: "the folder to write into" },
    force: { type: "flag", describe: "write over files that are there" },
  },
  examples: [
    { line: "capstan import crd certificates.yaml", does: "Write src/certificate.ts" },
    {
      line: "kubectl get crd certificates.cert-manager.io -o yaml | capstan import crd -",
      does: "The same from a cluster",
    },
  ],
  run: async ({ options, args: [file = ""], terminal }) => {
    const text = file === "-" ? await terminal.input() : await readText(resolve(terminal.cwd, file));
    const crds = readCrds(text, file);
    const imported = await withProgress(terminal, `comparing ${crds.length} definitions`, () =>
      Promise.all(crds.map(importChecked)),
    );
    const root = resolve(terminal.cwd, options.out);
    const changes = unique(imported).map(({ path, text: source }) => ({
      path,
      action: "create" as const,
      text: source,
    }));
    for (const { path } of changes) {
      if (!options.force && (await exists(join(root, path)))) {
        throw new CliError(
          "Project",
          `${join(options.out, path)} is there already: nothing was written; say --force to write over it`,
        );
      }
    }
    await writeChanges(root, changes);
    report(
      changes.map((change) => ({ ...change, path: join(options.out, change.path) })),
      terminal,
    );
    for (const { path, differences } of imported)
      for (const line of differences) terminal.err(`  ${path}: cannot say ${line}\n`);
  },
});

/** Loads the imported definition and lists how its CRD differs from the original. */
async function importChecked(crd: unknown): Promise<Imported> {
  const imported = importCrd(crd);
  const { kind } = imported.crd.spec.names;
  const differences = compareCrds(imported.crd, await crdOfSource(imported.text, kind));
  return differences.length === 0 ? imported : importCrd(crd, differences);
}

function readCrds(text: string, file: string): unknown[] {
  const crds = readYaml(text, file, "exact")
    .flatMap(itemsOf)
    .filter((object) => (object as { kind?: unknown } | null)?.kind === "CustomResourceDefinition");
  if (crds.length === 0) throw new CliError("BadInput", `there is no CustomResourceDefinition in ${file}`);
  return crds;
}

/** `kubectl get -o yaml` prints lists. */
function itemsOf(object: unknown): unknown[] {
  const items = (object as { items?: unknown } | null)?.items;
  return Array.isArray(items) ? items : [object];
}

function unique(imported: readonly Imported[]): readonly Imported[] {
  const paths = new Set(imported.map(({ path }) => path));
  if (paths.size === imported.length) return imported;
  throw new CliError("BadInput", `two CRDs of the same kind would be written to one file: import them one by one`);
}
