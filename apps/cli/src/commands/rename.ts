/** `capstan rename`: renames a kind everywhere in the project. */
import { renameApi } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { formatDiff } from "../output/diff.ts";
import { styleOf } from "../output/style.ts";
import { report } from "../project/apply.ts";
import { fullGroup } from "../project/api-options.ts";
import { openProject, readSources } from "../project/disk.ts";
import { askYesNo } from "../project/questions.ts";
import { writeChanges } from "../project/write.ts";

/** Renames a kind. */
export const rename: Command = defineCommand({
  describe:
    "What templates wrote is written anew. In your lines only what means the kind changes: its name where it is imported, its files, `plural.group`, and `kind` beside `apiVersion`. Objects on clusters are not touched: to a cluster it is a new kind.",
  options: {
    kind: { type: "text", value: "KIND", describe: "the kind as it is called now" },
    group: { type: "text", value: "GROUP", describe: "its group, where several have the kind" },
    "to-kind": { type: "text", value: "KIND", describe: "the new name" },
    "to-group": { type: "text", value: "GROUP", describe: "the new group" },
    "dry-run": { type: "flag", describe: "show the diff and change nothing" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
  },
  examples: [
    {
      line: "capstan rename --kind AppService --to-kind Website",
      does: "Show the diff, ask, and rename the kind, its files and its values",
    },
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
    const changes = renameApi(inputs, { kind, group }, { to, disk });
    const style = styleOf(terminal);
    terminal.out(changes.map((change) => formatDiff(change, disk.get(change.path) ?? "", style)).join(""));
    if (options["dry-run"]) return 0;
    if (!options.yes && !(await askYesNo(terminal, "Make these changes?", true))) return 1;
    await writeChanges(root, changes);
    return report(changes, terminal);
  },
});
