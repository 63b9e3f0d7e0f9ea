/** The life of an object whose deletion is answered with the object itself. */
import { del } from "../../case.ts";
import { life, type Cases, type Trial } from "../kinds/variants.ts";

/** As `life`, but of the deleted object only what is no metadata is compared. */
export function objectLife(what: string, trial: Trial): Cases {
  const fields = { only: ["kind", "apiVersion", "spec", "status", "template", "secrets"] };
  const entries = Object.entries(life(what, trial)).map(([name, steps]) => [
    name,
    steps.map((step) => (step.method === "DELETE" ? del(step.path, undefined, fields) : step)),
  ]);
  return Object.fromEntries(entries) as Cases;
}
