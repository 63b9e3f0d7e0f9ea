/** `capstan lifecycle why` and `whatif`: explains a resolution, and what a change would do before it is made. */
import {
  type Explanation,
  type Outcome,
  type ProposedChange,
  type ResolutionInput,
  Subscription,
  whatif,
  why,
} from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { type Connected, connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { readInput, withClusterFacts } from "../lifecycle/resolution-input.ts";
import { whyExtension } from "../lifecycle/why-extension.ts";
import { print } from "../output/print.ts";

const global = { type: "text", value: "NAME", default: "olm", describe: "the manager's namespace" } as const;

/** Explains why an operator is installed, or why it is not. */
export const lifecycleWhy: Command = defineCommand({
  describe:
    "Why an operator is or will be installed: the shortest chain of reasons. Why it cannot be: the smallest set of requirements that contradict each other, and the single changes that help, each of which was tried.",
  arguments: [
    {
      name: "NAME",
      describe: "a package, a Subscription, a ClusterServiceVersion or a ClusterExtension",
      presence: "required",
    },
  ],
  options: { ...lifecycleOptions, "olm-namespace": global },
  examples: [
    { line: "capstan lifecycle why etcd -n shop", does: "Why etcd is installed in the namespace, or why not" },
    {
      line: "capstan lifecycle why etcdoperator.v0.9.4 -n shop -o json",
      does: "The same for one version, for a script",
    },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const extension = (await isSubscribed(connected, name)) ? undefined : await whyExtension(connected, name);
    if (extension !== undefined) {
      await print({ terminal, output: options.output }, { value: extension, table: formatExplanation(extension) });
      return;
    }
    const explained = why(await readInput(connected, options["olm-namespace"]), name);
    const explanation = { ...explained, reasons: [...explained.reasons, ...(await holdsOf(connected, name))] };
    await print({ terminal, output: options.output }, { value: explanation, table: formatExplanation(explanation) });
  },
});

/** A Subscription of the namespace comes before a ClusterExtension of the same name. */
async function isSubscribed({ cluster, namespace }: Connected, name: string): Promise<boolean> {
  const all = await cluster.list(Subscription, { namespace });
  return all.some(({ metadata, spec }) => metadata.name === name || spec.name === name);
}

/** What the policies of Subscriptions hold back. */
async function holdsOf({ cluster, namespace }: Connected, name: string): Promise<readonly string[]> {
  const all = await cluster.list(Subscription, { namespace });
  return all
    .filter(({ metadata, spec, status }) => [metadata.name, spec.name, status?.installedCSV].includes(name))
    .flatMap(({ status }) => status?.conditions?.find(({ type }) => type === "UpgradeHeld")?.message ?? []);
}

function formatExplanation({ summary, reasons, remedies }: Explanation): string {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  - ${line}`)];
  return `${[summary, ...list("because:", reasons), ...list("what helps:", remedies)].join("\n")}\n`;
}

/** Answers what a change would do. */
export const lifecycleWhatif: Command = defineCommand({
  describe:
    "What would be installed or upgraded after one change, and what would not any more. Nothing is changed. Unlike OLM, it also counts the Kubernetes version and the install modes.",
  options: {
    ...lifecycleOptions,
    subscribe: { type: "text", value: "PACKAGE", describe: "add a Subscription for a package" },
    channel: { type: "text", value: "NAME", describe: "its channel, with --subscribe" },
    catalog: { type: "text", value: "NAME", describe: "its catalog, with --subscribe" },
    unsubscribe: { type: "text", value: "NAME", describe: "remove a Subscription" },
    "remove-operator": { type: "text", value: "NAME", describe: "remove a ClusterServiceVersion" },
    "remove-catalog": { type: "text", value: "NAME", describe: "remove a catalog" },
    kubernetes: { type: "text", value: "VERSION", describe: "upgrade the cluster to a Kubernetes version" },
    "olm-namespace": global,
  },
  examples: [
    { line: "capstan lifecycle whatif --subscribe etcd -n shop", does: "Before a Subscription is added" },
    { line: "capstan lifecycle whatif --remove-catalog community -n shop", does: "Before a catalog is removed" },
    { line: "capstan lifecycle whatif --kubernetes 1.37.0 -n shop -o json", does: "Before the cluster is upgraded" },
  ],
  run: async ({ options, terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const input = await withClusterFacts(await readInput(connected, options["olm-namespace"]), connected);
    const outcome = whatif(input, changeOf(options, input));
    await print(
      { terminal, output: options.output },
      { value: toValue(outcome), table: `${outcome.summary.join("\n")}\n` },
    );
    return outcome.after.type === "solved" ? 0 : 1;
  },
});

interface ChangeOptions {
  readonly subscribe: string | undefined;
  readonly channel: string | undefined;
  readonly catalog: string | undefined;
  readonly unsubscribe: string | undefined;
  readonly "remove-operator": string | undefined;
  readonly "remove-catalog": string | undefined;
  readonly kubernetes: string | undefined;
}

/** The one change that the options ask for. */
function changeOf(options: ChangeOptions, input: ResolutionInput): ProposedChange {
  const { subscribe, unsubscribe, "remove-operator": operator, "remove-catalog": catalog, kubernetes } = options;
  const asked: readonly (ProposedChange | undefined)[] = [
    subscribe === undefined ? undefined : subscriptionOf(subscribe, options, input),
    unsubscribe === undefined
      ? undefined
      : { type: "remove-subscription", name: known(unsubscribe, subscriptions(input)) },
    operator === undefined ? undefined : { type: "remove-operator", name: known(operator, operators(input)) },
    catalog === undefined ? undefined : { type: "remove-catalog", catalog: catalogOf(catalog, input) },
    kubernetes === undefined ? undefined : { type: "upgrade-kubernetes", version: versionOf(kubernetes) },
  ];
  const [change, ...others] = asked.filter((each) => each !== undefined);
  if (change !== undefined && others.length === 0) return change;
  throw new CliError(
    "Usage",
    "exactly one change is needed: --subscribe, --unsubscribe, --remove-operator, --remove-catalog or --kubernetes",
  );
}

function subscriptionOf(name: string, { channel, catalog }: ChangeOptions, input: ResolutionInput): ProposedChange {
  const offering = input.catalogs.filter(
    (each) =>
      each.state === "ready" && each.catalog.packages.has(name) && (catalog === undefined || each.name === catalog),
  );
  const [first] = offering;
  if (first === undefined)
    throw new CliError(
      "BadInput",
      `no catalog has the package ${name}: \`capstan lifecycle search\` lists what they have`,
    );
  if (offering.length > 1) {
    const places = offering.map((each) => each.name).join(", ");
    throw new CliError("BadInput", `several catalogs have the package ${name} (${places}): choose one with --catalog`);
  }
  const from = { name: first.name, namespace: first.namespace };
  // A Subscription that exists already gets the new channel or catalog and keeps what it installed.
  const existing = input.subscriptions.find((each) => each.package === name);
  const wanted = { name, ...existing, package: name, catalog: from, ...(channel === undefined ? {} : { channel }) };
  return { type: "add-subscription", subscription: wanted };
}

