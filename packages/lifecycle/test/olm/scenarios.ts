/** All scenarios, by the file that their answers are in. */
import type { Scenario } from "./scenario.ts";
import { csvScenarios } from "./scenarios/csv.ts";
import { groupScenarios } from "./scenarios/groups.ts";
import { planScenarios } from "./scenarios/plans.ts";
import { subscriptionScenarios } from "./scenarios/subscriptions.ts";
import { webhookScenarios } from "./scenarios/webhooks.ts";

/** All of them. */
export const scenarios = {
  csv: csvScenarios,
  groups: groupScenarios,
  plans: planScenarios,
  subscriptions: subscriptionScenarios,
  webhooks: webhookScenarios,
} satisfies { readonly [file: string]: readonly Scenario[] };

/** The name of a file. */
export type ScenarioFile = keyof typeof scenarios;

/** The files. */
export const scenarioFiles: readonly ScenarioFile[] = ["csv", "groups", "plans", "subscriptions", "webhooks"];

/** Scenarios in which the manager sometimes stays InstallReady for more than a minute, for which a quick test has no time. */
const LATE = ["group-targets-change"];

/** Scenarios that the long tests replay, to keep the others quick. */
const LONG = [
  "cat-invalid-config-map",
  "cat-invalid-config-map-absent",
  "cat-invalid-grpc",
  "cat-invalid-type",
  "crd-required-added",
  "crd-version-dropped",
  "hook-certificate-deleted",
  "hook-conversion",
  "hook-conversion-foreign",
  "hook-conversion-own",
  "hook-csv-deleted",
  "hook-deleted",
  "hook-duplicate",
  "hook-forbidden-olm",
  "hook-mutating",
  "hook-selector-group",
  "hook-two",
  "mode-all-all",
  "mode-all-multi",
  "mode-all-own",
  "mode-all-single",
  "operator-component",
  "plan-approval-edited",
  "plan-existing-crd",
  "plan-policies",
  "scoped-missing",
  "sub-config-change",
  "sub-install",
  "sub-two-packages",
  "up-needs-more",
];

const SLOW: ReadonlySet<string> = new Set([...LATE, ...LONG]);

/** The scenarios of a file that need no long waits. */
export function quickScenarios(file: ScenarioFile): readonly Scenario[] {
  return scenarios[file].filter(({ name }) => !SLOW.has(name));
}

/** The other ones. */
export function slowScenarios(file: ScenarioFile): readonly Scenario[] {
  return scenarios[file].filter(({ name }) => SLOW.has(name));
}
