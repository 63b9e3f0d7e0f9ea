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

const uidOf = async (scene: Scene, member: string): Promise<string | undefined> =>
  (await scene.kube.get(scene.path("pods", member)))?.metadata.uid;

/** Ends pods, with their volumes if asked, and tells when none of them is the one that it was. */
function endPods(name: string, choose: (members: readonly string[]) => readonly string[], withVolume: boolean): Harm {
  const ended = new Map<string, string | undefined>();
  return {
    name,
    do: async (scene) => {
      ended.clear();
      const members = (await scene.cluster()).status?.members?.map((member) => member.name) ?? [];
      const chosen = choose(members);
      for (const member of chosen) ended.set(member, await uidOf(scene, member));
      if (withVolume)
        await Promise.all(
          chosen.map((member) => scene.kube.remove(scene.path("persistentvolumeclaims", `data-${member}`))),
        );
      await Promise.all(chosen.map((member) => scene.kube.remove(scene.path("pods", member), 0)));
    },
    hasShown: async (scene) => {
      const now = await Promise.all([...ended].map(async ([member, uid]) => (await uidOf(scene, member)) !== uid));
      return now.every(Boolean);
    },
  };
}

const HARMS: readonly Harm[] = [
  endPods("a member is killed", ([first = ""]) => [first], false),
  endPods("two of three are killed", ([, ...others]) => others, false),
  endPods("all are killed", (members) => members, false),
  endPods("a pod and its volume are deleted", ([, second = ""]) => [second], true),
  {
    name: "the operator is killed and a member with it",
    do: async (scene) => {
      await scene.killOperator();
      const [member = ""] = (await scene.cluster()).status?.members?.map(({ name }) => name) ?? [];
      await scene.kube.remove(scene.path("pods", member), 0);
      scene.startOperator();
    },
    hasShown: async () => true,
  },
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
