/** The story of all faults on one cluster, one after the other, each at a random moment. */
import type { TestContext } from "node:test";
import { backlogOf, timesTried } from "./backlog.ts";
import type { Attempt } from "./backlog.ts";
import { diceOf } from "./dice.ts";
import { GROUNDS } from "./ground.ts";
import type { Ground } from "./ground.ts";
import { plannedHarms } from "./harms/index.ts";
import { REFUSALS, tryRefusal } from "./refusals.ts";
import type { Refusal } from "./refusals.ts";
import { record, recordedResults } from "./results.ts";
import { Scene } from "./scene.ts";
import type { ClusterSpec } from "./scene.ts";
import { tryHarm } from "./trial.ts";
import type { Trial } from "./trial.ts";

/** How often each fault is tried, earlier records included. 0: once, and only the faults of every CI run. */
const REPEATS = Number(process.env["ETCD_FAULTS_REPEATS"] ?? 0);
const SEED = process.env["ETCD_FAULTS_SEED"] ?? "1";
/** Only the cases that match: `kubernetes:` or `the leader`. */
const ONLY = new RegExp(process.env["ETCD_FAULTS_ONLY"] ?? "", "u");
/** No trial begins after this many minutes; the next run tries the remaining ones. */
const MINUTES = Number(process.env["ETCD_FAULTS_MINUTES"] ?? Number.POSITIVE_INFINITY);

/** A small quota, frequent corruption checks and short timeouts, for a test. */
const SPEC: ClusterSpec = {
  size: 3,
  version: "3.6.16",
  options: { "quota-backend-bytes": "67108864", "corrupt-check-time": "5s" },
  recovery: { replaceAfter: "30s" },
};

/** The story for one cluster. */
export interface FaultStory {
  readonly title: string;
  readonly skip: string | false;
  readonly tell: (t: TestContext) => Promise<void>;
}

/** The trials of a cluster: a part of them in every CI run, all of them on request. */
export async function faultStory(name: Ground["name"]): Promise<FaultStory> {
  const before = await recordedResults();
  const harms = plannedHarms(REPEATS > 0 ? 1 : 0.25)
    .filter(({ harm, always }) => isMeant({ name: harm.name, always }, name))
    .map(({ harm }) => harm);
  const refusals = REFUSALS.filter((refusal) => isMeant(refusal, name));
  const left = <Case extends { readonly name: string }>(cases: readonly Case[]): readonly Attempt<Case>[] =>
    backlogOf(cases, (one) => timesTried(before, name, one.name), Math.max(1, REPEATS));
  const [trials, refused] = [left(harms), left(refusals)];
  return {
    title: `${name}: under load, a cluster heals from every harm without hands, and no acknowledged write is lost`,
    skip: trials.length + refused.length === 0 && "nothing is left to tell here of what was asked for",
    tell: async (t) => {
      const scene = await Scene.open(t, await GROUNDS[name](t, [], { isBreakable: true }));
      const end = performance.now() + MINUTES * 60_000;
      for (const { of: harm, repeat } of trials)
        if (performance.now() < end) await repeatHarm(t, scene, { harm, repeat });
      for (const { of: refusal } of refused) if (performance.now() < end) await repeatRefusal(t, scene, refusal);
    },
  };
}

async function repeatRefusal(t: TestContext, scene: Scene, refusal: Refusal): Promise<void> {
  await scene.apply(template);
  const words = await tryRefusal(scene, refusal);
  const { name, mendedBy } = refusal;
  await record({ kind: "refusal", name, ground: scene.ground.name, mendedBy, words });
  t.diagnostic(`${scene.ground.name} | ${name} | ${words}`);
}

async function repeatHarm(
  t: TestContext,
  scene: Scene,
  { harm, repeat }: Pick<Trial, "harm" | "repeat">,
): Promise<void> {
  const { name } = scene.ground;
  const dice = diceOf(SEED, name, harm.name, repeat);
  const edit = repeat % 2 === 1 && harm.only !== "at rest" ? { edit: () => scene.apply(nextForm()) } : {};
  await scene.apply(template);
  const result = await tryHarm(scene, { harm, dice, repeat, ...edit });
  await record(result);
  const { seconds, secondsWithoutWrite, detail, lost } = result;
  t.diagnostic(
    `${name} | ${harm.name} | ${detail} | ${seconds.toFixed(1)} s | ${secondsWithoutWrite.toFixed(1)} s | ${lost} lost`,
  );
}

interface Candidate {
  readonly name: string;
  readonly always: readonly string[];
}

/** Whether a case is tried on a cluster in this run. */
function isMeant({ name, always }: Candidate, ground: string): boolean {
  return (REPEATS > 0 || always.includes(ground)) && ONLY.test(`${ground}: ${name}`);
}

/** The current spec; another template recreates every member, one after the other. */
let template = SPEC;

function nextForm(): ClusterSpec {
  const options = template["options"] as { readonly [flag: string]: string };
  const count = Number(options["snapshot-count"] ?? 10_000) + 1;
  template = { ...SPEC, options: { ...options, "snapshot-count": String(count) } };
  return template;
}
