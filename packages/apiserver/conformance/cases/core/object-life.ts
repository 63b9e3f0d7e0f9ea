/** The lifecycle of kinds with a DELETE that returns the object. */
import { del } from "../../case.ts";
import { life, type Cases, type Trial } from "../kinds/variants.ts";

/** Like `life`, but of the deleted object the metadata is not compared. */
export function objectLife(what: string, trial: Trial): Cases {
  const fields = { only: ["kind", "apiVersion", "spec", "status", "template", "secrets"] };
  const entries = Object.entries(life(what, trial)).map(([name, steps]) => [
    name,
    steps.map((step) => (step.method === "DELETE" ? del(step.path, undefined, fields) : step)),
  ]);
  return Object.fromEntries(entries) as Cases;
}
