/** The two clusters of every story: the embedded one with real pods, and a real Kubernetes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Breakage } from "./breakage.ts";
import { startEmbedded } from "./embedded.ts";
import { startKubernetes } from "./kubernetes.ts";

/** The cluster of a story. */
export interface Ground {
  readonly name: "embedded" | "kubernetes";
  readonly kubeconfig: string;
  readonly namespace: string;
  /** The socket of a forwarder into the network of the pods. */
  readonly socket: string;
  readonly folder: string;
  /** The functions that break it. */
  readonly breakage: Breakage;
}

export const IMAGE = "capstan.test/etcd:{version}";
const IMAGES = ["etcd-3.5", "etcd-3.6", "etcd-3.7", "busybox"];

/** What a story needs of its cluster in addition to the images that all stories need. */
export interface GroundWish {
  /** Archives of more images. */
  readonly archives: readonly string[];
  /** An exclusive cluster of three nodes, so that the story may break nodes and the API server. */
  readonly isBreakable: boolean;
}

/** The parts of a ground. */
export interface GroundParts extends GroundWish {
  readonly folder: string;
  readonly images: readonly string[];
}

export type StartGround = (
  test: TestContext,
  archives?: readonly string[],
  wish?: Partial<GroundWish>,
) => Promise<Ground>;

export const GROUNDS: { readonly [name in Ground["name"]]: StartGround } = {
  embedded: async (test, archives = [], wish = {}) => await startEmbedded(test, await partsOf(test, archives, wish)),
  kubernetes: async (test, archives = [], wish = {}) =>
    await startKubernetes(test, await partsOf(test, archives, wish)),
};

/** The clusters of the longest stories: the embedded one, with `CAPSTAN_STORIES=kubernetes` the real one, with `all` both. */
export const LONG_STORY_GROUNDS: readonly (readonly [Ground["name"], StartGround])[] = longStoryGrounds(
  process.env["CAPSTAN_STORIES"],
);

function longStoryGrounds(names: string = "embedded"): readonly (readonly [Ground["name"], StartGround])[] {
  const grounds = Object.entries(GROUNDS) as [Ground["name"], StartGround][];
  const found = grounds.filter(([name]) => names === "all" || names === name);
  if (found.length === 0) throw new Error(`CAPSTAN_STORIES is ${names}: write embedded, kubernetes or all`);
  return found;
}

async function partsOf(
  test: TestContext,
  archives: readonly string[],
  { isBreakable = false }: Partial<GroundWish>,
): Promise<GroundParts> {
  const folder = await mkdtemp(join(tmpdir(), "etcd-story-"));
  test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return { folder, images: IMAGES, archives, isBreakable };
}
