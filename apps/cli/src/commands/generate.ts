/** `capstan generate`: generates everything that follows from the exports of a program. */
import { join, resolve } from "node:path";
import {
  apiReference,
  clusterRule,
  crdsOf,
  dashboards,
  editorSchemas,
  type Files,
  helmChart,
  installationOf,
  kustomizeTree,
  metersOf,
  parseCustomMetrics,
  type Placement,
  prometheusRule,
  readMonitoring,
  runbook,
  rbacOf,
  sampleOf,
  toYaml,
  toYamlStream,
  wordsOf as kindWords,
  descriptionOfPackage,
} from "@capstan/scaffold";
import type { Resource } from "@capstan/schema";
import { readPackage } from "../bundle/package-words.ts";
import { openRegistrar } from "../bundle/registrar.ts";
import { type Command, defineCommand, type Example, type Options, type OptionValues } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { report } from "../project/apply.ts";
import { mergeGenerated } from "../project/merge-generated.ts";
import { readFiles, readText } from "../project/disk.ts";
import { sampleProblems } from "../project/sample-check.ts";
import { writeChanges } from "../project/write.ts";
import { checkImage, checkNamespace } from "../project/placement.ts";
import { operatorOf } from "../project/operator.ts";
import { entryOption, type Loaded, loadProgram } from "../project/program.ts";
import type { Terminal } from "../terminal.ts";

const options = {
  entry: entryOption,
  out: { type: "text", value: "DIR", describe: "write files into this folder" },
  image: { type: "text", value: "IMAGE", describe: "the operator's image (NAME:v0.1.0)" },
  namespace: { type: "text", short: "n", value: "NAMESPACE", describe: "where the operator runs (NAME-system)" },
  replicas: {
    type: "text",
    value: "NUMBER",
    describe: "how many replicas run; one leads (those of the program, else 1)",
  },
  "watch-namespace": { type: "yes-no", describe: "watch only the operator's own namespace" },
} as const satisfies Options;

const { entry, out, namespace, "watch-namespace": watchNamespace } = options;

interface Asked {
  readonly image?: string | undefined;
  readonly namespace?: string | undefined;
  readonly replicas?: string | undefined;
  readonly "watch-namespace"?: boolean | undefined;
}

function placementOf({ program, inputs }: Loaded, asked: Asked): Placement {
  const replicas = Number(asked.replicas ?? program.pod.replicas ?? 1);
  if (!Number.isInteger(replicas) || replicas < 0)
    throw new CliError("Usage", `--replicas must be a number, not ${asked.replicas}`);
  return {
    namespace: checkNamespace(asked.namespace) ?? `${program.name}-system`,
    image: checkImage(asked.image) ?? `${program.name}:v0.1.0`,
    replicas,
    namespaced: asked["watch-namespace"] ?? inputs?.namespaced ?? false,
  };
}

interface Generator<O extends Options> {
  readonly options: O;
  readonly describe?: string;
  readonly examples: readonly [Example, ...Example[]];
  /** The text for standard output if no folder is given. */
  readonly text?: (loaded: Loaded, asked: Asked) => string;
  readonly files: (loaded: Loaded, asked: Asked, cwd: string) => Files | Promise<Files>;
  /** The default folder for files; generators with `text` print instead. */
  readonly folder: string;
  /** What the program must export: a Deployment needs an operator. */
  readonly of?: "operator";
  /** What happens to existing files: they stay, or changes are merged into what users edited. Without it they are overwritten. */
  readonly existing?: "stay" | "merge";
}

function generator<const O extends Options>({
  options: own,
  describe,
  examples,
  text,
  files,
  folder,
  of,
  existing,
}: Generator<O>): Command {
  const outcome = existing === undefined ? "Files there are overwritten." : existingNotes[existing];
  const effect =
    text === undefined
      ? `Writes files into ${folder}/, or into the folder of --out. ${outcome}`
      : `Prints; with --out DIR it writes files into DIR instead. ${outcome}`;
  return defineCommand({
    describe: describe === undefined ? effect : `${describe} ${effect}`,
    options: { ...own, entry, out },
    examples,
    run: async (call) => {
      const asked = call.options as OptionValues<Options> &
        Asked & { readonly entry: string | undefined; readonly out: string | undefined };
      const loaded = await loadProgram(call.terminal.cwd, asked.entry);
      if (of === "operator") operatorOf(loaded.exported, loaded.entry);
      if (text !== undefined && asked.out === undefined) return call.terminal.out(text(loaded, asked));
      const made = await files(loaded, asked, call.terminal.cwd);
      if (existing === "merge")
        return mergeGenerated(asked.out ?? folder, { made, isWrittenOnce: isPeoples }, call.terminal);
      const isKept = existing === "stay" ? () => true : isPeoples;
      const kept = await writeInto(asked.out ?? folder, { files: made, isKept }, call.terminal);
      if (existing !== "stay") return;
      for (const [path, sample] of kept)
        for (const problem of sampleProblems(sample, path, loaded.program.resources))
          call.terminal.err(`${path} stays as it is, but the cluster would not take it so: ${problem}\n`);
    },
  });
}

