/** Runs scenarios against our manager and compares with the recorded answers of the original. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepEqual } from "@capstan/model";
import { readAnswers } from "./answers.ts";
import { withoutDifferences } from "./differences.ts";
import { runScenario } from "./driver.ts";
import { type Managed, startOurs } from "./ours.ts";
import type { Answer, Scenario, Snapshot } from "./scenario.ts";

const LIMIT = 60_000;
const LOOK = 100;

/** Defines a test for each scenario with a recorded answer. */
export function replay(file: string, scenarios: readonly Scenario[]): void {
  const answers = readAnswers(file);
  let managed: Managed | undefined;
  before(async () => {
    managed = await startOurs();
  });
  after(() => managed?.[Symbol.asyncDispose]());
  for (const scenario of scenarios.filter(({ name }) => answers[name] !== undefined)) {
    const { name, about } = scenario;
    test(`${name}: ${about}`, async () => {
      assert.ok(managed);
      const answer = answers[name];
      assert.ok(answer);
      await runScenario(managed.place, scenario, (look, at) => untilAs(answer, { look, at, name }));
    });
  }
}

interface Waiting {
  readonly look: () => Promise<Snapshot>;
  readonly at: number;
  readonly name: string;
}

/** Waits until everything is as the original had it, and fails with the difference. */
async function untilAs(answer: Answer, { look, at, name }: Waiting): Promise<Snapshot> {
  const wanted = withoutDifferences(answer[at] ?? {}, name);
  const end = performance.now() + LIMIT;
  for (;;) {
    const seen = withoutDifferences(await look(), name);
    if (isDeepEqual(seen, wanted)) return seen;
    if (performance.now() > end) assert.deepEqual(seen, wanted, `pause ${at + 1}`);
    await pause(LOOK);
  }
}
