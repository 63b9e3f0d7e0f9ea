import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";

/** Something that is done to a cluster of three, and how one sees that it is over. */
interface Harm {
  readonly name: string;
  readonly do: (scene: Scene) => Promise<void>;
  /** Whether it has shown, so that recovery is not mistaken for calm. */
  readonly hasShown: (scene: Scene) => Promise<boolean>;
}

interface PodSeen {
  readonly metadata: { readonly uid: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function podOf(scene: Scene, member: string): Promise<PodSeen | undefined> {
  return (await scene.kube.get(scene.path("pods", member))) as PodSeen | undefined;
}

/** Another pod of that name serves. */
async function isBack(scene: Scene, member: string, uid: string | undefined): Promise<boolean> {
  const pod = await podOf(scene, member);
  const isReady = pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  return isReady && pod?.metadata.uid !== uid;
}

/** Ends pods, with their volumes if asked, and tells when others serve in their place. */
function endPods(name: string, choose: (members: readonly string[]) => readonly string[], withVolume: boolean): Harm {
  const ended = new Map<string, string | undefined>();
  return {
    name,
    do: async (scene) => {
      ended.clear();
      const members = (await scene.cluster()).status?.members?.map((member) => member.name) ?? [];
      const chosen = choose(members);
      for (const member of chosen) ended.set(member, (await podOf(scene, member))?.metadata.uid);
      if (withVolume)
        await Promise.all(
          chosen.map((member) => scene.kube.remove(scene.path("persistentvolumeclaims", `data-${member}`))),
        );
      await Promise.all(chosen.map((member) => scene.kube.remove(scene.path("pods", member), 0)));
    },
    hasShown: async (scene) => {
      const { members = [] } = (await scene.cluster()).status ?? {};
      if (withVolume) return !members.some(({ name: member }) => ended.has(member));
      const back = await Promise.all([...ended].map(([member, uid]) => isBack(scene, member, uid)));
      return back.every(Boolean);
    },
  };
}

function whileOperatorIsDead(harm: Harm): Harm {
  return {
    ...harm,
    do: async (scene) => {
      await scene.killOperator();
      await harm.do(scene);
      scene.startOperator();
    },
  };
}

const HARMS: readonly Harm[] = [
  endPods("a member is killed", ([first = ""]) => [first], false),
  endPods("two of three are killed", ([, ...others]) => others, false),
  endPods("all are killed", (members) => members, false),
  endPods("a pod and its volume are deleted", ([, second = ""]) => [second], true),
  whileOperatorIsDead(endPods("the operator and a member are killed", ([first = ""]) => [first], false)),
  endPods("all volumes but one are deleted", ([, ...others]) => others, true),
];

for (const [name, start] of Object.entries(GROUNDS)) {
  test(`${name}: a cluster heals from every harm without hands`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await scene.apply({ size: 3, version: "3.6.16" });
    const born = await scene.settled("three members are well");
    for (const [at, harm] of HARMS.entries()) {
      await scene.put(`kept-${at}`, "yes");
      const began = performance.now();
      await harm.do(scene);
      await scene.until(`${harm.name}: it shows`, () => harm.hasShown(scene));
      const healed = await scene.settled(`${harm.name}: three members are well again`);
      t.diagnostic(`${name} | ${harm.name} | ${Math.round((performance.now() - began) / 1000)} s`);
      assert.equal(healed.status?.clusterId, born.status?.clusterId, harm.name);
      for (let key = 0; key <= at; key++)
        assert.equal(await scene.read(`kept-${key}`), "yes", `${harm.name}: kept-${key}`);
    }
    const { status } = await scene.cluster();
    assert.equal(status?.recovery?.phase, "Done");
    assert.match(status?.recovery?.mayBeLost ?? "", /writes after revision/u);
  });
}
