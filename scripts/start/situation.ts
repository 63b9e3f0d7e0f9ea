/** Determines how the pods of the demonstration can run here: from an image of the store, a registry or this machine, or not at all. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { inspectMachine } from "@capstan/node";
import {
  buildProgramImage,
  formatReference,
  parseReference,
  platformOf,
  pullImage,
  RegistrySession,
  type Store,
} from "@capstan/oci";

/** How pods run, and the reason. */
export type Situation =
  | { readonly pods: "real"; readonly image: "registry" | "store" | "machine" }
  | { readonly pods: "simulated"; readonly why: string };

/** The environment to inspect. */
export interface Surroundings {
  readonly machine: Parameters<typeof inspectMachine>[0] & Parameters<typeof platformOf>[0];
  readonly inspect: typeof inspectMachine;
  readonly env: { readonly [name: string]: string | undefined };
  /** The images of this user; undefined without a folder for them. */
  readonly store: Store | undefined;
  readonly fetch: typeof fetch;
}

/** A program that needs an image. */
export interface Wanted {
  /** The image of the pods. */
  readonly image: string;
  /** The name of the installed program. */
  readonly program: string;
}

/** Inspects the environment, and gets the image if possible. */
export async function findSituation(wanted: Wanted, around: Surroundings): Promise<Situation> {
  const { canRunPods, findings } = await around.inspect(around.machine);
  if (!canRunPods) {
    const lacking = findings.filter(({ ok }) => !ok).map(({ what, remedy }) => `${what} (${remedy ?? "needed"})`);
    return { pods: "simulated", why: `this machine cannot run real ones: ${lacking.join(", ")}` };
  }
  const { store } = around;
  if (store === undefined) return { pods: "simulated", why: "there is no place for images: HOME is not set" };
  const name = formatReference(parseReference(wanted.image));
  if ((await store.find(name)) !== undefined) return { pods: "real", image: "store" };
  if (await tryPull(wanted.image, store, around)) return { pods: "real", image: "registry" };
  if (await tryBuild(wanted, store, around)) return { pods: "real", image: "machine" };
  const why = `no registry is in reach, ${wanted.image} is not in the local store, and ${wanted.program} is not installed`;
  return { pods: "simulated", why };
}

/** The text for users. */
export function describeSituation(situation: Situation, { image, program }: Wanted): string {
  if (situation.pods === "simulated")
    return `its pods are simulated (they become ready and serve no traffic): ${situation.why}`;
  const sources = {
    registry: `${image} came from its registry`,
    store: `${image} is in the local store`,
    machine: `no registry is in reach, so ${image} was made from this machine's ${program}`,
  } as const;
  return `its pods are real programs: ${sources[situation.image]}`;
}

/** The limit for the first response of a registry, in milliseconds. */
const PATIENCE = 3000;

async function tryPull(image: string, store: Store, { fetch: ask, machine }: Surroundings): Promise<boolean> {
  const reference = parseReference(image);
  const session = new RegistrySession(reference.registry, {
    fetch: (url, init) => answered(ask, url, init),
    credentials: async () => undefined,
    wait: () => Promise.reject(new Error("the registry does not answer")),
  });
  try {
    await pullImage(reference, { store, session, platform: platformOf(machine) });
    return true;
  } catch {
    return false;
  }
}

/** A response that must begin soon; the body may take long. */
async function answered(ask: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), PATIENCE);
  try {
    return await ask(url, { ...init, signal: ending.signal });
  } finally {
    clearTimeout(timer);
  }
}

async function tryBuild({ image, program }: Wanted, store: Store, { env, machine }: Surroundings): Promise<boolean> {
  const path = findProgram(program, env["PATH"] ?? "");
  if (path === undefined) return false;
  await buildProgramImage({ program: path, name: image, machine }, store);
  return true;
}

function findProgram(name: string, searched: string): string | undefined {
  const folders = searched.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
