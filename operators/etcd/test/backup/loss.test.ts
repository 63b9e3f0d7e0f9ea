/** Backups that count and backups that do not: a broken one never replaces data, and after a total loss only a tried one is restored. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { objectNames } from "../../src/backup/manifest.ts";
import { IMAGE, LONG_STORY_GROUNDS } from "../stories/ground.ts";
import type { StartGround } from "../stories/ground.ts";
import { claimFolder } from "../stories/harms/processes.ts";
import { destroy } from "../stories/harms/pods.ts";
import { memberNames, podOf } from "../stories/harms/seen.ts";
import { isSettled, Scene } from "../stories/scene.ts";
import { buildOperatorImage } from "./images.ts";
import { contentOf, ended, makeClaim, put, read } from "./objects.ts";

const CLAIM = "backups";
const PATH = "etcd";
const store = { volume: { claim: CLAIM, path: PATH } };

/** A cluster with healthy members, some keys, and a PersistentVolumeClaim for backups. */
async function openScene(t: TestContext, start: StartGround): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-images-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const scene = await Scene.open(t, await start(t, [await buildOperatorImage(folder)]));
  await makeClaim(scene, CLAIM);
  await scene.apply({ size: 3, version: "3.6.16" });
  await scene.settled("three members are well");
  for (let at = 0; at < 20; at++) await scene.put(`key/${at}`, `value ${at}`);
  return scene;
}

/** Makes a backup; returns its name in the store. */
async function backUp(scene: Scene, name: string, verify: "checksum" | "restore"): Promise<string> {
  await put(scene, ["EtcdBackup", name], { cluster: scene.name, store, verify });
  const { last } = await ended(scene, ["EtcdBackup", name]);
  assert.equal(last?.verified, verify);
  return last.name;
}

/** The file with the content of a backup, on this machine. */
async function contentFile(scene: Scene, backup: string): Promise<string> {
  return join(await claimFolder(scene, CLAIM), PATH, objectNames(backup).content);
}

async function uidsOf(scene: Scene): Promise<readonly string[]> {
  return (await scene.pods()).map(({ metadata }) => metadata.uid).toSorted();
}

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: a restore in place rejects a broken backup, and the data stays`, async (t) => {
    const scene = await openScene(t, start);
    const backup = await backUp(scene, "spoiled", "checksum");
    await scene.put("later", "not in the backup");
    const [born, before, uids] = [await scene.cluster(), await contentOf(scene), await uidsOf(scene)];
    const file = await contentFile(scene, backup);
    const whole = await readFile(file);
    const inPlace = { cluster: scene.name, overwrite: scene.name, store, backup };

    await truncate(file, Math.floor(whole.length / 2));
    await put(scene, ["EtcdRestore", "broken"], inPlace);
    const { message = "" } = await ended(scene, ["EtcdRestore", "broken"], "Failed");
    assert.match(message, /breaks off after \d+ of \d+ bytes: name another backup/u);
    assert.deepEqual(await uidsOf(scene), uids, "nobody was stopped");

    await writeFile(file, whole);
    await scene.edit({ paused: true });
    await put(scene, ["EtcdRestore", "torn"], inPlace);
    await ended(scene, ["EtcdRestore", "torn"], "Running");
    await truncate(file, Math.floor(whole.length / 2));
    // A member that cannot start with the backup is removed after this time.
    await scene.edit({ paused: false, recovery: { replaceAfter: "15s" } });
    const torn = await ended(scene, ["EtcdRestore", "torn"], "Failed");
    assert.match(torn.message ?? "", /breaks off after \d+ of \d+ bytes/u);
    await scene.edit({ recovery: { replaceAfter: "5m" } });
    const after = await scene.settled("three members are well with what they had");
    assert.equal(after.status?.clusterId, born.status?.clusterId);
    assert.deepEqual(await contentOf(scene), before);
  });

  test(`${name}: after the loss of all volumes the newest tried backup is restored`, async (t) => {
    const scene = await openScene(t, start);
    const before = await contentOf(scene);
    const tried = await backUp(scene, "tried", "restore");
    await scene.put("later", "lost");
    await backUpUntried(scene);
    const members = await memberNames(scene);
    await destroy(scene, members);
    await scene.until("nothing is left of the members", async () => {
      const pods = await Promise.all(members.map((member) => podOf(scene, member)));
      return pods.every((pod) => pod === undefined) && (await scene.claims()).length === 0;
    });
    await scene.edit({ paused: false, image: IMAGE });
    const { status } = await scene.until("three members are well again", async () => {
      const now = await scene.cluster();
      return now.status?.recovery?.phase === "Done" && isSettled(now) && now;
    });
    const { source, reason = "", mayBeLost } = status?.recovery ?? {};
    assert.equal(source, "Backup");
    for (const member of members) assert.ok(reason.includes(member), reason);
    assert.ok(reason.includes(tried), reason);
    assert.equal(mayBeLost, `writes after the backup ${tried}`);
    assert.deepEqual(await contentOf(scene), before);
  });
}

/** A newer backup without a trial: the image of its trial does not exist. The members ignore the image while the cluster is paused. */
async function backUpUntried(scene: Scene): Promise<void> {
  await scene.edit({ paused: true, image: "capstan.test/nowhere:{version}" });
  await put(scene, ["EtcdBackup", "untried"], { cluster: scene.name, store, verify: "restore" });
  await scene.until("the other backup is made and its trial does not begin", async () => {
    const { last } = await read(scene, ["EtcdBackup", "untried"]);
    const label = encodeURIComponent("etcd.capstan.dev/purpose=verify");
    const trials = await scene.kube.list(`${scene.path("pods")}?labelSelector=${label}`);
    return last?.verified === "checksum" && trials.length > 0;
  });
}
