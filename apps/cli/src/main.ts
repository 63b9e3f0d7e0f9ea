#!/usr/bin/env node
/** The capstan command. What was compiled once is kept for the next time, so everything else is imported after that is set up. */
import { enableCompileCache } from "node:module";

enableCompileCache();
const { runCli } = await import("./cli.ts");
const { processTerminal } = await import("./terminal.ts");
process.exitCode = await runCli(process.argv.slice(2), processTerminal());
