/** A Print is sent to a printer: the operator looks again until it is done, and every quarter of an hour whether all is still as it was. */
import { controller, cron, defineResource, operator, requeue, s } from "capstan";

/** Stands for something slow that tells nobody when it is done. */
export const printer = { jobs: new Map<string, "printing" | "printed">() };

export const Print = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Print",
  spec: s.object({ document: s.string() }),
  conditions: { Printed: "The paper is out" },
  columns: { Printed: "condition:Printed" },
});

export const print = controller(
  Print,
  { sources: [cron("*/15 * * * *", { timeZone: "UTC" })] },
  ({ object, status }) => {
    const { uid } = object.metadata;
    if (!printer.jobs.has(uid)) printer.jobs.set(uid, "printing");
    const isPrinted = printer.jobs.get(uid) === "printed";
    status.condition("Printed", isPrinted);
    // Nothing is returned when there is nothing left to do; the answer is shown by `capstan explain`.
    return isPrinted ? undefined : requeue("30s", { reason: "the printer is still at it" });
  },
);

export const app = operator({ name: "print", controllers: [print] });

await app.runIfMain(import.meta);
