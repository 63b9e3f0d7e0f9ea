/** `capstan delete api`: removes a kind from a project. */
import { removeApi } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { changeProject } from "../project/apply.ts";
import { openProject } from "../project/disk.ts";

/** Removes a kind. */
export const deleteApi: Command = defineCommand({
  describe: "Files that you changed are kept and named. Objects and the CRD on clusters are not touched.",
  options: {
    kind: { type: "text", value: "KIND", describe: "the kind" },
    group: { type: "text", value: "GROUP", describe: "its group, where several have the kind" },
    version: { type: "text", value: "VERSION", describe: "its version" },
    "dry-run": { type: "flag", describe: "show what would change" },
  },
  examples: [
    { line: "capstan delete api --kind Memcached", does: "Remove the kind, its controller, its test and its sample" },
  ],
  run: async ({ options: { kind, group, version, "dry-run": dryRun }, terminal }) => {
    if (kind === undefined) throw new CliError("Usage", "say which kind: --kind Memcached");
    const project = await openProject(terminal.cwd);
    const inputs = removeApi(project.inputs, { kind, group, version });
    return changeProject(project, { inputs, additions: "mark", dryRun }, terminal);
  },
});
