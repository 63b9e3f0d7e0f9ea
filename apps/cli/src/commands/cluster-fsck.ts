/** `capstan cluster fsck`: checks the state that a stopped cluster left in its folder, and repairs it. */
import { resolve } from "node:path";
import { checkDataFolder, isSound, repairDataFolder, type FolderReport } from "@capstan/apiserver";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";

/** Checks and repairs a data folder. */
export const clusterFsck: Command = defineCommand({
  describe:
    "It reads every object in the folder of --data and compares it with its checksum. With --repair it keeps what is sound: " +
    "damaged objects are removed, and the files that it replaces stay beside the new ones. The cluster must not run.",
  options: {
    data: { type: "text", value: "DIR", describe: "the folder of `cluster start --data` or `apiserver --data`" },
    repair: { type: "flag", describe: "remove what is damaged; without it, nothing is changed" },
  },
  examples: [
    { line: "capstan cluster fsck --data state", does: "Say whether the state is sound, and what is lost" },
    { line: "capstan cluster fsck --data state --repair", does: "Keep the sound objects and drop the damaged ones" },
  ],
  run: async ({ options: { data, repair }, terminal }) => {
    if (data === undefined) throw new CliError("Usage", "--data is missing: name the folder of `cluster start --data`");
    const folder = resolve(terminal.cwd, data);
    if (!repair) {
      const report = checkDataFolder(folder);
      terminal.out(textOf(report));
      if (isSound(report)) return;
      throw new CliError("Failed", `the state in ${data} is damaged; repair it with --repair`);
    }
    const { report, kept } = repairDataFolder(folder);
    terminal.out(textOf(report));
    if (kept.length === 0) return;
    terminal.out(`repaired; the damaged files are kept:\n${kept.map((path) => `  ${path}\n`).join("")}`);
    if (report.keys !== undefined) {
      terminal.out("the next start makes new keys: tokens and kubeconfigs of before no longer work\n");
    }
  },
});

function textOf({ sound, damaged, pages, keys }: FolderReport): string {
  const lines = [
    `${sound} ${sound === 1 ? "object is" : "objects are"} sound`,
    ...damaged.map(({ resource, key, why }) => `damaged: ${resource} ${key}: ${why}`),
    ...pages.map((why) => `damaged: the database: ${why}; objects of damaged pages are lost without their names`),
    ...(keys === undefined ? [] : [`damaged: keys.json: ${keys}`]),
  ];
  return `${lines.join("\n")}\n`;
}
