/** `capstan dev`: runs the operator on the embedded cluster or a real one, and reloads it when its sources change. */
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { openProject } from "../project/disk.ts";
import { entryOption, findEntry } from "../project/program.ts";
import type { Terminal } from "../terminal.ts";

/** Runs a dev session. */
export const dev: Command = defineCommand({
  describe:
    "Starts an embedded cluster unless one is named, installs the CRDs, runs the operator and reloads it when a source changes.",
  options: {
    kubeconfig: { type: "text", value: "FILE", describe: "run against this cluster instead of the embedded one" },
    context: { type: "text", value: "NAME", describe: "the context in the kubeconfig" },
    port: {
      type: "text",
      value: "PORT",
      default: "0",
      describe: "the port of the embedded cluster; 0 takes any that is free",
    },
    pods: {
      type: "text",
      value: "HOW",
      choices: ["simulated", "real"],
      default: "simulated",
      describe:
        "how pods of the embedded cluster run: simulated, which run nothing and become ready, or real, which are programs of this machine",
    },
    data: { type: "text", value: "DIR", describe: "keep the embedded cluster's objects in this folder" },
    entry: entryOption,
    "log-level": {
      type: "text",
      value: "LEVEL",
      choices: ["debug", "info", "warn", "error"],
      default: "info",
      describe: "how much the operator says: debug, info, warn or error",
    },
    inspect: {
      type: "text",
      value: "PORT",
      describe: "let a debugger attach at this port of this machine, the same after each reload, such as 9229",
    },
    apply: {
      type: "list",
      value: "FILES",
      describe: "create the objects of these files when the operator runs, such as samples/*.yaml",
    },
  },
  progress: "own",
  examples: [
    { line: "capstan dev", does: "Run on an embedded cluster; kubectl --kubeconfig .capstan/kubeconfig talks to it" },
    { line: "capstan dev --apply samples/app-service.yaml", does: "The same, with an object to look at" },
    { line: "capstan dev --pods real", does: "The same, with pods that run their images" },
    { line: "capstan dev --inspect 9229", does: "The same, for a debugger: attach to the port, and set breakpoints" },
    { line: "capstan dev --kubeconfig ~/.kube/config --context kind", does: "Run against a real cluster" },
  ],
  run: async ({ options, terminal }) => {
    const root = await rootOf(terminal);
    const entry = await findEntry({ cwd: terminal.cwd, root, entry: options.entry });
    const [{ checkFiles }, { runSession }] = await Promise.all([
      import("../dev/apply-files.ts"),
      import("../dev/run.ts"),
    ]);
    await checkFiles(options.apply, terminal.cwd);
    const pods = options.pods === "real" ? "real" : "simulated";
    const inspect = portOf(options.inspect);
    await runSession({ ...options, pods, root, entry, inspect, logLevel: options["log-level"] }, terminal);
  },
});

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CliError("Usage", `--inspect must be a port from 1 to 65535, such as 9229, not ${JSON.stringify(text)}`);
}

async function rootOf(terminal: Terminal): Promise<string> {
  try {
    return (await openProject(terminal.cwd)).root;
  } catch {
    return terminal.cwd;
  }
}
