#!/usr/bin/env node
/** The capstan command. */
import module from "node:module";
import { describeOldNode } from "./node-version.ts";

const tooOld = describeOldNode(process.versions.node);
if (tooOld === undefined) {
  // The compile cache saves a third of the time of a short command.
  module.enableCompileCache();
  const [{ runCli }, { processTerminal }] = await Promise.all([import("./cli.ts"), import("./terminal.ts")]);
  process.exitCode = await runCli(process.argv.slice(2), processTerminal());
} else {
  process.stderr.write(`capstan: ${tooOld}\n`);
  process.exitCode = 3;
}
