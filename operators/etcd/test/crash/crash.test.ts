/** The operator is killed between any two of its writes, with real members. The end state is the same as without crashes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { GROUNDS } from "../stories/ground.ts";
import type { Ground } from "../stories/ground.ts";
import { openKube } from "../stories/kube.ts";
import type { Kube } from "../stories/kube.ts";
import { isSettled, Scene } from "../stories/scene.ts";
import type { ClusterObject } from "../stories/scene.ts";
import { startClients } from "./clients.ts";
import type { Clients } from "./clients.ts";
import { record } from "./record.ts";
import { Toll } from "./toll.ts";

/** An event in a cluster while its operator is killed after every write. */
interface Episode {
  readonly name: string;
  readonly change?: { readonly size?: number; readonly version?: string };
  /** The members that lose their pods and claims, all at once. */
  readonly lose?: (members: readonly string[]) => readonly string[];
  /** The quorum is lost, and with it the data that only the lost members had. */
  readonly isQuorumLost?: boolean;
}

const BIRTH = "is born";

/** Played one after the other on one cluster. */
const EPISODES: readonly Episode[] = [
  { name: BIRTH },
  { name: "loses its quorum", lose: ([, ...others]) => others, isQuorumLost: true },
  { name: "loses a volume", lose: ([first = ""]) => [first] },
  { name: "is updated", change: { version: "3.6.16" } },
  { name: "grows", change: { size: 5 } },
  { name: "shrinks", change: { size: 3 } },
  { name: "sleeps", change: { size: 0 } },
  { name: "wakes", change: { size: 3 } },
];

/** The operator restarts many times, which takes long on a busy machine. */
const PATIENCE = 900_000;

/** Deletes the pods and claims of the episode; returns the names of the lost members. */
async function harm(scene: Scene, kube: Kube, { lose }: Episode): Promise<readonly string[]> {
  const lost = lose?.(await namesOf(scene)) ?? [];
  await Promise.all(lost.map((member) => kube.remove(scene.path("persistentvolumeclaims", `data-${member}`))));
  await Promise.all(lost.map((member) => kube.remove(scene.path("pods", member), 0)));
  return lost;
}

async function namesOf(scene: Scene): Promise<string[]> {
  return ((await scene.cluster()).status?.members ?? []).map(({ name }) => name);
}

/** The operator restarts often. A killed process cannot write the compile cache, so one complete run fills it first. */
async function compileOnce(folder: string): Promise<void> {
  process.env["NODE_COMPILE_CACHE"] = folder;
  const program = join(import.meta.dirname, "../stories/operator.ts");
  await promisify(execFile)(process.execPath, ["--conditions=@capstan/source", program, "--help"]);
}

/** A scene whose operator reaches the API server through the toll proxy. */
async function openScene(t: TestContext, ground: Ground): Promise<{ scene: Scene; toll: Toll; kube: Kube }> {
  const ownKubeconfig = join(ground.folder, "toll.kubeconfig");
  let scene: Scene | undefined;
  const strike = async (): Promise<void> => {
    await scene?.killOperator();
    scene?.startOperator();
  };
  await compileOnce(join(ground.folder, "compiled"));
  const toll = await Toll.open({ kubeconfig: ground.kubeconfig, ownKubeconfig, strike });
  t.after(() => toll[Symbol.asyncDispose]());
  scene = await Scene.open(t, { ...ground, kubeconfig: ownKubeconfig });
  return { scene, toll, kube: await openKube(ground.kubeconfig) };
}

/** `CAPSTAN_EPISODES=all`, or names with commas, on both clusters; otherwise the most delicate episode on the embedded one. */
const asked = process.env["CAPSTAN_EPISODES"];
const isWhole = asked === "all";
const named = asked?.split(",") ?? ["loses its quorum"];
const episodes = EPISODES.filter(({ name }) => isWhole || named.includes(name));
const grounds = asked === undefined ? [["embedded", GROUNDS.embedded] as const] : Object.entries(GROUNDS);

for (const [name, start] of grounds) {
  test(`${name}: a crash between any two writes: ${episodes.map((one) => one.name).join(", ")}`, async (t) => {
    const { scene, toll, kube } = await openScene(t, await start(t));
    const spec = { size: 3, version: "3.5.35" };
    let identity = isWhole ? undefined : await giveBirth(scene, spec);
    let clients: Clients | undefined;
    t.after(() => clients?.[Symbol.asyncDispose]());
    for (const episode of episodes) {
      if (identity !== undefined) clients ??= await startClients(scene, episode.name);
      const [began, before, written] = [performance.now(), toll.deaths.length, toll.writes];
      toll.close();
      await scene.apply(Object.assign(spec, episode.change));
      const lost = await harm(scene, kube, episode);
      const { status } = await over(scene, episode.name, lost);
      toll.lift();
      const seconds = (performance.now() - began) / 1000;
      assert.equal(status?.clusterId, (identity ??= status?.clusterId), `${episode.name}: still the same cluster`);
      const deaths = toll.deaths.slice(before);
      const figures = { seconds, writes: toll.writes - written, deaths, answers: 0, lost: 0 };
      if (spec.size > 0) {
        await assertKept(scene, episode.name);
        Object.assign(figures, await clients?.judge(episode.isQuorumLost === true));
        await clients?.[Symbol.asyncDispose]();
        clients = undefined;
      }
      assert.ok(deaths.length >= 2, `${episode.name}: the operator died before ${deaths.join(", ")}`);
      t.diagnostic(`${name} | ${episode.name} | ${JSON.stringify({ ...figures, deaths: deaths.length })}`);
      await record({ ground: scene.ground.name, episode: episode.name, ...figures });
    }
  });
}

/** Waits until all lost members are replaced and nothing is left to do. */
async function over(scene: Scene, what: string, lost: readonly string[]): Promise<ClusterObject> {
  const look = async (): Promise<ClusterObject | false> => {
    const now = await scene.cluster();
    const isAnyLeft = (now.status?.members ?? []).some(({ name }) => lost.includes(name));
    return !isAnyLeft && isSettled(now) && now;
  };
  return await scene.until(`it ${what}`, look, PATIENCE);
}

/** Bootstraps a cluster without crashes. */
async function giveBirth(scene: Scene, spec: { readonly size: number; readonly version: string }) {
  await scene.apply(spec);
  const { status } = await scene.settled("three members are well");
  await scene.put(`after/${BIRTH}`, "kept");
  return status?.clusterId;
}

/** Checks that keys acknowledged after earlier episodes still exist. */
async function assertKept(scene: Scene, episode: string): Promise<void> {
  await scene.put(`after/${episode}`, "kept");
  for (const name of new Set([BIRTH, ...episodes.map((one) => one.name)])) {
    if (name !== "sleeps") assert.equal(await scene.read(`after/${name}`), "kept", `after it ${name}`);
    if (name === episode) return;
  }
}
