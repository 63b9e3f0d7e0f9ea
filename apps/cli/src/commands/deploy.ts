/** `capstan deploy`: builds the operator's image, brings it to a cluster, applies everything, and waits until the operator is available. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, defineCommand, type OptionValues } from "../command/define.ts";
import { type Applied, applyParts } from "../deploy/apply.ts";
import { connectTarget, type Target } from "../deploy/connect.ts";
import { explainRollout, followRollout } from "../deploy/follow.ts";
import { partsOf } from "../deploy/parts.ts";
import { CliError } from "../errors.ts";
import { shareWithClusters } from "../image/know.ts";
import { makeImage } from "../image/make.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { secondsOf } from "../lifecycle/wait.ts";
import { styleOf } from "../output/style.ts";
import { operatorOf } from "../project/operator.ts";
import { checkImage, checkNamespace } from "../project/placement.ts";
import { entryOption, type Loaded, loadProgram } from "../project/program.ts";
import { writeArchive } from "../registry/archive.ts";
import { pushBuilt } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";
import type { Terminal } from "../terminal.ts";

const options = {
  entry: entryOption,
  kubeconfig: { type: "text", value: "FILE", describe: "the kubeconfig (KUBECONFIG, else ~/.kube/config)" },
  context: { type: "text", value: "NAME", describe: "the context in it" },
  namespace: { type: "text", short: "n", value: "NAMESPACE", describe: "where the operator runs (NAME-system)" },
  replicas: {
    type: "text",
    value: "NUMBER",
    describe: "how many replicas run; one leads (those of the program, else 1)",
  },
  "watch-namespace": { type: "yes-no", describe: "watch only the operator's own namespace" },
  build: { type: "yes-no", describe: "build the image first (yes)" },
  push: { type: "yes-no", describe: "push the image to its registry (yes, but not for an embedded cluster)" },
  load: {
    type: "text",
    value: "COMMAND",
    describe: "instead of a push, give an archive of the image to this command: kind load image-archive",
  },
  insecure: insecureOption,
  "dry-run": { type: "flag", describe: "show what would change on the cluster; build and write nothing" },
  yes: { type: "flag", short: "y", describe: "do not ask" },
  timeout: { type: "text", value: "SECONDS", default: "180", describe: "how long the operator may take to start" },
} as const;

type Values = OptionValues<typeof options>;

/** Deploys. */
export const deploy: Command = defineCommand({
  describe:
    "Shows the cluster, builds and pushes the image, applies the manifests, and waits until all replicas are available. If they do not become available, it prints the reasons: states of containers, events and logs. Existing namespaces and CRDs are not changed: the operator upgrades its CRDs. capstan undeploy removes what this has created.",
  arguments: [
    { name: "IMAGE", describe: "the name of the image; NAME:v0.1.0 for an embedded cluster", presence: "optional" },
  ],
  options,
  examples: [
    { line: "capstan deploy", does: "On the embedded cluster of KUBECONFIG" },
    { line: "capstan deploy registry.example.com/app:v0.1.0", does: "Build, push, and run it on the current context" },
    { line: 'capstan deploy app:v0.1.0 --load "kind load image-archive"', does: "On kind, without a registry" },
    { line: "capstan deploy registry.example.com/app:v0.1.0 --dry-run", does: "Show what would change" },
  ],
  progress: "own",
  run: async ({ options: values, args: [image], terminal }) => {
    const seconds = secondsOf(values.timeout);
    const loaded = await loadProgram(terminal.cwd, values.entry);
    operatorOf(loaded.exported, loaded.entry);
    const target = await connectTarget(values, terminal);
    await using client = target.client;
    const plan = planOf(loaded, { image, values, target });
    const { placement } = plan;
    terminal.err(`context ${target.context}, ${target.server}, namespace ${placement.namespace}\n`);
    const dryRun = values["dry-run"];
    if (!dryRun && terminal.isInteractive && !values.yes && !(await confirm(terminal, "deploy there?"))) return 1;
    const delivered = dryRun ? { image: plan.image } : await deliver(plan, { values, target, terminal });
    const parts = partsOf(loaded.program, { ...placement, image: delivered.image }, delivered.digest);
    const report = (applied: Applied): void =>
      dryRun ? terminal.out(lineOf(applied, terminal)) : terminal.err(lineOf(applied, terminal));
    await applyParts(parts, { client, dryRun, report });
    if (dryRun) return 0;
    const place = { client, namespace: placement.namespace, name: loaded.program.name };
    const began = performance.now();
    const state = await followRollout({ ...place, seconds, report: (text) => terminal.err(`  wait       ${text}\n`) });
    if (state.is === "available") {
      const took = ((performance.now() - began) / 1000).toFixed(1);
      terminal.out(`${place.name} is available in ${place.namespace}: ${state.text}, after ${took} s\n`);
      return 0;
    }
    for (const line of await explainRollout(place)) terminal.err(`${line}\n`);
    const over = state.is === "waiting" ? ` after ${seconds} s` : "";
    throw new CliError("Failed", `${place.name} is not available${over}: ${state.text}`);
  },
});

