/** `capstan cluster start`: starts an embedded cluster in the background or the foreground. */
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { launchCluster } from "../embedded/launch.ts";
import { nameOption } from "../embedded/name-option.ts";
import { clusterFolder } from "../embedded/places.ts";
import { files, type ClusterRecord } from "../embedded/record.ts";
import { interruptible } from "../interruptible.ts";
import { withProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";

const options = {
  name: nameOption,
  nodes: { type: "text", value: "N", default: "1", describe: "how many nodes there are" },
  data: { type: "text", value: "DIR", describe: "keep objects and volumes in this folder" },
  pods: {
    type: "text",
    value: "HOW",
    choices: ["real", "simulated"],
    describe: "how pods run: real where this machine can, unless said",
  },
  "kubernetes-port": { type: "text", value: "PORT", default: "0", describe: "the API server's port; 0 takes any" },
  foreground: { type: "flag", describe: "stay in the foreground until interrupted, and show progress on a terminal" },
  "kubeconfig-out": { type: "text", value: "FILE", describe: "write an administrator's kubeconfig there" },
} as const;

/** Starts a cluster. */
export const clusterStart: Command = defineCommand({
  describe:
    "An API server, controllers, a scheduler, nodes, service addresses and cluster DNS, for development and tests; never for production.",
  options,
  progress: "own",
  examples: [
    { line: "capstan cluster start", does: "Start a cluster and leave it running" },
    { line: "capstan cluster start --nodes 2 --data state", does: "Two nodes; objects and volumes survive a restart" },
    { line: "capstan cluster start --pods simulated --foreground", does: "Pods that run nothing, until Ctrl-C" },
  ],
  run: async ({ options: given, terminal }) => {
    const wishes = {
      name: given.name,
      nodes: wholeNumber("nodes", given.nodes, 32),
      data: given.data,
      pods: given.pods as "real" | "simulated" | undefined,
      port: wholeNumber("kubernetes-port", given["kubernetes-port"], 65_535),
      kubeconfigOut: given["kubeconfig-out"],
    };
    if (given.foreground) {
      const { runCluster } = await import("../embedded/run-cluster.ts");
      return runCluster(wishes, terminal);
    }
    const { url, name, nodes, pods } = await withProgress(terminal, `starting the cluster ${wishes.name}`, () =>
      interruptible((interrupt) => launchCluster(wishes.name, wordsOf(given), { terminal, interrupt })),
    );
    const { describe } = await import("../embedded/describe.ts");
    terminal.out(`cluster ${name} is ready on ${url} with ${describe({ nodes, pods })}\n`);
    terminal.out(nextSteps({ name, pods }, terminal));
  },
});

/** Only real pods have a network that can be entered. */
function nextSteps({ name, pods }: Pick<ClusterRecord, "name" | "pods">, terminal: Terminal): string {
  const which = name === nameOption.default ? "" : ` --name ${name}`;
  return [
    `  export KUBECONFIG=${files.kubeconfig(clusterFolder(terminal, name))}`,
    ...(pods === "real" ? [`  capstan cluster exec${which} -- COMMAND   runs a command in its network`] : []),
    `  capstan cluster stop${which}\n`,
  ].join("\n");
}

/** The given options as words of a command line for another process. */
function wordsOf(given: { readonly [name: string]: unknown }): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => (typeof value === "string" ? [`--${name}`, value] : []));
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= most && (name !== "nodes" || value > 0)) return value;
  throw new CliError("Usage", `--${name} must be a number up to ${most}, not ${JSON.stringify(text)}`);
}
