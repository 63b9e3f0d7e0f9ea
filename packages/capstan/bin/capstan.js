#!/usr/bin/env node
// The one name that people know, `npx capstan`, starts the command of the package beside this one. In a checkout there may be nothing built,
// so there the sources run, with the Node that the checkout brings.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url));

if (existsSync(sources)) {
  const own = fileURLToPath(new URL("../../../node_modules/node/bin/node", import.meta.url));
  const flags = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning"];
  const words = [...flags, sources, ...process.argv.slice(2)];
  const child = spawn(existsSync(own) ? own : process.execPath, words, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
} else {
  await import("@capstan/cli");
}
