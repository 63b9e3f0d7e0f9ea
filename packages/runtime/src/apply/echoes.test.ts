import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import { VirtualClock } from "../testing/index.ts";
import { echoCauseOf, Echoes, type EchoCause } from "./echoes.ts";

const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
const budget = { writes: 2, within: 60_000 };

function start() {
  const clock = new VirtualClock();
  const echoes = new Echoes({ clock, budget });
  const write = (cause: EchoCause): boolean => {
    try {
      echoes.check(kind, "ns/a", cause);
      return true;
    } catch {
      return false;
    }
  };
  return { clock, write };
}

describe("echoes", () => {
  test("wait after ten times the limit of repairs, until the interval is over", async () => {
    const { clock, write } = start();
    for (let at = 0; at < 20; at++) assert.ok(write("status"));
    assert.ok(!write("status"));
    await clock.advance(100);
    // What follows at once may still be caused by the last write.
    for (let at = 0; at < 5; at++) assert.ok(!write("status"));
    await clock.advance(30_000);
    assert.ok(!write("retry"));
    await clock.advance(30_000);
    assert.deepEqual(
      ["status", "status", "status"].map((cause) => write(cause as EchoCause)),
      [true, true, false],
    );
  });

  test("go on when statuses change although nothing is written", async () => {
    const { clock, write } = start();
    for (let at = 0; at < 20; at++) assert.ok(write("status"));
    const answers: boolean[] = [];
    for (let at = 0; at < 1000; at++) {
      answers.push(write("status"));
      await clock.advance(100);
    }
    assert.ok(answers.lastIndexOf(false) <= 40, `the last one that waited was number ${answers.lastIndexOf(false)}`);
  });

  test("are not suspected after a change of a spec", async () => {
    const { write } = start();
    for (let round = 0; round < 10; round++) {
      assert.ok(write("other"));
      for (let at = 0; at < 20; at++) assert.ok(write("status"));
    }
  });

  test("that come slowly are not suspected", async () => {
    const { clock, write } = start();
    for (let at = 0; at < 200; at++) {
      assert.ok(write("status"));
      await clock.advance(4_000);
    }
  });
});

test("only changes of statuses make an echo", () => {
  const trigger = (relation: ReconcileTrigger["relation"], fields: readonly string[] = []): ReconcileTrigger => {
    return {
      relation,
      change: "updated",
      kind: "A",
      key: "a",
      version: "1",
      from: "stream",
      fields,
      manager: "b",
      trace: undefined,
    };
  };
  const cases: readonly (readonly [EchoCause, readonly ReconcileTrigger[]])[] = [
    ["status", [trigger("status")]],
    ["status", [trigger("owned", ["status.ready"]), trigger("requeue")]],
    ["status", [trigger("mapped", ["status.a", "status[0]"]), trigger("read", ["status"])]],
    ["retry", [trigger("requeue")]],
    ["other", [trigger("status"), trigger("self", ["spec.size"])]],
    ["other", [trigger("owned", ["spec.size", "status.ready"])]],
    ["other", [trigger("owned", ["statusText"])]],
    ["other", [trigger("owned")]],
    ["other", [trigger("source")]],
    ["other", []],
  ];
  for (const [cause, triggers] of cases) assert.equal(echoCauseOf(triggers), cause);
});
