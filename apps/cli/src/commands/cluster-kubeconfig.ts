/** `capstan cluster kubeconfig`: prints the kubeconfig of a cluster. */
import { readFile } from "node:fs/promises";
import { defineCommand, type Command } from "../command/define.ts";
import { nameOption } from "../embedded/name-option.ts";
import { files, needRecord } from "../embedded/record.ts";

/** Prints a kubeconfig. */
export const clusterKubeconfig: Command = defineCommand({
  describe: "It makes you the cluster's administrator, here and inside of its network.",
  options: { name: nameOption, path: { type: "flag", describe: "print the path of the file instead" } },
  examples: [
    { line: "capstan cluster kubeconfig > kubeconfig", does: "Write it to a file" },
    { line: "export KUBECONFIG=$(capstan cluster kubeconfig --path)", does: "Use it in this shell" },
  ],
  run: async ({ options: { name, path }, terminal }) => {
    const { folder } = await needRecord(terminal, name);
    const file = files.kubeconfig(folder);
    terminal.out(path ? `${file}\n` : await readFile(file, "utf8"));
  },
});
