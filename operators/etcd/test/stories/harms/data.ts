/** Damaged data: bits that change on the disk, overwritten files, a full database. */
import { randomBytes } from "node:crypto";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EtcdError } from "../../../src/etcd/index.ts";
import type { Scene } from "../scene.ts";
import type { Harm } from "./harm.ts";
import { dataFolder, emptyData, killProcess } from "./processes.ts";
import { isReplaced, leaderOf, memberNames, podOf, presentLeader } from "./seen.ts";

/** A value changes in the database of a follower, without an error. */
export const BIT_ROT: Harm = {
  name: "bits change in the database of a follower",
  fate: "survives",
  strike: async (scene, dice) =>
    await rot(scene, async () => {
      const leader = await presentLeader(scene);
      return dice.one((await memberNames(scene)).filter((member) => member !== leader));
    }),
};

/** The same for the leader, which then takes all others for corrupt. */
export const LEADER_ROT: Harm = {
  name: "bits change in the database of the leader",
  fate: "survives",
  strike: async (scene) => await rot(scene, () => presentLeader(scene)),
};

/** Damages a value of one member. The operator may replace the chosen member before: then another is chosen. */
async function rot(scene: Scene, choose: () => Promise<string>): ReturnType<Harm["strike"]> {
  for (let tries = 0; tries < 5; tries++) {
    const member = await choose();
    const how = await rotIn(scene, member);
    if (how !== "missed") return { detail: member, hasShown: () => isReplaced(scene, [member]) };
  }
  throw new Error("whoever was to be hit was replaced before, again and again");
}

/**
 * Names of members are never used again, so a removed member is not waited for: `found` when it was damaged and the operator replaced it
 * before the check here.
 */
async function rotIn(scene: Scene, member: string): Promise<"served" | "found" | "missed"> {
  const key = `rot/${randomBytes(4).toString("hex")}`;
  const value = randomBytes(48).toString("hex");
  let places = 0;
  await scene.put(key, value);
  return await scene.until(`${member} serves what was changed`, async () => {
    if (await isReplaced(scene, [member])) return places > 0 ? "found" : "missed";
    places += await overwrite(join(await dataFolder(scene, member), "snap", "db"), value);
    await using client = await scene.member(member);
    const { kvs } = await client.kv.range({ key, serializable: true });
    return kvs[0] !== undefined && kvs[0].value.toString() !== value && "served";
  });
}

/** Changes a text wherever it is in a file; returns the number of places. */
async function overwrite(path: string, text: string): Promise<number> {
  const content = await readFile(path);
  await using file = await open(path, "r+");
  let places = 0;
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
    await file.write("rotten", at);
    places++;
  }
  return places;
}

/** Log and database of a member are overwritten with random bytes, and it restarts. */
export const RUBBISH: Harm = {
  name: "the data of a member is overwritten with rubbish and it restarts",
  fate: "survives",
  only: "at rest",
  strike: async (scene, dice) => {
    const member = dice.one(await memberNames(scene));
    const folder = await dataFolder(scene, member);
    const part = dice.one(["wal", "snap"]);
    for (const file of await readdir(join(folder, part))) await spoil(join(folder, part, file));
    await killProcess(scene, member);
    return { detail: `${member}: ${part}`, hasShown: () => isReplaced(scene, [member]) };
  },
};

/** A program reads the beginning first. */
async function spoil(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.write(randomBytes(16_384), 0, 16_384, 0);
}

/**
 * All members and the operator are stopped; the data of one member is emptied, and that one starts first. With its bootstrap flags it
 * would be a second cluster with the same id.
 */
export const FORGETFUL: Harm = {
  name: "nobody runs, the data of the first member is emptied, and it starts first",
  fate: "survives",
  strike: async (scene) => {
    await scene.killOperator();
    const first = await firstRunning(scene);
    const others = (await scene.pods()).map(({ metadata }) => metadata.name).filter((member) => member !== first);
    for (const member of others) await scene.kube.remove(scene.path("pods", member), 0);
    await scene.until("the others do not run", async () => {
      const pods = await Promise.all(others.map((member) => podOf(scene, member)));
      return pods.every((pod) => pod === undefined);
    });
    const before = await startsOf(scene, first);
    await emptyData(scene, first);
    await scene.until(`${first} has started without its data`, async () => (await startsOf(scene, first)) > before);
    scene.startOperator();
    return { detail: first, hasShown: () => isReplaced(scene, [first]) };
  },
};

/** The first member whose pod is not being deleted. */
async function firstRunning(scene: Scene): Promise<string> {
  const members = await memberNames(scene);
  const staying = (await scene.pods()).filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
  const names = staying.map(({ metadata }) => metadata.name).filter((name) => members.includes(name));
  const [first] = names.toSorted();
  if (first === undefined) throw new Error("no member runs");
  return first;
}

/** The restart count of a member's container. */
async function startsOf(scene: Scene, member: string): Promise<number> {
  return (await podOf(scene, member))?.status?.containerStatuses?.[0]?.restartCount ?? 0;
}

/** One key is written over and over until etcd rejects writes: old revisions have used up the quota. */
export const FULL: Harm = {
  name: "the quota is used up",
  fate: "survives",
  strike: async (scene) => {
    const megabyte = "x".repeat(1_000_000);
    const written = await scene.until("the database is full", async () => await fill(scene, megabyte));
    return {
      detail: `after ${written} MB`,
      hasShown: async () => {
        await using client = await scene.member(await leaderOf(scene));
        await client.kv.put("full", "no more");
        return true;
      },
    };
  },
};

async function fill(scene: Scene, value: string): Promise<number | false> {
  await using client = await scene.member(await leaderOf(scene));
  for (let count = 1; count < 200; count++) {
    try {
      await client.kv.put("full", value);
    } catch (error) {
      if (error instanceof EtcdError && error.code === "NoSpace") return count;
      throw error;
    }
  }
  return false;
}
