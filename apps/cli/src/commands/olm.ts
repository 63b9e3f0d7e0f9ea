/** `capstan olm install`, `status` and `uninstall`: the CRDs and base objects of the lifecycle manager on a cluster. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Namespace } from "@capstan/kinds/v1";
import { ClusterExtension, ClusterServiceVersion, installBase, olmDefinitions } from "@capstan/lifecycle";
import { systemClock } from "@capstan/runtime";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { type Connected, connectLifecycle } from "../lifecycle/options.ts";
import { outputOption, print } from "../output/print.ts";
import { clusterOptions } from "../project/connect.ts";

const options = {
  ...clusterOptions,
  namespace: { type: "text", value: "NAME", default: "olm", describe: "the manager's namespace" },
  output: outputOption,
} as const;

/** Installs the base. */
export const olmInstall: Command = defineCommand({
  describe:
    "Installs or upgrades the CRDs of the Operator Lifecycle Manager, its namespaces, its OperatorGroups and its roles. `capstan lifecycle run` then manages operators with them.",
  options,
  examples: [
    { line: "capstan olm install", does: "Prepare the cluster of the current context" },
    { line: "capstan olm install -o json", does: "The same, with the state of every CRD for a script" },
  ],
  run: async ({ options: values, terminal }) => {
    await using connected = await connectLifecycle(values, terminal);
    await installBase({ cluster: connected.cluster, clock: systemClock, namespace: values.namespace });
    const rows = await definitionsOf(connected);
    const table = `${rows.length} CRDs are installed: \`capstan lifecycle run\` starts the manager\n`;
    await print({ terminal, output: values.output }, { value: rows, table });
  },
});

/** Shows the base. */
export const olmStatus: Command = defineCommand({
  describe: "Which CRDs of the Operator Lifecycle Manager the cluster has. It fails if one is missing.",
  options,
  examples: [
    { line: "capstan olm status", does: "Whether the cluster is prepared" },
    { line: "capstan olm status -o json", does: "The same for a script" },
  ],
  run: async ({ options: values, terminal }) => {
    await using connected = await connectLifecycle(values, terminal);
    const rows = await definitionsOf(connected);
    const cells = rows.map(({ name, state, versions }) => [name, state, versions.join(", ")]);
    const table = { titles: ["CRD", "STATE", "VERSIONS"], rows: cells };
    await print({ terminal, output: values.output }, { value: rows, table });
    return rows.every(({ state }) => state === "served") ? 0 : 1;
  },
});

/** Removes the base. */
export const olmUninstall: Command = defineCommand({
  describe:
    "Removes the CRDs of the Operator Lifecycle Manager and its namespace. It refuses while operators are installed, because they would go with their kinds.",
  options: { ...options, yes: { type: "flag", short: "y", describe: "do not ask" } },
  examples: [
    { line: "capstan olm uninstall", does: "Remove the manager's kinds after a question" },
    { line: "capstan olm uninstall --yes", does: "Remove them in a script" },
  ],
  run: async ({ options: values, terminal }) => {
    await using connected = await connectLifecycle(values, terminal);
    const rows = (await definitionsOf(connected)).filter(({ state }) => state !== "missing");
    const left = await installedOperators(connected, new Set(rows.map(({ name }) => name)));
    if (left.length > 0)
      throw new CliError("Failed", `operators are installed (${left.join(", ")}): uninstall them first`);
    if (!values.yes && !(await confirm(terminal, `remove ${rows.length} CRDs and the namespace ${values.namespace}?`)))
      return 1;
    for (const { name } of rows) await connected.cluster.remove(CustomResourceDefinition, { namespace: "", name });
    await connected.cluster.remove(Namespace, { namespace: "", name: values.namespace });
    const table = `removed ${rows.length} CRDs and the namespace ${values.namespace}\n`;
    await print({ terminal, output: values.output }, { value: rows, table });
    return 0;
  },
});

/** A CRD of the manager, as the cluster has it. */
interface DefinitionState {
  readonly name: string;
  readonly state: "served" | "not served" | "missing";
  readonly versions: readonly string[];
}

async function definitionsOf({ cluster }: Pick<Connected, "cluster">): Promise<readonly DefinitionState[]> {
  const states: DefinitionState[] = [];
  for (const { metadata } of olmDefinitions()) {
    const { name } = metadata;
    const live = await cluster.get(CustomResourceDefinition, { namespace: "", name });
    const isServed = live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
    const state = live === undefined ? "missing" : isServed === true ? "served" : "not served";
    states.push({ name, state, versions: live?.spec.versions.map((each) => each.name) ?? [] });
  }
  return states;
}

async function installedOperators(
  { cluster }: Pick<Connected, "cluster">,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const kind of [ClusterServiceVersion, ClusterExtension]) {
    if (!known.has(`${kind.plural}.${kind.group}`)) continue;
    for (const { metadata } of await cluster.list(kind as typeof ClusterExtension)) names.push(metadata.name);
  }
  return names;
}
