/** The command line: `npm run kubernetes -- up`, `down` and so on. */

import { runCommand } from "./commands.ts";
import { parseCommandLine } from "./command-line.ts";
import { KubernetesToolError } from "./errors.ts";
import type { KubernetesToolErrorCode } from "./errors.ts";

/** As shells have it: 2 for a wrong call, 130 for an interruption, 1 for all else. */
const EXIT_CODES: Partial<Record<KubernetesToolErrorCode, number>> = {
  usage: 2,
  "unknown-version": 2,
  interrupted: 130,
};

try {
  process.exitCode = await runCommand(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  process.exitCode = explain(error);
}

/** One sentence for what went wrong; only a bug shows where in the code it happened. */
function explain(error: unknown): number {
  if (error instanceof KubernetesToolError) {
    process.stderr.write(`kubernetes: ${error.message}\n`);
    return EXIT_CODES[error.code] ?? 1;
  }
  if (!(error instanceof Error) || !("path" in error) || !("code" in error)) throw error;
  process.stderr.write(
    `kubernetes: could not use ${String(error.path)} (${String(error.code)}): check that it exists and that you may write there\n`,
  );
  return 1;
}
