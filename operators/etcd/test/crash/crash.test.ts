/** The operator is killed between any two of its writes, with real members, and everything ends as if it had lived. */
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
import { Scene } from "../stories/scene.ts";
import { Toll } from "./toll.ts";

/** Something that happens to a cluster while its operator dies behind every write. */
interface Episode {
  readonly name: string;
  readonly change?: { readonly [field: string]: unknown };
  readonly harm?: (scene: Scene, kube: Kube) => Promise<void>;
  readonly isOver: (members: readonly string[]) => boolean;
}

/** Pods and claims of members, gone at once. */
function lose(choose: (members: readonly string[]) => readonly string[]): NonNullable<Episode["harm"]> {
  return async (scene, kube) => {
    const members = await namesOf(scene);
    const lost = choose(members);
    await Promise.all(lost.map((member) => kube.remove(scene.path("persistentvolumeclaims", `data-${member}`))));
    await Promise.all(lost.map((member) => kube.remove(scene.path("pods", member), 0)));
  };
}

const BIRTH = "is born";

/** One after the other on one cluster: members are called by the numbers in which they came. */
const EPISODES: readonly Episode[] = [
  { name: BIRTH, isOver: (members) => members.includes("e-2") },
  {
    name: "loses its quorum",
    harm: lose(([, ...others]) => others),
    isOver: (members) => members.join() === "e-0,e-3,e-4",
  },
  {
    name: "loses a volume",
    harm: lose(([first = ""]) => [first]),
    isOver: (members) => members.join() === "e-3,e-4,e-5",
  },
  { name: "is updated", change: { version: "3.6.16" }, isOver: (members) => members.length === 3 },
  { name: "grows", change: { size: 5 }, isOver: (members) => members.length === 5 },
  { name: "shrinks", change: { size: 3 }, isOver: (members) => members.length === 3 },
  { name: "sleeps", change: { size: 0 }, isOver: () => true },
  { name: "wakes", change: { size: 3 }, isOver: (members) => members.length === 3 },
];

async function namesOf(scene: Scene): Promise<string[]> {
  return ((await scene.cluster()).status?.members ?? []).map(({ name }) => name);
}

/** Lives are many and short: what the program is compiled to is kept, which one that is killed could not do itself. */
async function compileOnce(folder: string): Promise<void> {
  process.env["NODE_COMPILE_CACHE"] = folder;
  const program = join(import.meta.dirname, "../stories/operator.ts");
  await promisify(execFile)(process.execPath, ["--conditions=@capstan/source", program, "--help"]);
}

/** A scene whose operator pays the toll. */
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

/** `CAPSTAN_EPISODES=all` takes all of them, on both clusters; else the most delicate one on the embedded one. */
const isWhole = process.env["CAPSTAN_EPISODES"] === "all";
const episodes = isWhole ? EPISODES : EPISODES.filter(({ name }) => name === "loses its quorum");
const grounds = isWhole ? Object.entries(GROUNDS) : [["embedded", GROUNDS.embedded] as const];

for (const [name, start] of grounds) {
  test(`${name}: with an operator that dies between any two of its writes, a cluster ${episodes.map((one) => one.name).join(", ")} as it would with another`, async (t) => {
    const { scene, toll, kube } = await openScene(t, await start(t));
    const spec = { size: 3, version: "3.5.35" };
    let identity = isWhole ? undefined : await giveBirth(scene, spec);
    for (const { name: episode, change = {}, harm, isOver } of episodes) {
      const [began, before, written] = [performance.now(), toll.deaths.length, toll.writes];
      toll.close();
      await scene.apply(Object.assign(spec, change));
      await harm?.(scene, kube);
      await scene.until(`it ${episode}`, async () => isOver(await namesOf(scene)));
      const { status } = await scene.settled(`it ${episode} and is well`);
      toll.lift();
      assert.equal(status?.clusterId, (identity ??= status?.clusterId), `${episode}: still the same cluster`);
      if (spec.size > 0) await assertKept(scene, episode);
      const died = toll.deaths.length - before;
      assert.ok(died >= 2, `${episode}: the operator died ${died} times`);
      t.diagnostic(
        `${name} | ${episode} | ${toll.writes - written} writes, died ${died} times | ${Math.round((performance.now() - began) / 1000)} s`,
      );
    }
  });
}

/** A cluster whose birth nobody disturbs. */
async function giveBirth(scene: Scene, spec: { readonly size: number; readonly version: string }) {
  await scene.apply(spec);
  const { status } = await scene.settled("three members are well");
  await scene.put(`after/${BIRTH}`, "kept");
  return status?.clusterId;
}

/** What was acknowledged after earlier episodes is still there. */
async function assertKept(scene: Scene, episode: string): Promise<void> {
  await scene.put(`after/${episode}`, "kept");
  for (const name of new Set([BIRTH, ...episodes.map((one) => one.name)])) {
    if (name !== "sleeps") assert.equal(await scene.read(`after/${name}`), "kept", `after it ${name}`);
    if (name === episode) return;
  }
}
