/** An operator from an empty folder to Kubernetes, in each of the three ways; its operands outlive it, and it continues when it returns. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import {
  buildPrograms,
  buildTestImages,
  DEFAULT_RELEASE,
  helmProgram,
  kubernetesMissing,
  kubernetesProgram,
  programPath,
  showProgress,
  useKubernetes,
} from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";
import { until } from "../cluster/until.ts";

const run = promisify(execFile);
const IMAGE = "capstan.test/walk-operator:v0.1.0";

interface Way {
  readonly name: string;
  /** Creates the files and installs the operator into the namespace. */
  install(world: World, namespace: string): Promise<void>;
  /** Removes everything again, the CRD too. */
  remove(world: World, namespace: string): Promise<void>;
}

interface World {
  readonly project: string;
  readonly cluster: TestCluster;
}

const ways: readonly Way[] = [
  {
    name: "one file of manifests, by plain kubectl create",
    install: async (world, namespace) => {
      const { project } = world;
      await capstan(project, "generate", "manifests", "--image", IMAGE, "--namespace", namespace, "--out", "deploy");
      await kubectl(world, "create", "-f", join(project, "deploy/install.yaml"));
    },
    remove: async (world) => void (await kubectl(world, "delete", "-f", join(world.project, "deploy/install.yaml"))),
  },
  {
    name: "kustomize",
    install: async (world, namespace) => {
      await capstan(world.project, "generate", "kustomize", "--image", IMAGE, "--namespace", namespace);
      await kubectl(world, "apply", "-k", join(world.project, "config/default"));
    },
    remove: async (world) => void (await kubectl(world, "delete", "-k", join(world.project, "config/default"))),
  },
  {
    name: "a Helm chart",
    install: async (world, namespace) => {
      await capstan(world.project, "generate", "helm", "--image", IMAGE, "--chart-version", "0.1.0");
      await helm(
        world,
        "install",
        "walk",
        join(world.project, "chart"),
        "--namespace",
        namespace,
        "--create-namespace",
      );
    },
    remove: async (world, namespace) => {
      await helm(world, "uninstall", "walk", "--namespace", namespace, "--wait");
      await kubectl(world, "delete", "crd", "appservices.app.example.com");
      await kubectl(world, "delete", "namespace", namespace);
    },
  },
];

describe("an operator is deployed", { skip: kubernetesMissing({ node: true }) }, () => {
  let project = "";
  let archives: string[] = [];

  before(async () => {
    await buildPrograms([helmProgram(), kubectlProgram()], showProgress(process.stderr));
    project = await mkdtemp(join(tmpdir(), "capstan-deploy-"));
    await capstan(
      project,
      ..."init . --project-name walk-operator --group app --version v1alpha1 --kind AppService".split(" "),
    );
    const own = join(project, "image.tar");
    await capstan(project, "image", "build", IMAGE, "--archive", own, "--no-local");
    const [busybox] = await buildTestImages({ only: ["busybox"] });
    archives = [own, busybox?.archive ?? assert.fail("there is no busybox image")];
  });
  after(() => rm(project, { recursive: true, force: true }));

  for (const [turn, way] of ways.entries()) {
    test(`by ${way.name}`, async (t) => {
      const cluster = await useKubernetes(t, { node: true });
      await cluster.load(archives);
      const world = { project, cluster };
      const namespace = `walk-${turn}-system`;
      try {
        await way.install(world, namespace);
        await live(world, namespace);
      } finally {
        await way.remove(world, namespace);
      }
    });
  }
});

