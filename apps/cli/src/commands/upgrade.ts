/** `capstan upgrade`: updates a project to the templates of this version. */
import { currentTemplates, type Inputs, planChange, renderProject } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { formatDiff } from "../output/diff.ts";
import { styleOf } from "../output/style.ts";
import { report } from "../project/apply.ts";
import { openProject, readFiles } from "../project/disk.ts";
import { writeChanges } from "../project/write.ts";
import { askYesNo } from "../project/questions.ts";
import { isNewer } from "../project/release.ts";
import { ownVersion } from "./version.ts";

/** Upgrades a project. */
export const upgrade: Command = defineCommand({
  describe:
    "A three-way merge of the old templates, the new ones and your files. No line of yours is lost: where both changed the same lines, the place is marked.",
  options: {
    "dry-run": { type: "flag", describe: "show the diff and change nothing" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
  },
  examples: [
    { line: "capstan upgrade", does: "Show the diff, ask, and upgrade" },
    { line: "capstan upgrade --dry-run", does: "Show what would change" },
    { line: "capstan upgrade --yes", does: "Upgrade without a question, as in a scheduled job" },
  ],
  run: async ({ options, terminal }) => {
    const { root, inputs } = await openProject(terminal.cwd);
    const wanted = newest(inputs, await ownVersion());
    const base = renderProject(inputs);
    const next = renderProject(wanted);
    const disk = await readFiles(root, new Set([...base.keys(), ...next.keys()]));
    const changes = planChange({ base, next, disk });
    const style = styleOf(terminal);
    if (changes.length === 0) {
      terminal.out("up to date\n");
      return 0;
    }
    terminal.out(changes.map((change) => formatDiff(change, disk.get(change.path) ?? "", style)).join(""));
    if (options["dry-run"]) return 0;
    if (!options.yes && !(await askYesNo(terminal, "Make these changes?", true))) return 1;
    await writeChanges(root, changes);
    return report(changes, terminal);
  },
});

/** A project that uses a checkout keeps using it. */
function newest(inputs: Inputs, version: string): Inputs {
  const { capstan } = inputs;
  if (capstan.startsWith("file:")) return { ...inputs, templates: currentTemplates };
  if (!isNewer(capstan, version)) return { ...inputs, templates: currentTemplates, capstan: version };
  throw new CliError(
    "BadInput",
    `this project is of capstan ${capstan}, and this is only ${version}: upgrade it with ${capstan} or a newer one`,
  );
}
