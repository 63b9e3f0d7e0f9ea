/** `capstan lifecycle fleet`: one version of an operator on many clusters, ring by ring. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readYamlDocuments } from "@capstan/bundle";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { clusterOf, type ClusterProgress, type FleetSubscription, type Ring, rollOut } from "@capstan/lifecycle";
import { apiOf } from "@capstan/runtime";
import { type Command, defineCommand } from "../command/define.ts";
import { atPath } from "../disk-error.ts";
import { CliError } from "../errors.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { secondsOf } from "../lifecycle/wait.ts";
import { outputOption, print } from "../output/print.ts";

/** A cluster of the file. */
interface ListedCluster {
  readonly name: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The file: which clusters, and what they subscribe to. */
interface FleetFile {
  readonly subscription: Omit<FleetSubscription, "version">;
  readonly rings: readonly Ring<ListedCluster>[];
}

/** Rolls out. */
export const lifecycleFleet: Command = defineCommand({
  describe:
    "Gives the clusters of a file one version of an operator: the first ring, and each next ring after the one before has succeeded. A failure stops it; the same command continues later. On each cluster the Subscription gets the policy `none`, so that no cluster goes ahead by itself.",
  arguments: [{ name: "FILE", describe: "the file with `subscription` and `rings`", presence: "required" }],
  options: {
    version: { type: "text", value: "NAME", describe: "the ClusterServiceVersion that every cluster gets" },
    concurrency: { type: "text", value: "NUMBER", default: "10", describe: "how many clusters of a ring at once" },
    soak: { type: "text", value: "SECONDS", default: "0", describe: "how long to wait between rings" },
    timeout: { type: "text", value: "SECONDS", default: "600", describe: "how long a cluster may take" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
    output: outputOption,
  },
  progress: "own",
  examples: [
    {
      line: "capstan lifecycle fleet fleet.yaml --version etcdoperator.v0.9.4 --soak 3600",
      does: "The canary first, the other rings an hour later each",
    },
    {
      line: "capstan lifecycle fleet fleet.yaml --version etcdoperator.v0.9.4 --yes -o json",
      does: "In a script, with the state of each cluster",
    },
  ],
  run: async ({ options, args: [path = ""], terminal }) => {
    const file = resolve(terminal.cwd, path);
    const { subscription, rings } = readFleet(await atPath(file, readFile(file, "utf8")), path);
    const { version } = options;
    if (version === undefined) throw new CliError("Usage", "--version names the ClusterServiceVersion for the fleet");
    const count = rings.reduce((sum, { clusters }) => sum + clusters.length, 0);
    const question = `roll ${version} out over ${count} clusters in ${rings.length} rings?`;
    if (!options.yes && !(await confirm(terminal, question))) return 1;
    const result = await rollOut({
      rings,
      subscription: { ...subscription, version },
      open: (cluster) => open(cluster, dirname(file)),
      concurrency: concurrencyOf(options.concurrency),
      soak: secondsOf(options.soak) * 1000,
      timeout: secondsOf(options.timeout) * 1000,
      now: () => performance.now(),
      wait: (milliseconds) => wait(milliseconds),
      report: ({ ring, cluster, state, message }) => terminal.err(`${ring}/${cluster} ${state}: ${message}\n`),
    });
    const rows = result.clusters.map(({ ring, cluster, state, message }: ClusterProgress) => [
      ring,
      cluster,
      state,
      message,
    ]);
    const table = { titles: ["RING", "CLUSTER", "STATE", "MESSAGE"], rows, overflow: "wrap" } as const;
    await print({ terminal, output: options.output }, { value: result, table });
    return result.ok ? 0 : 1;
  },
});

function concurrencyOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new CliError("Usage", `--concurrency must be a number from 1, not ${JSON.stringify(text)}`);
}

/** Paths of kubeconfigs count from the folder of the file. */
async function open({ kubeconfig, context }: ListedCluster, folder: string) {
  const path = kubeconfig === undefined ? undefined : resolve(folder, kubeconfig);
  const client = createClient(await loadConfig(processHost(), { kubeconfig: path, context }), {
    userAgent: "capstan-lifecycle-fleet",
  });
  return { cluster: clusterOf(apiOf(client)), [Symbol.asyncDispose]: () => client.close() };
}

const fields = ["namespace", "name", "package", "channel", "source", "sourceNamespace"] as const;

function readFleet(text: string, path: string): FleetFile {
  const [document] = readYamlDocuments(text);
  const bad = (problem: string): CliError => new CliError("BadInput", `${path} ${problem}`);
  const [error] = document?.errors ?? [];
  if (error !== undefined) throw bad(`is not valid YAML: ${error.message}`);
  const { subscription, rings } = (document?.toJS() ?? {}) as Partial<FleetFile>;
  const missing = fields.find((field) => typeof subscription?.[field] !== "string");
  if (subscription === undefined || missing !== undefined)
    throw bad(`needs the text subscription.${missing ?? "name"}`);
  const problem = ringProblem(rings);
  if (problem !== undefined || rings === undefined) throw bad(problem ?? "needs a list `rings`");
  return { subscription, rings };
}

function ringProblem(rings: unknown): string | undefined {
  if (!Array.isArray(rings) || rings.length === 0) return "needs a list `rings`, the canary first";
  for (const ring of rings as readonly (Partial<Ring<ListedCluster>> | null)[]) {
    const { name, clusters, maxFailures = 0 } = ring ?? {};
    if (typeof name !== "string" || !Array.isArray(clusters) || clusters.length === 0)
      return "has a ring without a name or without clusters";
    if (clusters.some((each: Partial<ListedCluster> | null) => typeof each?.name !== "string"))
      return `has a cluster without a name in the ring ${name}`;
    if (new Set(clusters.map((each: ListedCluster) => each.name)).size < clusters.length)
      return `has two clusters of one name in the ring ${name}`;
    // More than a text such as 10% is never reached: the roll-out would not stop at failures.
    if (!Number.isInteger(maxFailures) || maxFailures < 0)
      return `has maxFailures ${JSON.stringify(maxFailures)} in the ring ${name}: write a number of clusters`;
  }
  return undefined;
}
