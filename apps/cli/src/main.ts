#!/usr/bin/env node
/** The capstan command. */
import { runCli } from "./cli.ts";
import { processTerminal } from "./terminal.ts";

process.exitCode = await runCli(process.argv.slice(2), processTerminal());
