/** The command line: `npm run kubernetes -- up`, `down` and so on. */

import { runCommand } from "./commands.ts";
import { parseCommandLine } from "./command-line.ts";
import { KubernetesToolError } from "./errors.ts";

try {
  process.exitCode = await runCommand(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof KubernetesToolError)) throw error;
  process.stderr.write(`kubernetes: ${error.message}\n`);
  process.exitCode = error.code === "usage" || error.code === "unknown-version" ? 2 : 1;
}
