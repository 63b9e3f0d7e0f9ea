/**
 * The original manager, built from its Go module, against its own recorded answers, and our manager in the scenarios that wait long.
 * `CAPSTAN_RECORD=1` records the answers again.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepEqual } from "@capstan/model";
import { type Answers, readAnswers, writeAnswers } from "./olm/answers.ts";
import { runScenario } from "./olm/driver.ts";
import { startOriginal } from "./olm/original.ts";
import type { Managed } from "./olm/ours.ts";
import { replay } from "./olm/replay.ts";
import type { Answer, Snapshot } from "./olm/scenario.ts";
import { scenarioFiles, scenarios, slowScenarios } from "./olm/scenarios.ts";

const isRecording = process.env["CAPSTAN_RECORD"] === "1";
/** How long nothing may change before a pause ends: longer while something is under way. */
const QUIET = 6_500;
const LONG_QUIET = 25_000;
const LIMIT = 120_000;

for (const file of scenarioFiles) {
  describe(`the original: ${file}`, () => {
    let managed: Managed | undefined;
    const known = isRecording ? {} : readAnswers(file);
    const seen: { [scenario: string]: Answer } = {};
    before(async () => {
      managed = await startOriginal();
    });
    after(async () => {
      await managed?.[Symbol.asyncDispose]();
      if (isRecording) writeAnswers(file, seen satisfies Answers);
    });
    for (const scenario of scenarios[file].filter(({ name }) => isRecording || known[name] !== undefined)) {
      test(`${scenario.name}: ${scenario.about}`, async () => {
        assert.ok(managed);
        const answer = await runScenario(managed.place, scenario, (look, at) =>
          settle(look, known[scenario.name]?.[at]),
        );
        seen[scenario.name] = answer;
        if (!isRecording) assert.deepEqual(answer, known[scenario.name]);
      });
    }
  });
}

for (const file of scenarioFiles) describe(`ours, slowly: ${file}`, () => replay(file, slowScenarios(file)));

/** Waits until the objects are as they were recorded, or until nothing changes any more. */
async function settle(look: () => Promise<Snapshot>, known: Snapshot | undefined): Promise<Snapshot> {
  const end = performance.now() + LIMIT;
  let last = await look();
  for (let since = performance.now(); ;) {
    if (known !== undefined && isDeepEqual(last, known)) return last;
    await pause(700);
    const next = await look();
    if (!isDeepEqual(next, last)) since = performance.now();
    last = next;
    const quiet = performance.now() - since;
    if (performance.now() > end || quiet > (isUnderWay(last) ? LONG_QUIET : QUIET)) return last;
  }
}

interface WithStatus {
  readonly status?: { readonly phase?: string; readonly state?: string };
}

function isUnderWay(snapshot: Snapshot): boolean {
  return Object.entries(snapshot).some(([key, object]) => {
    const { status = {} } = object as WithStatus;
    const kind = key.split(" ")[0];
    if (kind === "ClusterServiceVersion") return !["Succeeded", "Failed"].includes(status.phase ?? "");
    if (kind === "InstallPlan") return !["Complete", "Failed", "RequiresApproval"].includes(status.phase ?? "");
    return kind === "Subscription" && status.state !== "AtLatestKnown";
  });
}
