/** `capstan catalog validate`: all that is wrong with a catalog, in the words of `opm validate`. */
import { resolve } from "node:path";
import { CatalogError, readConfigFolder, toCatalog } from "@capstan/bundle";
import { type Command, defineCommand } from "../command/define.ts";
import { exitCodes } from "../errors.ts";

/** Validates a folder. */
export const catalogValidate: Command = defineCommand({
  describe: "Errors make the exit code 1.",
  arguments: [{ name: "FOLDER", describe: "the folder of the catalog (./catalog)", presence: "optional" }],
  options: {
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: ["text", "json"],
      default: "text",
      describe: "how to print: text or json",
    },
  },
  examples: [
    { line: "capstan catalog validate catalog", does: "Check each package, channel and bundle of the folder" },
  ],
  run: async ({ options, args: [folder = "catalog"], terminal }) => {
    try {
      const { packages } = toCatalog(await readConfigFolder(resolve(terminal.cwd, folder)));
      const all = [...packages.values()];
      const channels = all.reduce((sum, one) => sum + one.channels.size, 0);
      const bundles = all.reduce((sum, one) => sum + one.bundles.size, 0);
      if (options.output === "json")
        terminal.out(`${JSON.stringify({ valid: true, packages: all.length, channels, bundles })}\n`);
      else terminal.err(`the catalog is valid: ${all.length} packages, ${channels} channels, ${bundles} bundles\n`);
      return exitCodes.Done.code;
    } catch (error) {
      if (!(error instanceof CatalogError) || error.code === "NotFound") throw error;
      if (options.output === "json") terminal.out(`${JSON.stringify({ valid: false, error: error.message })}\n`);
      else terminal.err(`${error.message}\n`);
      return exitCodes.Failed.code;
    }
  },
});
