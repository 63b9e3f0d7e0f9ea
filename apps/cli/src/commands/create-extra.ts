/** `capstan create e2e-test|upgrade-workflow|dev-container|linter`: adds optional parts to a project. */
import { addExtra, type Extra } from "@capstan/scaffold";
import { type Command, defineCommand, type Example } from "../command/define.ts";
import { changeProject } from "../project/apply.ts";
import { openProject } from "../project/disk.ts";

function creator(extra: Extra, { describe, example }: { describe: string; example: Example }): Command {
  return defineCommand({
    describe,
    options: { "dry-run": { type: "flag", describe: "show what would change" } },
    examples: [example],
    run: async ({ options, terminal }) => {
      const project = await openProject(terminal.cwd);
      const inputs = addExtra(project.inputs, extra);
      return changeProject(project, { inputs, additions: "keep-both", dryRun: options["dry-run"] }, terminal);
    },
  });
}

/** Adds a test on a whole cluster. */
export const createEndToEndTest: Command = creator("end-to-end-test", {
  describe:
    "It starts the operator as a process on the cluster of KUBECONFIG, or on an embedded one, applies the samples and reads the metrics as a scraper does. It needs kubectl.",
  example: { line: "capstan create e2e-test", does: "Then: npm run test:e2e" },
});

/** Adds a scheduled job. */
export const createUpgradeWorkflow: Command = creator("upgrade-workflow", {
  describe:
    "Once a week, on GitHub: installs the newest capstan, runs `capstan upgrade --yes`, and opens a change if there is one.",
  example: { line: "capstan create upgrade-workflow", does: "Write .github/workflows/upgrade.yml" },
});

/** Adds a development container. */
export const createDevContainer: Command = creator("dev-container", {
  describe: "A container with Node, kubectl and Helm, for editors that know .devcontainer; real pods run in it, too.",
  example: { line: "capstan create dev-container", does: "Write .devcontainer/devcontainer.json" },
});

/** Adds a linter. */
export const createLinter: Command = creator("linter", {
  describe: "Settings for oxlint that find promises that are not awaited; the CI workflow runs it, too.",
  example: { line: "capstan create linter", does: "Then: npm install && npm run lint" },
});