const existingNotes = {
  stay: "Files there stay as they are.",
  merge: "What you changed in files there stays: changes of the program are merged into it.",
} as const;

/** Files that are generated once and then belong to the user. */
function isPeoples(path: string): boolean {
  return /^manifests\/bases\/.*\.clusterserviceversion\.yaml$/.test(path);
}

interface Written {
  readonly files: Files;
  /** Whether an existing file is not overwritten. */
  readonly isKept: (path: string) => boolean;
}

/** Writes new files; returns the generated texts of kept files that differ. */
async function writeInto(folder: string, { files, isKept }: Written, terminal: Terminal): Promise<Files> {
  const root = resolve(terminal.cwd, folder);
  const disk = await readFiles(root, files.keys());
  const changes = [...files]
    .filter(([path, text]) => disk.get(path) !== text && !(disk.has(path) && isKept(path)))
    .map(([path, text]) => ({ path, action: disk.has(path) ? ("update" as const) : ("create" as const), text }));
  await writeChanges(root, changes);
  report(
    changes.map((change) => ({ ...change, path: join(folder, change.path) })),
    terminal,
  );
  const kept = [...disk].filter(([path, text]) => files.get(path) !== text && isKept(path));
  return new Map(kept.map(([path, text]) => [join(folder, path), text]));
}

/** CRDs. */
export const generateCrds: Command = generator({
  options: {},
  examples: [
    { line: "capstan generate crds | kubectl apply --server-side -f -", does: "Put them on the cluster" },
    { line: "capstan generate crds --out crds", does: "One file for each" },
  ],
  folder: "crds",
  text: ({ program }) => toYamlStream(crdsOf(program)),
  files: ({ program }) => new Map(crdsOf(program).map((crd) => [`${crd.metadata.name}.yaml`, toYaml(crd)])),
});

/** Roles. */
export const generateRbac: Command = generator({
  describe: "They follow from the kinds that controllers name in `owns`, `reads` and `watches`.",
  options: { namespace, "watch-namespace": watchNamespace },
  examples: [
    { line: "capstan generate rbac", does: "The service account, its roles and bindings, and roles for people" },
  ],
  folder: "rbac",
  text: (loaded, asked) => toYamlStream(rbacOf(loaded.program, placementOf(loaded, asked))),
  files: (loaded, asked) => new Map([["rbac.yaml", toYamlStream(rbacOf(loaded.program, placementOf(loaded, asked)))]]),
});

function installText(loaded: Loaded, asked: Asked): string {
  const { namespace: place, crds, rbac, manager } = installationOf(loaded.program, placementOf(loaded, asked));
  return toYamlStream([place, ...crds, ...rbac, ...manager]);
}

const { entry: _entry, out: _out, ...placing } = options;

/** One file. */
export const generateManifests: Command = generator({
  describe: "With --meters it also has the Meter objects of the operator; --out writes them into a separate file.",
  options: { ...placing, meters: { type: "flag", describe: "with Meter objects, for clusters with metering" } },
  examples: [
    {
      line: "capstan generate manifests --image registry.example.com/app:v1 > install.yaml",
      does: "One file for kubectl create -f",
    },
    {
      line: "capstan generate manifests --namespace ops --watch-namespace",
      does: "For an operator that sees only its own namespace",
    },
  ],
  folder: "deploy",
  of: "operator",
  text: (loaded, asked) =>
    (asked as { readonly meters?: boolean }).meters === true
      ? [installText(loaded, asked), toYamlStream(metersOf(loaded.program))].filter((part) => part !== "").join("---\n")
      : installText(loaded, asked),
  files: (loaded, asked) =>
    new Map([
      ["install.yaml", installText(loaded, asked)],
      ...(loaded.program.meters.length === 0 ? [] : [["meters.yaml", toYamlStream(metersOf(loaded.program))] as const]),
    ]),
});

/** A kustomize tree. */
export const generateKustomize: Command = generator({
  options: placing,
  examples: [
    {
      line: "capstan generate kustomize --image registry.example.com/app:v1",
      does: "Write config/; then kubectl apply -k config/default",
    },
  ],
  folder: "config",
  existing: "merge",
  of: "operator",
  files: async (loaded, asked, cwd) =>
    kustomizeTree(loaded.program, placementOf(loaded, asked), {
      words: descriptionOfPackage(await readPackage(cwd)),
      registrar: await openRegistrar(),
    }),
});

