/** Whether an operator may be upgraded now, by its OperatorCondition. */
import { findCondition } from "@capstan/model";
import type { OperatorCondition } from "../kinds/operator-condition.ts";

/** The message against an upgrade; undefined if nothing is against it. An override counts more than what the operator reports. */
export function upgradeVeto(condition: OperatorCondition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const override = findCondition(condition.spec?.overrides, "Upgradeable");
  if (override !== undefined) {
    return override.status === "True" ? undefined : `the operator is not upgradeable: ${override.message}`;
  }
  const reported = findCondition(condition.status?.conditions, "Upgradeable");
  if (reported === undefined) return undefined;
  if ((reported.observedGeneration ?? 0) !== (condition.metadata.generation ?? 0)) {
    return `the operatorcondition status "Upgradeable"="${reported.status}" is outdated`;
  }
  return reported.status === "False" ? `the operator is not upgradeable: ${reported.message}` : undefined;
}
