/** `kubectl rollout` with an image that cannot be pulled: facts that must be the same under any control plane. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@capstan/kinds/apps/v1";
import { Pod } from "@capstan/kinds/v1";
import { DEFAULT_RELEASE, kubernetesProgram, programPath } from "@capstan/kubernetes";
import { until } from "./until.ts";
import type { World } from "./worlds.ts";

/** The kubectl for both control planes. */
export const kubectlProgram = kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes);

const run = promisify(execFile);
const REVISION = "deployment.kubernetes.io/revision";
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "x", image: "good:1" }] },
});

/** A Deployment with a missing image keeps the old ones and is rolled back, also to a named revision. */
export async function undoneDeployment(world: World): Promise<object> {
  const { client, namespace } = world;
  const target = { namespace, name: "undone" };
  const spec = { replicas: 3, selector: { matchLabels: { app: "undone" } }, template: template("undone") };
  await client.create(Deployment, { metadata: target, spec });
  const ask = asker(world, "deployment/undone");
  const status = ["rollout", "status", "--timeout=300s"];
  const first = await ask(...status);
  const change = await ask("set", "image", "x=missing:1");
  await until("one new pod is tried, and the old ones stay", async () => {
    const { status: seen } = await client.get(Deployment, target);
    return seen?.updatedReplicas === 1 && seen.replicas === 4 && seen.availableReplicas === 3;
  });
  return {
    first,
    change,
    stuck: await ask("rollout", "history"),
    bad: await ask("rollout", "history", "--revision=2"),
    paused: [await ask("rollout", "pause"), await ask("rollout", "undo"), await ask("rollout", "resume")],
    undone: [await ask("rollout", "undo"), await ask(...status), await ask("rollout", "history")],
    sets: await settledSets(world, "3"),
    unknown: [await ask("rollout", "undo", "--to-revision=1"), await ask("rollout", "undo", "--to-revision=9")],
    again: await ask("rollout", "undo", "--to-revision=3"),
    forth: [await ask("rollout", "undo", "--to-revision=2"), await historyAt(world, ask, "4")],
  };
}

/** The same for a DaemonSet, with its history in ControllerRevisions. */
export async function undoneDaemons(world: World): Promise<object> {
  const { client, namespace } = world;
  const target = { namespace, name: "daemons" };
  const spec = { selector: { matchLabels: { app: "daemons" } }, template: template("daemons") };
  await client.create(DaemonSet, { metadata: target, spec });
  const ask = asker(world, "daemonset/daemons");
  const status = ["rollout", "status", "--timeout=300s"];
  const first = await ask(...status);
  const change = await ask("set", "image", "x=missing:1");
  await until("the new pod is tried", async () => {
    const { status: seen } = await client.get(DaemonSet, target);
    return seen?.updatedNumberScheduled === 1 && (seen.numberAvailable ?? 0) === 0;
  });
  const stuck = await ask("rollout", "history");
  const undone = [await ask("rollout", "undo"), await ask(...status), await ask("rollout", "history")];
  return { first, change, stuck, undone, unknown: await ask("rollout", "undo", "--to-revision=1") };
}

/** The same for a StatefulSet: a pod that never became ready blocks the rollout until it is deleted. */
export async function undoneMembers(world: World): Promise<object> {
  const { client, namespace } = world;
  const target = { namespace, name: "members" };
  const selector = { matchLabels: { app: "members" } };
  const spec = { serviceName: "members", replicas: 1, selector, template: template("members") };
  await client.create(StatefulSet, { metadata: target, spec });
  const ask = asker(world, "statefulset/members");
  const first = await ask("rollout", "status", "--timeout=300s");
  const revision = (await client.get(StatefulSet, target)).status?.updateRevision;
  const change = await ask("set", "image", "x=missing:1");
  const member = { namespace, name: "members-0" };
  await until("the new member is tried", async () => {
    const { items } = await client.list(Pod, { namespace, labelSelector: "app=members" }).all();
    return items[0]?.spec?.containers[0]?.image === "missing:1";
  });
  const stuck = await ask("rollout", "history");
  const undone = await ask("rollout", "undo");
  const { status } = await until("the set knows that it is to go back", async () => {
    const read = await client.get(StatefulSet, target);
    return read.status?.observedGeneration === 3 && read.status.updateRevision === revision && read;
  });
  await client.delete(Pod, { ...member, gracePeriodSeconds: 0 });
  return {
    first,
    change,
    stuck,
    undone,
    isBack: status?.currentRevision === revision,
    last: [await statusAt(world, "good:1", ask), await ask("rollout", "history")],
  };
}

/** The rollout status once the pod has the image. */
async function statusAt({ client, namespace }: World, image: string, ask: Asker): Promise<string> {
  await until(`the member has ${image}`, async () => {
    const { items } = await client.list(Pod, { namespace, labelSelector: "app=members" }).all();
    return items[0]?.spec?.containers[0]?.image === image;
  });
  return ask("rollout", "status", "--timeout=300s");
}

type Asker = (...words: readonly string[]) => Promise<string>;

/** The last line that kubectl prints for an object; earlier lines depend on timing. */
function asker({ kubeconfig, namespace }: World, object: string): Asker {
  return async (...words) => {
    const all = [...words.slice(0, 2), object, ...words.slice(2)];
    const place = ["--kubeconfig", kubeconfig, "--namespace", namespace];
    const { stdout, stderr } = await run(programPath(kubectlProgram), [...place, ...all]).catch((error: unknown) =>
      error instanceof Error && "stderr" in error ? toSaid(error) : Promise.reject(error),
    );
    const said = `${stdout}${stderr}`.trim().replaceAll(/pod-template-hash=[0-9a-z]+/g, "pod-template-hash=H");
    return words[1] === "status" ? (said.split("\n").at(-1) ?? "") : said;
  };
}

function toSaid(error: object): { readonly stdout: string; readonly stderr: string } {
  const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
  return { stdout, stderr: `${stderr}(refused)` };
}

/** The history after the controller has seen the revision; kubectl does not wait for that. */
async function historyAt({ client, namespace }: World, ask: Asker, revision: string): Promise<string> {
  await until(`revision ${revision} is known`, async () => {
    const { metadata } = await client.get(Deployment, { namespace, name: "undone" });
    return metadata.annotations?.[REVISION] === revision;
  });
  return ask("rollout", "history");
}

/** The ReplicaSets once the Deployment is complete at a revision. */
async function settledSets({ client, namespace }: World, revision: string): Promise<object> {
  const found = await until(`revision ${revision} alone has pods`, async () => {
    const { items } = await client.list(ReplicaSet, { namespace, labelSelector: "app=undone" }).all();
    const hasSettled = items.every(({ metadata, spec, status }) => {
      const wanted = metadata.annotations?.[REVISION] === revision ? 3 : 0;
      return spec?.replicas === wanted && status?.replicas === wanted && (status.readyReplicas ?? 0) === wanted;
    });
    return hasSettled && items;
  });
  return found
    .map(({ metadata: { annotations }, spec, status }) => ({
      annotations,
      image: spec?.template?.spec?.containers[0]?.image,
      replicas: status?.replicas,
    }))
    .sort((a, b) => ((a.image ?? "") < (b.image ?? "") ? -1 : 1));
}
