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

const SLOW: ReadonlySet<string> = new Set(LATE);

/** The scenarios of a file that need no long waits. */
export function quickScenarios(file: ScenarioFile): readonly Scenario[] {
  return scenarios[file].filter(({ name }) => !SLOW.has(name));
}

/** The other ones. */
export function slowScenarios(file: ScenarioFile): readonly Scenario[] {
  return scenarios[file].filter(({ name }) => SLOW.has(name));
}