/** A chart. */
export const generateHelm: Command = generator({
  options: {
    image: options.image,
    "watch-namespace": watchNamespace,
    "chart-version": { type: "text", value: "VERSION", describe: "the version of the chart (0.1.0)" },
  },
  examples: [
    {
      line: "capstan generate helm --image registry.example.com/app:v1",
      does: "Write chart/; then helm upgrade --install app chart",
    },
  ],
  folder: "chart",
  existing: "merge",
  of: "operator",
  files: (loaded, asked) => {
    const { image, namespaced } = placementOf(loaded, asked);
    const version = (asked as { readonly "chart-version"?: string })["chart-version"] ?? "0.1.0";
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      throw new CliError("Usage", `--chart-version must be like 1.2.3, not ${version}`);
    return helmChart(loaded.program, { image, namespaced, version });
  },
});

/** The reference. */
export const generateDocs: Command = generator({
  options: {},
  examples: [{ line: "capstan generate docs > API.md", does: "Every field with its type, default and meaning" }],
  folder: "docs",
  text: ({ program }) => apiReference(program),
  files: ({ program }) => new Map([["api.md", apiReference(program)]]),
});

/** Objects to try the kinds with. */
export const generateSamples: Command = generator({
  describe:
    "One object for each kind, with what its schema demands as it is now and with its defaults. A sample that the schema rejects is named.",
  options: {},
  examples: [
    { line: "capstan generate samples | kubectl create -f -", does: "Try every kind" },
    { line: "capstan generate samples --out samples", does: "Write those that are missing" },
  ],
  folder: "samples",
  existing: "stay",
  text: ({ program }) => toYamlStream(program.resources.map((resource) => sampleOf(resource))),
  files: ({ program }) =>
    new Map(
      program.resources.map((resource) => [
        `${sampleName(resource, program.resources)}.yaml`,
        toYaml(sampleOf(resource)),
      ]),
    ),
});

/** The file name that `init` gives to samples; kinds of the same name are distinguished by group. */
function sampleName({ kind, group }: Resource, all: readonly Resource[]): string {
  const { file } = kindWords(kind);
  return all.filter((other) => other.kind === kind).length === 1 ? file : `${file}.${group}`;
}

/** Schemas for editors. */
export const generateJsonSchema: Command = generator({
  options: {},
  examples: [
    { line: "capstan generate json-schema", does: "Write schemas/, for the yaml.schemas setting of an editor" },
  ],
  folder: "schemas",
  files: ({ program }) => editorSchemas(program),
});

function alertText(loaded: Loaded, asked: Asked): string {
  const { program, exported } = loaded;
  const place = placementOf(loaded, asked);
  const own = readMonitoring(exported).map((monitoring) => clusterRule(program, monitoring, place));
  return toYamlStream([prometheusRule(program, place), ...own]);
}

/** Alert rules. */
export const generateAlerts: Command = generator({
  describe:
    "PrometheusRules for the operator, and for the kinds whose monitoring the program exports (monitoringOf of capstan/stateful).",
  options: { namespace },
  examples: [
    {
      line: "capstan generate alerts | kubectl apply -f -",
      does: "Put them on a cluster with the Prometheus operator",
    },
  ],
  folder: "alerts",
  text: alertText,
  files: (loaded, asked) => new Map([["alerts.yaml", alertText(loaded, asked)]]),
});

function runbookText({ exported, entry: file }: Loaded): string {
  const pages = readMonitoring(exported).map(runbook);
  if (pages.length === 0) {
    const advice = "export a value of monitoringOf (capstan/stateful) from it";
    throw new CliError("BadInput", `${file} exports no monitoring to write a runbook from: ${advice}`);
  }
  return pages.join("\n");
}

/** A runbook. */
export const generateRunbook: Command = generator({
  describe: "A chapter for each alert of the kinds whose monitoring the program exports, and a table of reasons.",
  options: {},
  examples: [{ line: "capstan generate runbook > runbook.md", does: "What each alert means, and what to do" }],
  folder: "docs",
  text: runbookText,
  files: (loaded) => new Map([["runbook.md", runbookText(loaded)]]),
});

/** Dashboards. */
export const generateDashboards: Command = generator({
  options: {
    "custom-metrics": {
      type: "text",
      value: "FILE",
      describe: "a list of the operator's own metrics, for a third dashboard, as kubebuilder's Grafana plugin reads it",
    },
  },
  examples: [
    { line: "capstan generate dashboards", does: "Write grafana/; import the files in Grafana" },
    {
      line: "capstan generate dashboards --custom-metrics metrics.yaml",
      does: "With a panel for each metric in customMetrics: [{ metric: orders_total, type: counter }]",
    },
  ],
  folder: "grafana",
  files: async ({ program, exported }, asked, cwd) => {
    const file = (asked as { readonly "custom-metrics"?: string })["custom-metrics"];
    const own = file === undefined ? [] : parseCustomMetrics(await readText(resolve(cwd, file)), file);
    return dashboards(program, { metrics: own, monitoring: readMonitoring(exported) });
  },
});
