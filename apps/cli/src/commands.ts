/** The table of commands: name, summary, and file. A command's file is loaded only when the command is used. */
import type { Command } from "./command/define.ts";

/** A row of the table. */
export interface Entry {
  readonly name: string;
  readonly topic: "Start" | "Work" | "Ask" | "Ship" | "Cluster" | "Meter" | "Tools";
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Every command. To add one, write its file and its row. */
export const commands: readonly Entry[] = [
  {
    name: "init",
    topic: "Start",
    summary: "Make a project",
    load: async () => (await import("./commands/init.ts")).init,
  },
  {
    name: "create api",
    topic: "Start",
    summary: "Add a kind or a controller",
    load: async () => (await import("./commands/create-api.ts")).createApi,
  },
  {
    name: "create webhook",
    topic: "Start",
    summary: "Add functions that default, check or convert objects",
    load: async () => (await import("./commands/create-webhook.ts")).createWebhook,
  },
  {
    name: "create e2e-test",
    topic: "Start",
    summary: "Add a test of the whole operator on a cluster",
    load: async () => (await import("./commands/create-extra.ts")).createEndToEndTest,
  },
  {
    name: "create upgrade-workflow",
    topic: "Start",
    summary: "Add a scheduled job that upgrades the project",
    load: async () => (await import("./commands/create-extra.ts")).createUpgradeWorkflow,
  },
  {
    name: "create dev-container",
    topic: "Start",
    summary: "Add a container to work in",
    load: async () => (await import("./commands/create-extra.ts")).createDevContainer,
  },
  {
    name: "create linter",
    topic: "Start",
    summary: "Add a linter and its settings",
    load: async () => (await import("./commands/create-extra.ts")).createLinter,
  },
  {
    name: "delete api",
    topic: "Start",
    summary: "Take a kind out of the project",
    load: async () => (await import("./commands/delete-api.ts")).deleteApi,
  },
  {
    name: "rename",
    topic: "Start",
    summary: "Rename a kind everywhere in the project",
    load: async () => (await import("./commands/rename.ts")).rename,
  },
  {
    name: "import crd",
    topic: "Start",
    summary: "Turn a CRD into a definition in TypeScript",
    load: async () => (await import("./commands/import-crd.ts")).importCrds,
  },
  {
    name: "upgrade",
    topic: "Start",
    summary: "Bring the project to the templates of this version",
    load: async () => (await import("./commands/upgrade.ts")).upgrade,
  },
  {
    name: "dev",
    topic: "Work",
    summary: "Run the operator here, with reload and a live table",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
  {
    name: "run",
    topic: "Work",
    summary: "Run the operator as in production",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "explain",
    topic: "Ask",
    summary: "Say why an object was reconciled and what came of it",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  {
    name: "plan",
    topic: "Ask",
    summary: "Say what the operator would change on a cluster",
    load: async () => (await import("./commands/plan.ts")).plan,
  },
  {
    name: "pause",
    topic: "Ask",
    summary: "Take an object out of the operator's hands",
    load: async () => (await import("./commands/pause.ts")).pause,
  },
  {
    name: "resume",
    topic: "Ask",
    summary: "Give an object back to the operator",
    load: async () => (await import("./commands/pause.ts")).resume,
  },
  {
    name: "generate crds",
    topic: "Ship",
    summary: "CRDs of the program's resources",
    load: async () => (await import("./commands/generate.ts")).generateCrds,
  },
  {
    name: "generate schema-patch",
    topic: "Ship",
    summary: "Schemas, put into CRDs that you keep by hand",
    load: async () => (await import("./commands/schema-patch.ts")).schemaPatch,
  },
  {
    name: "generate rbac",
    topic: "Ship",
    summary: "The least permissions that the program needs",
    load: async () => (await import("./commands/generate.ts")).generateRbac,
  },
  {
    name: "generate manifests",
    topic: "Ship",
    summary: "Everything that a cluster needs, in one file",
    load: async () => (await import("./commands/generate.ts")).generateManifests,
  },
  {
    name: "generate kustomize",
    topic: "Ship",
    summary: "The classic kustomize tree",
    load: async () => (await import("./commands/generate.ts")).generateKustomize,
  },
  {
    name: "generate helm",
    topic: "Ship",
    summary: "A Helm chart",
    load: async () => (await import("./commands/generate.ts")).generateHelm,
  },
  {
    name: "generate samples",
    topic: "Ship",
    summary: "An object of each kind, to try it with",
    load: async () => (await import("./commands/generate.ts")).generateSamples,
  },
  {
    name: "generate docs",
    topic: "Ship",
    summary: "The API reference in Markdown",
    load: async () => (await import("./commands/generate.ts")).generateDocs,
  },
  {
    name: "generate json-schema",
    topic: "Ship",
    summary: "JSON schemas for editors",
    load: async () => (await import("./commands/generate.ts")).generateJsonSchema,
  },
  {
    name: "generate dashboards",
    topic: "Ship",
    summary: "Grafana dashboards",
    load: async () => (await import("./commands/generate.ts")).generateDashboards,
  },
  {
    name: "lifecycle run",
    topic: "Cluster",
    summary: "Install, upgrade and remove operators as OLM does",
    load: async () => (await import("./commands/lifecycle-run.ts")).lifecycleRun,
  },
  {
    name: "cluster start",
    topic: "Cluster",
    summary: "Start an embedded cluster",
    load: async () => (await import("./commands/cluster-start.ts")).clusterStart,
  },
  {
    name: "cluster stop",
    topic: "Cluster",
    summary: "Stop an embedded cluster",
    load: async () => (await import("./commands/cluster-stop.ts")).clusterStop,
  },
  {
    name: "cluster list",
    topic: "Cluster",
    summary: "List embedded clusters",
    load: async () => (await import("./commands/cluster-list.ts")).clusterList,
  },
  {
    name: "cluster kubeconfig",
    topic: "Cluster",
    summary: "Print the kubeconfig of an embedded cluster",
    load: async () => (await import("./commands/cluster-kubeconfig.ts")).clusterKubeconfig,
  },
  {
    name: "cluster load-image",
    topic: "Cluster",
    summary: "Make an image known to embedded clusters",
    load: async () => (await import("./commands/cluster-load-image.ts")).clusterLoadImage,
  },
  {
    name: "cluster images list",
    topic: "Cluster",
    summary: "List the images that embedded clusters know",
    load: async () => (await import("./commands/cluster-images.ts")).clusterImagesList,
  },
  {
    name: "cluster images remove",
    topic: "Cluster",
    summary: "Remove images of embedded clusters",
    load: async () => (await import("./commands/cluster-images.ts")).clusterImagesRemove,
  },
  {
    name: "cluster exec",
    topic: "Cluster",
    summary: "Run a program in the network of an embedded cluster",
    load: async () => (await import("./commands/cluster-exec.ts")).clusterExec,
  },
  {
    name: "cluster logs",
    topic: "Cluster",
    summary: "Print what an embedded cluster says",
    load: async () => (await import("./commands/cluster-logs.ts")).clusterLogs,
  },
  {
    name: "cluster fault",
    topic: "Cluster",
    summary: "Cut, delay or heal lines of pods, kill nodes",
    load: async () => (await import("./commands/cluster-fault.ts")).clusterFault,
  },
  {
    name: "image build",
    topic: "Ship",
    summary: "Make the operator's image, without Docker",
    load: async () => (await import("./commands/image.ts")).imageBuild,
  },
  {
    name: "image push",
    topic: "Ship",
    summary: "Push the operator's image",
    load: async () => (await import("./commands/image.ts")).imagePush,
  },
  {
    name: "generate bundle",
    topic: "Ship",
    summary: "A bundle for OLM (the same as bundle generate)",
    load: async () => (await import("./commands/bundle-generate.ts")).bundleGenerate,
  },
  {
    name: "bundle generate",
    topic: "Ship",
    summary: "A bundle for OLM, from the program or from manifests",
    load: async () => (await import("./commands/bundle-generate.ts")).bundleGenerate,
  },
  {
    name: "bundle validate",
    topic: "Ship",
    summary: "Say what is wrong with a bundle",
    load: async () => (await import("./commands/bundle-validate.ts")).bundleValidate,
  },
  {
    name: "bundle build",
    topic: "Ship",
    summary: "Make an image of a bundle, without Docker",
    load: async () => (await import("./commands/bundle-image.ts")).bundleBuild,
  },
  {
    name: "bundle push",
    topic: "Ship",
    summary: "Push the image of a bundle",
    load: async () => (await import("./commands/bundle-image.ts")).bundlePush,
  },
  {
    name: "scorecard",
    topic: "Ship",
    summary: "Run the bundle scorecard",
    load: async () => (await import("./commands/scorecard.ts")).scorecard,
  },
  {
    name: "meter import usage",
    topic: "Meter",
    summary: "Import usage records and CloudEvents",
    load: async () => (await import("./commands/meter-import-usage.ts")).meterImportUsage,
  },
  {
    name: "meter report",
    topic: "Meter",
    summary: "Say what was used and what it costs",
    load: async () => (await import("./commands/meter-report.ts")).meterReport,
  },
  {
    name: "apiserver",
    topic: "Tools",
    summary: "Run the bare embedded API server",
    load: async () => (await import("./commands/apiserver.ts")).apiserver,
  },
  {
    name: "doctor",
    topic: "Tools",
    summary: "Check this machine and say what is missing",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "completion",
    topic: "Tools",
    summary: "Print the completion script of a shell",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  {
    name: "version",
    topic: "Tools",
    summary: "Print the versions of all parts",
    load: async () => (await import("./commands/version.ts")).version,
  },
];

/** Commands of other tools, and their names here. */
export const oldNames: { readonly [words: string]: string } = {
  new: "capstan init NAME",
  "add api": "capstan create api --group GROUP --version VERSION --kind KIND",
  "add controller": "capstan create api --group GROUP --version VERSION --kind KIND --no-resource --controller",
  "add crd": "capstan create api --group GROUP --version VERSION --kind KIND --no-controller",
  add: "capstan create api --group GROUP --version VERSION --kind KIND",
  build: "capstan image build",
  "up local": "capstan dev",
  up: "capstan dev",
  "run local": "capstan dev",
  edit: "capstan upgrade",
  "generate csv": "capstan bundle generate",
  "generate packagemanifests": "capstan bundle generate",
  "olm-catalog gen-csv": "capstan bundle generate",
  "bundle create": "capstan bundle build IMAGE",
  "generate k8s": "nothing to do: types come from the program itself",
  "generate openapi": "capstan generate crds",
  "alpha update": "capstan upgrade",
  "alpha generate": "capstan upgrade",
};
