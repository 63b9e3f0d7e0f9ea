/** Errors of a test world that does not settle, or settles while objects fail. */
import { RuntimeError } from "../errors.ts";
import type { HistoryEntry } from "../report/explain.ts";
import type { RunningOperator } from "../manager/operator.ts";
import { failedIn, formatFailures, formatWaiting } from "./failures.ts";
import type { FailedObject } from "./failures.ts";

const REAL_WAIT =
  "All the time a reconcile waits for something that this world does not have: a timer of Node, the network, a file. Virtual time does not wait for it. " +
  "Hand such things in, and hand in fakes in tests.";

/** The world has settled, but objects fail. */
export function stillFailing(failed: readonly FailedObject[]): RuntimeError {
  return new RuntimeError(
    "StillFailing",
    `The world has settled, but reconciles of some objects still fail.${formatFailures(failed)}\n` +
      'If the test is about that, say so: world.settle({ failures: "expected" }).',
  );
}

/** An object is reconciled many times a second, without end. */
export function tooHasty({ controller, key, reconciles }: HistoryEntry): RuntimeError {
  const why = reconciles.at(-1)?.message ?? "";
  return new RuntimeError(
    "TimedOut",
    `Nothing settles: ${controller} ${key} wants reconcile after reconcile, many in a second (${why}). ` +
      "Say a longer time, or none: what a reconcile has read wakes its object when it changes.",
  );
}

/** The world does not settle within an hour. `isWaiting`: reconciles ran most of the time. */
export function restless(running: RunningOperator | undefined, isWaiting: boolean): RuntimeError {
  const counts = running?.controllers.map(
    ({ definition, counts: own }) => `${definition.name}: ${JSON.stringify(own)}`,
  );
  const queues = `Queues: ${counts?.join(", ") ?? "none"}.`;
  const told =
    "Nothing settles: after an hour of virtual time there is still something to do. " +
    "If that is as it should be, wait for what you expect: await world.eventually(() => ...).";
  const history = running?.history ?? [];
  return new RuntimeError(
    "TimedOut",
    `${told} ${isWaiting ? `${REAL_WAIT} ` : ""}${queues}${formatFailures(failedIn(history))}${formatWaiting(history)}`,
  );
}
