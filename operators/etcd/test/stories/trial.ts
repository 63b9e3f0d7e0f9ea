/** One fault, once, at a random moment, while clients write and read; and its result. */
import assert from "node:assert/strict";
import { startWorkload } from "../linearizability/workload.ts";
import type { Workload } from "../linearizability/workload.ts";
import { diceOf } from "./dice.ts";
import type { Dice } from "./dice.ts";
import type { Blow, Harm } from "./harms/harm.ts";
import { followRecovery, lostWrites } from "./lost-writes.ts";
import type { TrialResult } from "./results.ts";
import type { Scene } from "./scene.ts";

/** Options of a trial. */
export interface Trial {
  readonly harm: Harm;
  readonly dice: Dice;
  readonly repeat: number;
  /** Changes the spec shortly before, so that the fault happens while the operator works; undefined: while it is idle. */
  readonly edit?: () => Promise<void>;
}

export async function tryHarm(scene: Scene, trial: Trial): Promise<TrialResult> {
  const { harm, dice, repeat, edit } = trial;
  const born = await scene.settled(`calm before: ${harm.name}`);
  const load = startWorkload({
    ...(await scene.ways()),
    prefix: `${harm.name}/${repeat}/`,
    clients: 4,
    keys: 4,
    timeoutMs: 2_000,
    paceMs: 60,
    random: diceOf(dice.seed, "load").throw,
  });
  let report: ReturnType<Workload["stop"]> | undefined;
  const stop = (): ReturnType<Workload["stop"]> => (report ??= load.stop());
  try {
    await scene.until("clients are served", async () => load.served());
    await edit?.();
    await dice.pause(0, edit === undefined ? 3 : 15);
    load.step(harm.name);
    using recovery = followRecovery(scene);
    const began = performance.now();
    const blow = await harm.strike(scene, dice);
    const seconds = await recover(scene, { trial, blow, load, began });
    const { status } = await scene.cluster();
    assert.equal(status?.clusterId, born.status?.clusterId, `${harm.name}: it is the same cluster`);
    const { history, steps, verdict } = await stop();
    const lost = harm.fate === "recovers" ? await lostWrites(scene, history, recovery.noticed()) : 0;
    if (harm.fate === "survives") assert.equal(verdict.ok, true, complaint(trial, verdict));
    const step = steps.find(({ name }) => name === harm.name);
    return {
      kind: "trial",
      harm: harm.name,
      ground: scene.ground.name,
      seed: dice.seed,
      detail: blow.detail,
      operatorWas: edit === undefined ? "at rest" : "at work",
      seconds,
      secondsWithoutWrite: (step?.longestWriteGapMs ?? 0) / 1000,
      answers: history.filter(({ ended }) => Number.isFinite(ended)).length,
      lost,
      ...(harm.fate === "recovers" ? { recovery: explanationOf(status?.recovery) } : {}),
    };
  } finally {
    // The earlier failure is the one to report.
    await stop().catch(() => undefined);
  }
}

interface Recovery {
  readonly trial: Trial;
  readonly blow: Blow;
  readonly load: Workload;
  readonly began: number;
}

/**
 * Waits until the cluster is healthy again; returns the seconds since the fault, or since the repair of what the operator cannot repair.
 */
async function recover(scene: Scene, { trial, blow, load, began }: Recovery): Promise<number> {
  const what = `${trial.harm.name} (${blow.detail}; ${trial.dice.seed})`;
  await scene.until(`${what}: it shows`, () => blow.hasShown());
  await blow.mend?.();
  const from = blow.mend === undefined ? began : performance.now();
  await scene.settled(`${what}: three members are well again`);
  load.step(`after ${trial.harm.name}`);
  await scene.until(`${what}: clients are served`, async () => load.served());
  const seconds = (performance.now() - from) / 1000;
  await blow.returns?.();
  await scene.settled(`${what}: three members are well when what was lost is back`);
  return seconds;
}

function explanationOf(recovery: { readonly reason: string; readonly mayBeLost?: string } | undefined) {
  return { reason: recovery?.reason ?? "", mayBeLost: recovery?.mayBeLost ?? "" };
}

function complaint({ dice }: Trial, majority: object): string {
  return `${dice.seed}: ${JSON.stringify(majority)}`;
}
