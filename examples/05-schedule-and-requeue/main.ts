/** A Print is sent to a printer: the operator polls until it is done, and checks every quarter of an hour that nothing was lost. */
import { controller, cron, defineResource, operator, requeue, s } from "capstan";

/** Stands for a slow system that sends no notification when it is done. */
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
    // Return nothing when there is nothing left to do; `capstan explain` shows the result.
    return isPrinted ? undefined : requeue("30s", { reason: "the printer is still at it" });
  },
);

export const app = operator({ name: "print", controllers: [print] });

await app.runIfMain(import.meta);