/** The operator works, is killed, is away for a while, and continues; its children stay unchanged. */
async function live(world: World, namespace: string): Promise<void> {
  const { cluster } = world;
  await kubectl(world, "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  await applyService(world, "first");
  const first = await podRuns(world, "first-pod");
  const before = await operatorPod(world, namespace);
  await kubectl(world, "delete", "pod", before.name, "-n", namespace, "--grace-period=0", "--force");
  await kubectl(world, "scale", "deployment", "--all", "--replicas=0", "-n", namespace);
  await until("no operator runs", async () => ((await pods(world, "-n", namespace)).length === 0 ? "none" : undefined));
  assert.deepEqual(await podRuns(world, "first-pod"), first, "the pod of the object runs without its operator");
  await applyService(world, "second");
  await kubectl(world, "scale", "deployment", "--all", "--replicas=1", "-n", namespace);

  await podRuns(world, "second-pod");
  const later = await operatorPod(world, namespace);
  assert.notEqual(later.uid, before.uid, "another pod does the work now");
  assert.deepEqual(await podRuns(world, "first-pod"), first, "the pod of the first object was not touched");

  await kubectl(world, "delete", "appservice", "first", "second", "-n", cluster.namespace);
  await until("the pods of deleted objects are gone", async () => {
    const names = await kubectl(world, "get", "pods", "-n", cluster.namespace, "-o", "name");
    return names.trim() === "" ? "gone" : undefined;
  });
}

async function applyService(world: World, name: string): Promise<void> {
  const object = {
    apiVersion: "app.example.com/v1alpha1",
    kind: "AppService",
    metadata: { name, namespace: world.cluster.namespace },
    spec: { image: "capstan.test/busybox:1" },
  };
  await until("the kind is served", async () =>
    kubectlWith(world, JSON.stringify(object), "apply", "-f", "-").catch((error: unknown) => {
      // Discovery may list a kind a moment before it is served.
      if (/no matches for kind|could not find the requested resource/.test(String(error))) return undefined;
      throw error;
    }),
  );
}

interface SeenPod {
  readonly name: string;
  readonly uid: string;
}

async function podRuns(world: World, name: string): Promise<SeenPod> {
  return until(`pod ${name} runs`, async () => {
    const [pod] = await pods(world, "-n", world.cluster.namespace, "--field-selector", `metadata.name=${name}`);
    return pod?.phase === "Running" ? { name: pod.name, uid: pod.uid } : undefined;
  });
}

/** The pod of the leader; it is the only one. */
async function operatorPod(world: World, namespace: string): Promise<SeenPod> {
  return until("the operator runs", async () => {
    const found = await pods(world, "-n", namespace);
    const [only, ...others] = found.filter(({ isLeaving }) => !isLeaving);
    return only?.phase === "Running" && others.length === 0 ? { name: only.name, uid: only.uid } : undefined;
  });
}

async function pods(world: World, ...which: string[]) {
  const { items } = JSON.parse(await kubectl(world, "get", "pods", "-o", "json", ...which)) as {
    items: { metadata: { name: string; uid: string; deletionTimestamp?: string }; status: { phase?: string } }[];
  };
  return items.map(({ metadata: { name, uid, deletionTimestamp }, status: { phase } }) => ({
    name,
    uid,
    phase,
    isLeaving: deletionTimestamp !== undefined,
  }));
}

function kubectlProgram() {
  return kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes);
}

async function kubectl({ cluster }: World, ...words: string[]): Promise<string> {
  const { stdout } = await run(programPath(kubectlProgram()), ["--kubeconfig", cluster.kubeconfig, ...words]);
  return stdout;
}

async function kubectlWith({ cluster }: World, input: string, ...words: string[]): Promise<string> {
  const running = run(programPath(kubectlProgram()), ["--kubeconfig", cluster.kubeconfig, ...words]);
  running.child.stdin?.end(input);
  return (await running).stdout;
}

async function helm({ cluster }: World, ...words: string[]): Promise<string> {
  const { stdout } = await run(programPath(helmProgram()), ["--kubeconfig", cluster.kubeconfig, ...words]);
  return stdout;
}

/** The command of this checkout. */
async function capstan(cwd: string, ...words: string[]): Promise<void> {
  const flags = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning"];
  const env = { ...process.env, CAPSTAN_CHECKOUT: resolve(".") };
  await run(process.execPath, [...flags, resolve("apps/cli/src/main.ts"), ...words], { cwd, env });
}
