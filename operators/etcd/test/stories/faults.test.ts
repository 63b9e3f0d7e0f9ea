import assert from "node:assert/strict";
import { test } from "node:test";
import { diceOf } from "./dice.ts";
import { GROUNDS } from "./ground.ts";
import { plannedHarms } from "./harms/index.ts";
import type { Planned } from "./harms/index.ts";
import { record } from "./results.ts";
import { Scene } from "./scene.ts";
import type { ClusterSpec } from "./scene.ts";
import { tryHarm } from "./trial.ts";

/** How often each harm is tried: none means once, and only those that every change is tried with. */
const REPEATS = Number(process.env["ETCD_FAULTS_REPEATS"] ?? 0);
const SEED = process.env["ETCD_FAULTS_SEED"] ?? "1";
/** Only harms and grounds whose names contain this. */
const ONLY = process.env["ETCD_FAULTS_ONLY"] ?? "";

/** Small enough to be filled, quick enough to find bits that change, impatient enough for a test. */
const SPEC: ClusterSpec = {
  size: 3,
  version: "3.6.16",
  options: { "quota-backend-bytes": "67108864", "corrupt-check-time": "5s" },
  recovery: { replaceAfter: "30s" },
};

for (const [name, start] of Object.entries(GROUNDS)) {
  const planned = plannedHarms(REPEATS > 0 ? 1 : 0.25).filter((plan) => isMeant(plan, name));
  if (planned.length === 0) continue;
  test(`${name}: under load, a cluster heals from every harm without hands, and no acknowledged write is lost`, async (t) => {
    const scene = await Scene.open(t, await start(t, [], { isBreakable: true }));
    await scene.apply(SPEC);
    for (let repeat = 0; repeat < Math.max(1, REPEATS); repeat++) {
      for (const { harm } of planned) {
        const dice = diceOf(SEED, name, harm.name, repeat);
        const edit = repeat % 2 === 1 ? { edit: () => scene.apply(edited(repeat)) } : {};
        await scene.apply(SPEC);
        const result = await tryHarm(scene, { harm, dice, repeat, ...edit });
        await record(result);
        const { seconds, secondsWithoutWrite, detail, lost } = result;
        t.diagnostic(
          `${name} | ${harm.name} | ${detail} | ${seconds.toFixed(1)} s | ${secondsWithoutWrite.toFixed(1)} s | ${lost} lost`,
        );
        if (harm.fate === "survives") assert.equal(lost, 0);
      }
    }
  });
}

function isMeant({ harm, always }: Planned, ground: string): boolean {
  const isAsked = REPEATS > 0 || always.some((one) => one === ground);
  return isAsked && `${ground}: ${harm.name}`.includes(ONLY);
}

/** Another form for every member: they are made anew one after the other. */
function edited(repeat: number): ClusterSpec {
  const options = { ...(SPEC["options"] as object), "snapshot-count": String(10_000 + repeat) };
  return { ...SPEC, options };
}
