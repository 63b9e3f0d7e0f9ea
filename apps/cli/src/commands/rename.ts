/** `capstan rename`: gives a kind another name, everywhere in the project. */
import { type FileChange, formatInputs, inputsFile, renameApi } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { formatDiff } from "../output/diff.ts";
import { styleOf } from "../output/style.ts";
import { report } from "../project/apply.ts";
import { fullGroup } from "../project/api-options.ts";
import { openProject, readSources } from "../project/disk.ts";
import { writeChanges } from "../project/write.ts";

/** Renames a kind. */
export const rename: Command = defineCommand({
  describe:
    "Whole words are replaced in sources, samples and documents, yours included. Objects on clusters are not touched: to a cluster it is a new kind.",
  options: {
    kind: { type: "text", value: "KIND", describe: "the kind as it is called now" },
    group: { type: "text", value: "GROUP", describe: "its group, where several have the kind" },
    "to-kind": { type: "text", value: "KIND", describe: "the new name" },
    "to-group": { type: "text", value: "GROUP", describe: "the new group" },
    "dry-run": { type: "flag", describe: "show what would change" },
  },
  examples: [
    { line: "capstan rename --kind AppService --to-kind Website", does: "Rename the kind, its files and its values" },
    {
      line: "capstan rename --kind Website --to-group web --dry-run",
      does: "Show what moving it to another group would change",
    },
  ],
  run: async ({ options, terminal }) => {
    const { kind, group, "to-kind": toKind, "to-group": toGroup } = options;
    if (kind === undefined || (toKind === undefined && toGroup === undefined)) {
      throw new CliError("Usage", "say what to rename: --kind OLD with --to-kind NEW or --to-group NEW");
    }
    const { root, inputs } = await openProject(terminal.cwd);
    const disk = await readSources(root);
    const to = { kind: toKind, group: toGroup === undefined ? undefined : fullGroup(toGroup, inputs.domain) };
    const renamed = renameApi(inputs, { kind, group }, { to, disk });
    const texts = new Map([...renamed.files, [inputsFile, formatInputs(renamed.inputs)]]);
    const changes: FileChange[] = [
      ...[...texts].map(([path, text]) => ({
        path,
        action: disk.has(path) ? ("update" as const) : ("create" as const),
        text,
      })),
      ...renamed.gone.map((path) => ({ path, action: "delete" as const })),
    ];
    if (options["dry-run"]) {
      terminal.out(
        changes.map((change) => formatDiff(change, disk.get(change.path) ?? "", styleOf(terminal))).join(""),
      );
      return 0;
    }
    await writeChanges(root, changes);
    return report(changes, terminal);
  },
});