function subscriptions(input: ResolutionInput): readonly string[] {
  return input.subscriptions.map(({ name }) => name);
}

function operators(input: ResolutionInput): readonly string[] {
  return input.installed.map(({ name }) => name);
}

function known(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  throw new CliError("BadInput", `the namespace has no ${name}; it has ${names.join(", ") || "none"}`);
}

function catalogOf(name: string, { catalogs }: ResolutionInput): { readonly name: string; readonly namespace: string } {
  const found = catalogs.find((each) => each.name === name);
  if (found !== undefined) return { name, namespace: found.namespace };
  const names = catalogs.map((each) => each.name).join(", ") || "none";
  throw new CliError("BadInput", `the namespace sees no catalog ${name}; it sees ${names}`);
}

function versionOf(text: string): string {
  const plain = text.replace(/^v/u, "");
  if (/^\d+\.\d+$/u.test(plain)) return `${plain}.0`;
  if (/^\d+\.\d+\.\d+/u.test(plain)) return plain;
  throw new CliError("Usage", `--kubernetes must be a version such as 1.37, not ${JSON.stringify(text)}`);
}

/** The outcome without the content of the bundles. */
function toValue({ before, after, added, dropped, summary }: Outcome): object {
  const brief = ({ bundle, channel, catalog, replaces, subscriptions: by }: Outcome["added"][number]): object => ({
    name: bundle.name,
    version: bundle.version,
    channel,
    catalog: `${catalog.namespace}/${catalog.name}`,
    ...(replaces === undefined ? {} : { replaces }),
    subscriptions: by,
  });
  const verdict = { before: before.type, after: after.type };
  return { ...verdict, added: added.map(brief), dropped: dropped.map(brief), summary };
}
