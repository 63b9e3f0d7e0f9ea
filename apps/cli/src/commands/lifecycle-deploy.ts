/** `capstan lifecycle deploy`: the lifecycle manager as a Deployment. Its permissions are listed by verb and kind, and it may grant others. */
import { Deployment } from "@capstan/kinds/apps/v1";
import { deployedName, type DeployedObject, managerObjects } from "@capstan/lifecycle";
import { toYamlStream } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { buildManagerImage } from "../lifecycle/manager-image.ts";
import { type Connected, connectLifecycle } from "../lifecycle/options.ts";
import { secondsOf, until } from "../lifecycle/wait.ts";
import { outputOption, print } from "../output/print.ts";
import { withProgress } from "../output/progress.ts";
import { clusterOptions } from "../project/connect.ts";
import { pushBuilt } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";

const MANAGER = "capstan-lifecycle-deploy";

/** Deploys the manager. */
export const lifecycleDeploy: Command = defineCommand({
  describe:
    "Runs the manager in the cluster: a service account, a ClusterRole with the verbs and kinds that it needs, and a Deployment with restricted security. It may give operators permissions that it does not have itself, as every installer of operators may. --build makes the image from this installation of capstan, without Docker; --push pushes it.",
  options: {
    ...clusterOptions,
    image: { type: "text", value: "IMAGE", describe: "the image of the manager" },
    build: { type: "flag", describe: "build the image first" },
    from: {
      type: "text",
      value: "IMAGE",
      describe: "with --build: an image with Node to build on (this machine's Node)",
    },
    push: { type: "flag", describe: "with --build: push it to its registry" },
    insecure: insecureOption,
    namespace: { type: "text", value: "NAME", default: "olm", describe: "the manager's namespace" },
    "pull-secret": { type: "list", value: "NAME", describe: "Secrets of that namespace for the image's registry" },
    "dry-run": { type: "flag", describe: "print the manifests and change nothing" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long to wait; 0 does not wait" },
    output: outputOption,
  },
  examples: [
    {
      line: "capstan lifecycle deploy --image registry.example.com/manager:v1 --build --push",
      does: "Build the image, push it, and run the manager",
    },
    {
      line: "capstan lifecycle deploy --image registry.example.com/manager:v1 --dry-run > manager.yaml",
      does: "The manifests, for GitOps",
    },
    {
      line: "capstan lifecycle deploy --image registry.example.com/manager:v2 --yes -o json",
      does: "Upgrade it in a script",
    },
  ],
  run: async ({ options, terminal }) => {
    const { image, namespace } = options;
    if (image === undefined) throw new CliError("Usage", "--image names the image of the manager; --build builds it");
    const objects = managerObjects({ namespace, image, pullSecrets: options["pull-secret"] });
    if (options["dry-run"]) {
      const value = objects.map(({ manifest }) => manifest);
      await print({ terminal, output: options.output }, { value, table: toYamlStream(value as never) });
      return 0;
    }
    if (options.push && !options.build) throw new CliError("Usage", "--push pushes what --build builds: give both");
    if (options.build) {
      const wanted = { name: image, version: "0.1.0", from: options.from, insecure: options.insecure };
      await withProgress(terminal, `building ${image}`, () => buildManagerImage(wanted, terminal));
      if (options.push) await pushBuilt(image, { terminal, insecure: options.insecure });
    }
    await using connected = await connectLifecycle(options, terminal);
    const isAsked = terminal.isInteractive && !options.yes;
    if (isAsked && !(await confirm(terminal, `run the manager in the namespace ${namespace}?`))) return 1;
    await apply(connected, objects);
    const ready = await untilReady(connected, { namespace, seconds: secondsOf(options.timeout) });
    const value = { namespace, image, objects: objects.map(nameOf), ready: ready.ok, message: ready.message };
    await print({ terminal, output: options.output }, { value, table: `${ready.message}\n` });
    return ready.ok ? 0 : 1;
  },
});

function nameOf({ manifest }: DeployedObject): string {
  return `${manifest.kind} ${manifest.metadata.name ?? ""}`;
}

async function apply({ cluster }: Connected, objects: readonly DeployedObject[]): Promise<void> {
  for (const { kind, manifest } of objects) await cluster.apply(kind, manifest as never, MANAGER);
}

interface Waiting {
  readonly namespace: string;
  readonly seconds: number;
}

async function untilReady(
  { cluster }: Connected,
  { namespace, seconds }: Waiting,
): Promise<{ readonly ok: boolean; readonly message: string }> {
  if (seconds === 0) return { ok: true, message: "applied; not waiting for the manager" };
  const look = () => cluster.get(Deployment, { namespace, name: deployedName });
  const isReady = (found: Deployment | undefined): boolean =>
    found?.status?.observedGeneration === found?.metadata.generation && (found?.status?.availableReplicas ?? 0) > 0;
  const seen = await until(look, { holds: isReady, seconds });
  if (isReady(seen)) return { ok: true, message: `the manager runs in the namespace ${namespace}` };
  const why = seen?.status?.conditions?.find(({ status }) => status === "False")?.message ?? "no pod is ready";
  return { ok: false, message: `the manager is not ready: ${why}; kubectl -n ${namespace} describe pods shows more` };
}