interface Plan {
  readonly entry: string | undefined;
  readonly image: string;
  readonly delivery: "push" | "load" | "share" | "none";
  readonly isBuilt: boolean;
  readonly placement: Parameters<typeof partsOf>[1];
}

interface Asked {
  readonly image: string | undefined;
  readonly values: Values;
  readonly target: Target;
}

function planOf({ program, inputs }: Loaded, { image, values, target }: Asked): Plan {
  const name = checkImage(image) ?? (target.isEmbedded ? `${program.name}:v0.1.0` : undefined);
  if (name === undefined)
    throw new CliError(
      "Usage",
      "name the image, such as registry.example.com/app:v0.1.0: the cluster pulls it from there",
    );
  const replicas = Number(values.replicas ?? program.pod.replicas ?? 1);
  if (!Number.isInteger(replicas) || replicas < 0)
    throw new CliError("Usage", `--replicas must be a number, not ${values.replicas}`);
  return {
    entry: values.entry,
    image: name,
    delivery: deliveryOf(values, target),
    isBuilt: values.build ?? true,
    placement: {
      namespace: checkNamespace(values.namespace) ?? `${program.name}-system`,
      image: name,
      replicas,
      namespaced: values["watch-namespace"] ?? inputs?.namespaced ?? false,
    },
  };
}

function deliveryOf({ push, load, build = true }: Values, { isEmbedded }: Target): Plan["delivery"] {
  if (load !== undefined && push === true)
    throw new CliError("Usage", "--push and --load contradict each other: give one of them");
  if (load !== undefined && !build) throw new CliError("Usage", "--load loads what is built: leave out --no-build");
  if (load !== undefined) return "load";
  if (push ?? (build && !isEmbedded)) return "push";
  return build && isEmbedded ? "share" : "none";
}

interface Delivery {
  readonly values: Values;
  readonly target: Target;
  readonly terminal: Terminal;
}

/** Builds the image and brings it to where the cluster finds it; returns the name to deploy, which has the digest after a push. */
async function deliver(
  { entry, image, delivery, isBuilt }: Plan,
  { values: { insecure, load = "" }, terminal }: Delivery,
): Promise<{ readonly image: string; readonly digest?: string }> {
  const say = (what: string, text: string): void => terminal.err(`  ${what.padEnd(9)}  ${text}\n`);
  const built = isBuilt ? await makeImage(image, { entry, insecure }, terminal) : undefined;
  for (const { bytes } of built?.sizes ?? []) say("build", `${image}  ${(bytes / 1e6).toFixed(1)} MB compressed`);
  const digest = built?.descriptor.digest;
  switch (delivery) {
    case "push": {
      const pushed = await pushBuilt(image, { terminal, insecure });
      say("push", `${image}  ${pushed}`);
      return { image: image.includes("@") ? image : `${image}@${pushed}`, digest: pushed };
    }
    case "share":
      if (built !== undefined) await shareWithClusters(built.tag, built.store, terminal);
      say("load", "the embedded clusters of this machine have the image");
      break;
    case "load":
      if (built !== undefined) await loadWith(load, built, terminal);
      say("load", load);
      break;
    case "none":
  }
  return { image, ...(digest === undefined ? {} : { digest }) };
}

/** Calls the command with the path of an archive as its last word. */
async function loadWith(
  command: string,
  { tag, store }: Awaited<ReturnType<typeof makeImage>>,
  terminal: Terminal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-deploy-"));
  try {
    const archive = join(folder, "image.tar");
    await writeArchive(tag, store, archive);
    const child = spawn("sh", ["-c", `${command} "$1"`, "sh", archive], {
      cwd: terminal.cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => terminal.err(data.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0)
      throw new CliError("Failed", `\`${command}\` ended with ${code}: the cluster has no image; nothing was applied`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lineOf({ action, kind, name, why }: Applied, terminal: Terminal): string {
  const { green, yellow, dim } = styleOf(terminal);
  const paint = { create: green, change: yellow, unchanged: dim, keep: dim }[action];
  return `  ${paint(action.padEnd(9))}  ${kind} ${name}${why === undefined ? "" : ` (${why})`}\n`;
}
