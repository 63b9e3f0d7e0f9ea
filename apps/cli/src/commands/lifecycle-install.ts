/** `capstan lifecycle search` and `install`: finds packages in the catalogs of a cluster, and subscribes to one. */
import {
  minAgeAnnotation,
  type PlanReport,
  readPolicy,
  Subscription,
  versionsAnnotation,
  windowAnnotation,
} from "@capstan/lifecycle";
import { Namespace } from "@capstan/kinds/v1";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { type Connected, connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { type OfferedPackage, readOffers } from "../lifecycle/packages.ts";
import { formatPlanReport } from "../lifecycle/plan.ts";
import { type PreviewQuestion, previewReport } from "../lifecycle/preview.ts";
import { ensureGroup, untilInstalled } from "../lifecycle/until-installed.ts";
import { secondsOf } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";

const global = { type: "text", value: "NAME", default: "olm", describe: "the manager's namespace" } as const;

/** Finds packages. */
export const lifecycleSearch: Command = defineCommand({
  describe: "The packages that the catalogs of the cluster offer, with their channels and newest versions.",
  arguments: [{ name: "TEXT", describe: "a part of the name", presence: "optional" }],
  options: { ...lifecycleOptions, "olm-namespace": global },
  examples: [
    { line: "capstan lifecycle search", does: "Everything that can be installed" },
    { line: "capstan lifecycle search etcd -o json", does: "The packages with etcd in their name" },
  ],
  run: async ({ options, args: [text = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const offers = await readOffers(connected.cluster, {
      namespace: connected.namespace,
      global: options["olm-namespace"],
    });
    for (const problem of offers.problems) terminal.err(`${problem}\n`);
    const rows = offers.packages
      .filter((each) => each.package.name.includes(text))
      .map(({ catalog, catalogNamespace, package: { name, defaultChannel, channels, bundles, deprecation } }) => ({
        name,
        catalog: `${catalogNamespace}/${catalog}`,
        defaultChannel,
        channels: [...channels.keys()],
        versions: bundles.size,
        deprecated: deprecation ?? "",
      }));
    const titles = ["PACKAGE", "CATALOG", "DEFAULT CHANNEL", "VERSIONS", "CHANNELS"];
    const cells = rows.map((row) => [
      row.name,
      row.catalog,
      row.defaultChannel,
      String(row.versions),
      row.channels.join(", "),
    ]);
    await print({ terminal, output: options.output }, { value: rows, table: { titles, rows: cells } });
  },
});

/** Subscribes to a package. */
export const lifecycleInstall: Command = defineCommand({
  describe:
    "Shows the plan. Then it creates what an installation needs: the namespace, its OperatorGroup and a Subscription. Objects that exist stay as they are. Then it waits until the operator runs, or until its plan needs an approval.",
  arguments: [{ name: "PACKAGE", describe: "the package", presence: "required" }],
  options: {
    ...lifecycleOptions,
    channel: { type: "text", value: "NAME", describe: "the channel (the default one of the package)" },
    catalog: { type: "text", value: "NAME", describe: "the catalog, if several have the package" },
    "starting-csv": { type: "text", value: "NAME", describe: "the first version to install" },
    watch: {
      type: "text",
      value: "MODE",
      choices: ["own", "all"],
      default: "own",
      describe: "which namespaces it watches",
    },
    manual: { type: "flag", describe: "wait for an approval of every plan" },
    "approve-versions": {
      type: "text",
      value: "WHICH",
      choices: ["patch", "minor", "any", "none"],
      describe: "upgrades without a question",
    },
    "approve-window": { type: "text", value: "WHEN", describe: "when they begin: 'Sat-Sun 02:00-06:00 Europe/Berlin'" },
    "approve-min-age": { type: "text", value: "TIME", describe: "how long a version has to be in the catalog: 7d" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
    "olm-namespace": global,
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long to wait; 0 does not wait" },
  },
  examples: [
    { line: "capstan lifecycle install etcd -n shop", does: "Install the newest version of the default channel" },
    {
      line: "capstan lifecycle install etcd -n operators --watch all --manual",
      does: "For all namespaces, plans first",
    },
    {
      line: "capstan lifecycle install etcd -n shop --approve-versions patch --approve-window 'Sun 02:00-06:00'",
      does: "Patches on Sunday night by themselves, everything else after a question",
    },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const { cluster, namespace } = connected;
    const offers = await readOffers(cluster, { namespace, global: options["olm-namespace"] });
    const offer = chooseOffer(offers.packages, { name, catalog: options.catalog, problems: offers.problems });
    const channel = options.channel ?? offer.package.defaultChannel;
    if (!offer.package.channels.has(channel)) {
      const known = [...offer.package.channels.keys()].join(", ");
      throw new CliError("BadInput", `the package ${name} has no channel ${channel}; it has ${known}`);
    }
    const existing = await cluster.get(Subscription, { namespace, name });
    if (existing !== undefined) throw alreadyThere(connected, name);
    const annotations = policyOf(options, name);
    const wanted = {
      name,
      package: name,
      channel,
      catalog: { name: offer.catalog, namespace: offer.catalogNamespace },
    };
    const startingCSV = options["starting-csv"];
    const subscribe = { ...wanted, ...(startingCSV === undefined ? {} : { startingCSV }) };
    const report = await previewed(connected, { globalNamespace: options["olm-namespace"], subscribe });
    if (typeof report === "string") terminal.err(`the plan cannot be shown: ${report}\n`);
    else terminal.err(formatPlanReport(report));
    const isAsked = terminal.isInteractive && !options.yes;
    if (isAsked && !(await confirm(terminal, `install ${name} in the namespace ${namespace}?`))) return 1;
    await cluster.ensure(Namespace, { metadata: { name: namespace } });
    await ensureGroup(connected, options.watch === "all");
    const spec = {
      name,
      channel,
      source: offer.catalog,
      sourceNamespace: offer.catalogNamespace,
      installPlanApproval: options.manual ? ("Manual" as const) : ("Automatic" as const),
      ...(options["starting-csv"] === undefined ? {} : { startingCSV: options["starting-csv"] }),
    };
    const made = await cluster.ensure(Subscription, { metadata: { name, namespace, annotations }, spec });
    if (made === "exists") throw alreadyThere(connected, name);
    const detail = `channel ${channel} of ${offer.catalogNamespace}/${offer.catalog}`;
    await recordAct(connected, { action: "install", operator: name, detail });
    terminal.err(`subscribed to ${name} (${detail})\n`);
    const end = await untilInstalled(connected, { name, seconds: secondsOf(options.timeout) });
    await print({ terminal, output: options.output }, { value: end, table: `${end.message}\n` });
    return end.ok ? 0 : 1;
  },
});

function alreadyThere({ namespace }: Connected, name: string): CliError {
  return new CliError("Failed", `the namespace ${namespace} has a Subscription ${name} already`);
}

/** The plan, or why it cannot be shown. The manager reports the same problem where it can be corrected. */
async function previewed(connected: Connected, question: PreviewQuestion): Promise<PlanReport | string> {
  try {
    return (await previewReport(connected, question)) ?? "nothing would be installed";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface PolicyOptions {
  readonly "approve-versions": string | undefined;
  readonly "approve-window": string | undefined;
  readonly "approve-min-age": string | undefined;
}

/** The annotations of the policy that the options ask for. */
function policyOf(options: PolicyOptions, name: string): { readonly [annotation: string]: string } {
  const asked = {
    [versionsAnnotation]: options["approve-versions"],
    [windowAnnotation]: options["approve-window"],
    [minAgeAnnotation]: options["approve-min-age"],
  };
  const annotations = Object.fromEntries(
    Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const read = readPolicy({ metadata: { name, uid: "", resourceVersion: "", creationTimestamp: "", annotations } });
  if ("problem" in read) throw new CliError("Usage", read.problem);
  return annotations;
}

interface Choice {
  readonly name: string;
  readonly catalog: string | undefined;
  readonly problems: readonly string[];
}

function chooseOffer(offers: readonly OfferedPackage[], { name, catalog, problems }: Choice): OfferedPackage {
  const found = offers.filter(
    (each) => each.package.name === name && (catalog === undefined || each.catalog === catalog),
  );
  const [first] = found;
  if (first === undefined) {
    const hint = problems.length === 0 ? "`capstan lifecycle search` lists what they have" : problems.join("; ");
    throw new CliError("BadInput", `no catalog has the package ${name}: ${hint}`);
  }
  if (found.length > 1) {
    const places = found.map((each) => each.catalog).join(", ");
    throw new CliError("BadInput", `several catalogs have the package ${name} (${places}): choose one with --catalog`);
  }
  return first;
}
